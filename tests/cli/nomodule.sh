#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The command where the module is not loaded. Usage: nomodule.sh GLOOM

# shellcheck disable=SC2317 # functions are called by their names
# shellcheck source=tests/cli/ktap.sh
. "$(dirname "$0")/ktap.sh"

# Status 3, nothing on stdout, and what to do on stderr.
refused() {
	expect 3 gloom "$@"
	out_empty
	err_has '^gloom: .*not loaded.*modprobe gloom'
}

create_needs_the_module() {
	refused create words -n 1000
	refused create words -n 1000 --json
}

add_needs_the_module() {
	refused add words key
	refused add words </dev/null
	refused add -u words key
}

test_needs_the_module() {
	refused test words key
	refused test -q words key
	refused test -c words </dev/null
}

info_needs_the_module() {
	refused info words
	refused info words --bits --json
}

list_needs_the_module() {
	refused list
	refused list -l
	refused list --json
}

rm_needs_the_module() {
	refused rm words
	refused rm words urls
	[ "$(grep -c modprobe err)" = 2 ] || fail "not one message per name"
}

version_does_not_need_the_module() {
	expect 0 gloom version
	err_empty
	out_has '^gloom  +[0-9]+\.[0-9]+\.[0-9]+$'
	out_has '^libgloom +[0-9]+\.[0-9]+\.[0-9]+$'
	out_has '^module +not loaded$'
	expect 0 gloom version --json
	out_has '"loaded": false'
}

match_does_not_need_the_module() {
	echo key >keys
	echo key | expect 0 gloom match -f keys
	out_is key
}

run_tests create_needs_the_module add_needs_the_module test_needs_the_module \
	info_needs_the_module list_needs_the_module rm_needs_the_module \
	version_does_not_need_the_module match_does_not_need_the_module
