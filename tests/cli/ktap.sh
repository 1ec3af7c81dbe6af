# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# What the tests of the command share. Sourced, by any POSIX shell.
#
# A test is a function. It runs in a shell and a folder of its own and fails
# with the first command that does: what it tests must be said in commands.

GLOOM=$(command -v "${1-}") || {
	echo "usage: ${0##*/} GLOOM" >&2
	exit 2
}
case $GLOOM in
/*) ;;
*) GLOOM=$PWD/$GLOOM ;;
esac

gloom() {
	"$GLOOM" "$@"
}

fail() {
	echo "$*"
	for stream in out err; do
		[ ! -s $stream ] || sed "s/^/$stream: /; 20q" $stream
	done
	exit 1
}

# This test cannot be run here.
skip() {
	echo "$*" >reason
	exit 4
}

# expect STATUS COMMAND...: leaves its output in the files out and err.
expect() {
	want=$1
	shift
	status=0
	"$@" >out 2>err || status=$?
	[ $status = "$want" ] || fail "status $status, not $want: $*"
}

# out_is LINE...: these and no others were printed.
out_is() {
	printf '%s\n' "$@" | cmp -s - out || fail "not printed: $*"
}

out_empty() {
	[ ! -s out ] || fail "something was printed"
}

# out_has, err_has, out_lacks REGEX
out_has() {
	grep -Eq -e "$1" out || fail "stdout has no '$1'"
}

err_has() {
	grep -Eq -e "$1" err || fail "stderr has no '$1'"
}

err_empty() {
	[ ! -s err ] || fail "something was printed to stderr"
}

out_lacks() {
	! grep -Eq -e "$1" out || fail "stdout has '$1'"
}

# same FILE FILE
same() {
	cmp -s "$1" "$2" || fail "$1 and $2 differ"
}

# repeat COUNT STRING
repeat() {
	printf "%$1s" "" | sed "s/ /$2/g"
}

# eventually COMMAND...: it succeeds within ten seconds.
eventually() {
	for _ in $(seq 100); do
		! "$@" || return 0
		sleep 0.1
	done
	fail "still not so: $*"
}

# run_tests FUNCTION...: then exit, with 1 if one failed. The function cleanup,
# if there is one, runs after each.
run_tests() {
	folder=$(mktemp -d) || exit
	trap 'rm -rf "$folder"' EXIT
	number=0
	failed=0
	echo "KTAP version 1"
	echo "1..$#"
	for test in "$@"; do
		number=$((number + 1))
		mkdir "$folder/$number"
		(
			cd "$folder/$number" || exit
			set -eu
			"$test"
		) >"$folder/log" 2>&1
		status=$?
		case $status in
		0) echo "ok $number $test" ;;
		4) echo "ok $number $test # SKIP $(cat "$folder/$number/reason")" ;;
		*)
			sed 's/^/# /' "$folder/log"
			echo "not ok $number $test"
			failed=1
			;;
		esac
		! command -v cleanup >/dev/null || cleanup
		rm -rf "${folder:?}/$number"
	done
	exit $failed
}
