# SPDX-License-Identifier: MIT
# For people; kbuild reads Kbuild. "make help" lists the targets.

KERNELRELEASE ?= $(shell uname -r)
KERNELDIR ?= /lib/modules/$(KERNELRELEASE)/build
DEPMOD ?= depmod
DESTDIR ?=

.DEFAULT_GOAL := all

all: module user			## build module, library and command

module:					## build gloom.ko for KERNELDIR
	$(MAKE) -C $(KERNELDIR) M=$(CURDIR) modules

user:					## build libgloom and gloom in build/user
	$(MAKE) -C user

modules_install: module			## install gloom.ko and run depmod
	$(MAKE) -C $(KERNELDIR) M=$(CURDIR) \
		$(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install
	$(DEPMOD) $(if $(DESTDIR),-b $(DESTDIR)) $(KERNELRELEASE)

install: user				## install library, command, headers
	$(MAKE) -C user install

selftests:				## build kselftests and their bundle
	scripts/kernel-source >/dev/null
	$(MAKE) -C tests/selftests

check:					## run every test that gates a change
	scripts/check

demo:					## see it work in a virtual machine
	scripts/demo

style:					## checkpatch, sparse, shellcheck, docs
	scripts/check --quick

clean:
	$(RM) -r build
	[ ! -d $(KERNELDIR) ] || $(MAKE) -C $(KERNELDIR) M=$(CURDIR) clean

help:
	@sed -n 's/^\([a-z_]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t20
	@echo "Variables: KERNELRELEASE KERNELDIR DEPMOD DESTDIR PREFIX BINDIR"
	@echo "           LIBDIR INCLUDEDIR MANDIR CC ARCH CROSS_COMPILE LLVM V"

.PHONY: all module user modules_install install selftests check demo style \
	clean help
