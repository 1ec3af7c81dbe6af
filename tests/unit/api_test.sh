#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# api_test.sh FOLDER: the library as programs see it: headers, symbols, layout,
# what is installed. FOLDER is for what is built. Prints KTAP. Uses $CC, $CXX.
#
# shellcheck disable=SC2317 # functions that are called by the names in a list

set -euo pipefail
# The library is built by a make of its own.
unset MAKEFLAGS MAKELEVEL

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
lib=$out/lib
cc=${CC:-cc}
cxx=${CXX:-c++}
includes=("-I$root/user/lib" "-I$root/include/uapi")
strict=(-Wall -Wextra -Wshadow -Wpedantic -Werror)

# Debian has no asm/ for 32 bits where compilers look for it.
m32=(-m32 -idirafter "/usr/include/$($cc -print-multiarch 2>/dev/null)")

skip() {
	echo "$*" >"$out/skip"
	exit 0
}

# Is that compiler there, and for 32 bits too?
need_cxx() {
	command -v "$cxx" >/dev/null || skip "no C++ compiler"
}

need_m32() {
	echo 'int main(void) { return 0; }' |
		"$cc" "${m32[@]}" -x c -o "$out/empty" - 2>/dev/null ||
		skip "$cc has no -m32"
}

# All functions that gloom.h declares.
declared() {
	"$cc" -E -P -x c "${includes[@]}" "$root/user/lib/gloom.h" |
		grep -oE '\bgloom_[a-z_0-9]+\(' | tr -d '(' | sort -u
}

header_is_strict_c() {
	local standard

	for standard in c99 c11 c17; do
		echo '#include <gloom.h>' |
			"$cc" "-std=$standard" "${strict[@]}" "${includes[@]}" \
				-fsyntax-only -x c -
	done
	for standard in c90 c99 c17; do
		echo '#include <linux/gloom.h>' |
			"$cc" "-std=$standard" "${strict[@]}" "${includes[@]}" \
				-fsyntax-only -x c -
	done
}

header_is_cxx() {
	need_cxx
	"$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror "${includes[@]}" \
		"$here/both.cc" -o "$out/both" "-L$lib" -lgloom
	LD_LIBRARY_PATH=$lib "$out/both"
}

layout_is_fixed_64() {
	"$cc" -std=c11 "${strict[@]}" "${includes[@]}" -fsyntax-only \
		"$here/layout.c"
}

layout_is_fixed_32() {
	need_m32
	"$cc" "${m32[@]}" -std=c11 "${strict[@]}" "${includes[@]}" \
		-fsyntax-only "$here/layout.c"
}

# Exported, listed and declared are the same.
symbols_are_declared() {
	declared >"$out/declared"
	test -s "$out/declared"
	sed -n 's/^\t\(gloom_.*\);$/\1/p' "$root/user/lib/libgloom.map" \
		>"$out/listed"
	nm -D --defined-only "$lib/libgloom.so" |
		sed -n 's/.* [TDBRVW] //p' | sed 's/@@LIBGLOOM_0\.1$//' |
		sort >"$out/exported"
	diff "$out/declared" "$out/listed"
	diff "$out/declared" "$out/exported"
}

# A program that links statically keeps all other names for itself.
archive_keeps_to_its_names() {
	nm --defined-only --extern-only "$lib/libgloom.a" |
		sed -n 's/.* [TDBRVWC] //p' | sort -u >"$out/names"
	test -s "$out/names"
	if grep -v '^gloom_' "$out/names"; then
		return 1
	fi
}

library_needs_little() {
	readelf -d "$lib/libgloom.so" >"$out/dynamic"
	grep -F 'soname: [libgloom.so.0]' "$out/dynamic"
	sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' "$out/dynamic" >"$out/needed"
	if grep -vE '^(libc|libm|ld-linux.*|libpthread)\.so\.' "$out/needed"
	then
		return 1
	fi
	# No thread-local, no writable data: no global state.
	nm "$lib/libgloom.a" | sed -n 's/.* [BbDd] //p' |
		grep -v _ops >"$out/state" || true
	cat "$out/state"
	test ! -s "$out/state"
}

install_is_complete() {
	local tree=$out/tree

	rm -rf "$tree"
	make -s -C "$root/user" install-lib "O=$lib" PREFIX=/opt/gloom \
		"DESTDIR=$tree" LIBDIR=/opt/gloom/lib64
	(cd "$tree/opt/gloom" && find . ! -type d | sort) >"$out/installed"
	diff - "$out/installed" <<-END
	./include/gloom.h
	./include/linux/gloom.h
	./lib64/libgloom.a
	./lib64/libgloom.so
	./lib64/libgloom.so.0
	./lib64/libgloom.so.0.1.0
	./lib64/pkgconfig/libgloom.pc
	END
	cmp "$tree/opt/gloom/include/gloom.h" "$root/user/lib/gloom.h"
}

pkg_config_is_usable() {
	local tree=$out/tree flags

	command -v pkg-config >/dev/null || skip "no pkg-config"
	export PKG_CONFIG_PATH=$tree/opt/gloom/lib64/pkgconfig
	export PKG_CONFIG_SYSROOT_DIR=$tree
	test "$(pkg-config --modversion libgloom)" = 0.1.0
	read -ra flags < <(pkg-config --cflags --libs libgloom)
	"$cc" "$here/sample.c" -o "$out/sample" "${flags[@]}"
	LD_LIBRARY_PATH=$tree/opt/gloom/lib64 "$out/sample" >"$out/said"
	diff - "$out/said" <<<"0.1.0 19462 1"
	read -ra flags < <(pkg-config --static --cflags --libs libgloom)
	"$cc" -static "$here/sample.c" -o "$out/sample-static" "${flags[@]}"
	"$out/sample-static" | diff - "$out/said"
}

library_compiles_32() {
	local file

	need_m32
	for file in "$root"/user/lib/*.c; do
		"$cc" "${m32[@]}" -std=c11 -O2 -Wall -Wextra -Wshadow -Werror \
			-Wno-psabi -D_GNU_SOURCE "${includes[@]}" \
			"-I$root/include" -c "$file" -o "$out/object32"
	done
}

tests=(header_is_strict_c header_is_cxx layout_is_fixed_64 layout_is_fixed_32
	symbols_are_declared archive_keeps_to_its_names library_needs_little
	install_is_complete pkg_config_is_usable library_compiles_32)

make -s -C "$root/user" lib "O=$lib" >&2
echo "TAP version 13"
echo "1..${#tests[@]}"
failed=0
for i in "${!tests[@]}"; do
	test=${tests[i]}
	rm -f "$out/skip"
	# Not in the condition: there, errors would not end the test.
	set +e
	(set -e; "$test") >"$out/log" 2>&1
	rc=$?
	set -e
	if ((!rc)); then
		echo -n "ok $((i + 1)) - $test"
		[[ ! -e $out/skip ]] || echo -n " # SKIP $(<"$out/skip")"
		echo
	else
		sed 's/^/# /' "$out/log"
		echo "not ok $((i + 1)) - $test"
		failed=1
	fi
done
exit $failed
