#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What the command does without a device. Usage: host.sh GLOOM
#
# Functions are called by their names; nothing that is read is written.
# shellcheck disable=SC2317,SC2094

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/cli/ktap.sh
. "$here/ktap.sh"

commands="plan create add test info list rm match version"

# wrong WORD...: status 2, nothing on stdout, something on stderr.
wrong() {
	expect 2 gloom "$@"
	out_empty
	err_has '^gloom.*: .'
}

# misused WORD...: and it says where to read how it is used.
misused() {
	wrong "$@"
	err_has '; see gloom .*--help$'
}

# plan_has REGEX WORD...: what gloom plan prints has such a line.
plan_has() {
	regex=$1
	shift
	expect 0 gloom plan "$@"
	err_empty
	out_has "$regex"
}

# value NAME: a number of the JSON in out.
value() {
	sed -nE "s/^ *\"$1\": ([^,]*),?$/\\1/p" out | head -n 1
}

help_lists_all_commands() {
	for words in help --help -h; do
		expect 0 gloom "$words"
		err_empty
		for command in $commands; do
			out_has "^  $command +[A-Z]"
		done
	done
}

help_of_each_command() {
	for command in $commands; do
		expect 0 gloom help "$command"
		err_empty
		out_has "^Usage: gloom $command( |$)"
		out_has '^  -h, --help '
		mv out help
		expect 0 gloom "$command" --help
		err_empty
		same help out
		expect 0 gloom "$command" -h
		same help out
	done
	wrong help nonsense
}

version_is_that_of_the_library() {
	expect 0 gloom --version
	err_empty
	out_has '^gloom [0-9]+\.[0-9]+\.[0-9]+$'
	version=$(cut -d' ' -f2 out)
	expect 0 gloom version
	out_has "^libgloom +$version$"
}

no_command_is_wrong() {
	misused nonsense
	misused --nonsense
	misused ''
	expect 2 gloom
	out_empty
	err_has '^Usage: '
}

options_that_are_wrong() {
	for command in $commands; do
		misused "$command" -X
		misused "$command" --nonsense
		misused "$command" --help=yes
	done
	misused plan -n
	misused plan --keys
	misused plan -n 1 --json=yes
	misused create a -n 1 --hash md5
	misused create a -n 1 --seed 1.5
	misused create a -n 1 --seed 0x
	misused create a -n 1 --seed 0x10000000000000000
	misused create a -n 1 --seed 18446744073709551616
	for mode in 777 1666 8 rw -6 '' 00000; do
		misused create a -n 1 --mode "$mode"
	done
}

options_that_exclude_each_other() {
	misused plan -n 1 -p 1% -m 1k
	misused create a
	misused create a --blocks 1
	misused create a --k 1
	misused create a --blocks 1 --k 1 -p 1%
	misused create a --blocks 1 --k 1 --max-k 1
	misused create a --blocks 1 --k 1 --headroom 1%
	misused add a -u --json
	misused add a -f file key
	misused add a --len32 key
	misused test a --maybe --no
	misused test a -q -c
	misused test a -q --json
	misused test a --maybe --json
	misused test a --len32
	misused match -f keys -c -q
}

words_too_few_or_too_many() {
	for command in create add test info rm; do
		misused "$command"
	done
	misused plan
	misused plan 1
	misused plan -n 1 extra
	misused create a b -n 1
	misused info a b
	misused list a
	misused version a
	misused match
	misused match keys
	misused match -f keys extra
	misused match -f -
}

names_that_no_filter_can_have() {
	for name in '' .a -a a/b 'a b' 'ä' "$(repeat 64 a)"; do
		wrong create -n 1 -- "$name"
		wrong add -- "$name" key
		wrong test -- "$name" key
		wrong info -- "$name"
	done
}

counts() {
	plan_has '^keys +0$' -n 0
	plan_has '^keys +1$' -n 1
	plan_has '^keys +1000$' -n 1000
	plan_has '^keys +1000000$' -n 1M
	plan_has '^keys +1000000$' -n 1e6
	plan_has '^keys +1000000$' -n 1E+6
	plan_has '^keys +1000000$' -n 1000k
	plan_has '^keys +1000000$' -n 1000K
	plan_has '^keys +1500000$' -n 1.5M
	plan_has '^keys +1536$' -n 1.5Ki
	plan_has '^keys +1048576$' -n 1Mi
	plan_has '^keys +2000000000$' -n 2G
	plan_has '^keys +12$' -n 1200e-2
	plan_has '^keys +500$' -n .5k
	plan_has '^keys +18446744073709551615$' -n 18446744073709551615 -m 1G
}

counts_that_are_none() {
	for count in '' -1 +1 1.5 1e-1 0.1Ki x 1x '1 ' ' 1' 1e 1e+ . .k 1kk 1KB \
		1i 0x10 inf nan 1,000 1_000 18446744073709551616 1e20 \
		20000000T 1e99999999999 1%; do
		misused plan -n "$count"
	done
	for k in 0 17 -1 1.5 4294967297; do
		misused plan -n 1 --max-k "$k"
		misused create a --blocks 1 --k "$k"
	done
	misused create a --blocks 0 --k 1
	misused create a --blocks 4294967297 --k 1
}

sizes() {
	for size in 65536 64KiB 64Ki 65536B 65.536k 65.536kB 0.0625MiB; do
		expect 0 gloom plan -n 1000 -m "$size" --json
		[ "$(value bytes)" = 65536 ] || fail "$size"
	done
	for size in '' 63 0 -64 64b 64iB 64KBi MiB 20000000TiB; do
		wrong plan -n 1000 -m "$size"
	done
}

rates() {
	expect 0 gloom plan -n 1M -p 1%
	mv out percent
	for rate in 0.01 .01 1e-2 1E-2 0.1e-1 1.0% 100e-2%; do
		expect 0 gloom plan -n 1M -p "$rate"
		same percent out
	done
	# It is the default too.
	expect 0 gloom plan -n 1M
	same percent out
	for rate in '' 0 1 100% 1.5 -0.1 nan inf 1%% % 0x1p-4 0,01 1e-400 1e; do
		wrong plan -n 1M -p "$rate"
		wrong create a -n 1M -p "$rate"
		wrong match -f keys -p "$rate"
	done
}

plan_meets_the_rate() {
	for keys in 0 1 100 1M 1G; do
		for rate in 0.1 0.01 0.001 0.000001; do
			expect 0 gloom plan -n "$keys" -p "$rate" --json
			awk -v rate="$rate" -v fpr="$(value fpr)" \
				-v bytes="$(value bytes)" \
				-v blocks="$(value blocks)" -v k="$(value k)" '
				BEGIN { exit !(fpr <= rate && k >= 1 && k <= 16 &&
					blocks >= 1 && bytes == 64 * blocks) }' ||
				fail "$keys keys at $rate"
		done
	done
	# Some filters would be larger than any can be.
	wrong plan -n 1e15
}

plan_takes_the_memory() {
	last=2
	for size in 64 1MiB 2MiB 4MiB 1GiB; do
		expect 0 gloom plan -n 1M -m "$size" --json
		awk -v last="$last" -v fpr="$(value fpr)" \
			'BEGIN { exit !(fpr > 0 && fpr < last) }' ||
			fail "more memory made it worse"
		last=$(value fpr)
	done
}

plan_shows_how_the_rate_rises() {
	expect 0 gloom plan -n 1M -p 1%
	[ "$(sed -nE 's/.* ([0-9]+)% of keys$/\1/p' out | xargs)" = \
		"50 100 150 200" ] || fail "not at 50, 100, 150, 200 percent"
	sed -nE 's/^ *([^ ]+)% at .* of keys$/\1/p' out | sort -g -c
	out_has '^ +1% at 100% of keys$'
}

plan_headroom() {
	plan_has '^capacity +1200000 ' -n 1M --headroom 20%
	plan_has '^capacity +1200000 ' -n 1M --headroom 0.2
	expect 0 gloom plan -n 1200k --json
	bytes=$(value bytes)
	expect 0 gloom plan -n 1M --headroom 20% --json
	[ "$(value bytes)" = "$bytes" ] || fail "not sized for the headroom"
	wrong plan -n 1M --headroom -1%
	wrong plan -n 1M --headroom x
	wrong plan -n 18446744073709551615 --headroom 100% -m 1G
}

plan_max_k() {
	expect 0 gloom plan -n 1M -p 0.001 --json
	[ "$(value k)" -gt 4 ]
	bytes=$(value bytes)
	expect 0 gloom plan -n 1M -p 0.001 --max-k 4 --json
	[ "$(value k)" -le 4 ] || fail "k above 4"
	[ "$(value bytes)" -gt "$bytes" ] || fail "a low k is not free"
}

json_is_json() {
	for words in "plan -n 1M" "plan -n 1 -m 1k --headroom 1" \
		"plan -n 18446744073709551615 -m 1G" version; do
		# shellcheck disable=SC2086 # words
		expect 0 gloom $words --json
		python3 -m json.tool <out >pretty || fail "$words"
	done
	# What is above 2^63 - 1 is a string.
	expect 0 gloom plan -n 9223372036854775807 -m 1G --json
	[ "$(value keys)" = 9223372036854775807 ]
	expect 0 gloom plan -n 9223372036854775808 -m 1G --json
	[ "$(value keys)" = '"9223372036854775808"' ]
}

match_prints_what_may_be_there() {
	printf '%s\n' one two three >keys
	printf '%s\n' two zwei one two >lines
	expect 0 gloom match -f keys <lines
	err_empty
	out_is two one two
	expect 0 gloom match -v -f keys <lines
	out_is zwei
	expect 0 gloom match -c -f keys <lines
	out_is 3
	expect 0 gloom match -c -v -f keys <lines
	out_is 1
	expect 0 gloom match -q -f keys <lines
	out_empty
}

match_status_is_that_of_grep() {
	printf '%s\n' one two >keys
	printf '%s\n' drei vier >lines
	for option in '' -c -q; do
		expect 1 gloom match ${option:+$option} -f keys <lines
		expect 0 gloom match ${option:+$option} -v -f keys <lines
		expect 1 gloom match ${option:+$option} -v -f keys <keys
		expect 1 gloom match ${option:+$option} -f keys </dev/null
		expect 1 gloom match ${option:+$option} -f /dev/null <keys
		expect 0 gloom match ${option:+$option} -v -f /dev/null <keys
	done
	wrong match -f nonexistent
	wrong match -f .
	expect 2 gloom match -f keys <.
}

lines_and_their_ends() {
	# An empty line is a key, the end of the last line is none.
	printf 'a\n' >keys
	printf '\n' | expect 1 gloom match -f keys
	printf '\na\n' >keys
	printf '\n' | expect 0 gloom match -f keys
	out_is ''
	# A missing newline at the end is made up for.
	printf 'b\nc' >keys
	printf 'a\nc' | expect 0 gloom match -f keys
	out_is c
	# Nothing else is special.
	printf ' a \nb\r\n\\n\n' >keys
	printf 'a\n a \nb\nb\r\nn\n\\n\n' | expect 0 gloom match -f keys
	printf ' a \nb\r\n\\n\n' | cmp - out
}

null_ends_keys() {
	printf 'a\nb\0\0c' >keys
	printf 'a\0b\0a\nb\0\0c\0' | expect 0 gloom match -0 -f keys
	printf 'a\nb\0\0c\0' | cmp - out
	printf 'a\0b\0' | expect 1 gloom match --null -f keys
}

any_bytes_are_a_key() {
	head -c 3000000 /dev/urandom >bytes
	echo >>bytes
	expect 0 gloom match -f bytes <bytes
	same bytes out
	tr '\n\0' '\0\n' <bytes >swapped
	printf '\0' >>swapped
	expect 0 gloom match -0 -f swapped <swapped
	same swapped out
}

# Long ones end anywhere in the buffers.
keys_of_all_lengths() {
	awk 'BEGIN {
		x = sprintf("%4096s", "")
		y = "y" substr(x, 2)
		for (i = 0; i <= 4096; i++) {
			print substr(x, 1, i * 1237 % 4097) >"keys"
			print substr(y, 1, 1 + i * 1237 % 4096) >"lines"
		}
	}'
	expect 0 gloom match -f keys <keys
	same keys out
	expect 1 gloom match -p 1e-9 -f keys <lines
	expect 0 gloom match -v -p 1e-9 -f keys <lines
	same lines out
}

batches_of_all_sizes() {
	for nr in 1 7 8 9 8191 8192 8193 16384 20000 131073; do
		seq "$nr" >keys
		expect 0 gloom match -f keys <keys
		same keys out
		yes '' | head -n "$nr" >lines
		expect 0 gloom match -v -f keys <lines
		same lines out
	done
}

no_key_is_missed() {
	seq 1000000 >keys
	expect 0 gloom match -p 10% -f keys <keys
	same keys out
}

# counted MIN MAX: the number that was printed is one of these.
counted() {
	seq "$1" "$2" | grep -qxF "$(cat out)" || fail "not $1 to $2"
}

# 2000 and 20 of them, by chance some more or less; but always the same.
strangers_pass_at_the_rate() {
	seq 200000 >keys
	seq 1000001 1200000 >lines
	expect 0 gloom match -p 1% -c -f keys <lines
	counted 1700 2200
	expect 0 gloom match -c -f keys <lines
	counted 5 40
}

keys_that_are_too_long() {
	repeat 4096 a >most
	repeat 4097 a >longer
	expect 0 gloom match -f most <most
	head -c 4096 out | cmp - most
	wrong match -f longer
	err_has 'longer: key 1 is longer than 4096 bytes'
	{ seq 10000; cat longer; } >keys
	wrong match -f keys
	err_has 'keys: key 10001 is longer'
	head -c 1000000 /dev/zero >keys
	wrong match -f keys
	err_has 'keys: key 1 is longer'
	# What came before is done.
	{ echo a; cat longer; echo a; } >lines
	echo a >keys
	expect 2 gloom match -f keys <lines
	out_is a
	err_has 'stdin: key 2 is longer'
}

keys_from_a_pipe() {
	mkfifo pipe
	seq 100000 >keys
	cat keys >pipe &
	expect 0 gloom match -f pipe <keys
	same keys out
}

slow_input_is_not_held_back() {
	echo a >keys
	mkfifo pipe
	gloom match -f keys <pipe >answers &
	exec 3>pipe
	echo a >&3
	eventually grep -q a answers
	echo b >&3
	echo a >&3
	exec 3>&-
	wait $!
	[ "$(grep -c a answers)" = 2 ]
}

output_that_fails() {
	[ -c /dev/full ] || skip "no /dev/full"
	seq 100000 >keys
	for words in "match -f keys" "match -c -f keys" "plan -n 1" \
		"plan -n 1 --json" help "help plan" --version version; do
		status=0
		# shellcheck disable=SC2086 # words
		gloom $words <keys >/dev/full 2>err || status=$?
		[ "$status" = 2 ] || fail "status $status with a full disk: $words"
		err_has '^gloom: stdout: No space left'
		status=0
		# shellcheck disable=SC2086 # words
		gloom $words <keys >&- 2>err || status=$?
		[ "$status" = 2 ] || fail "status $status when closed: $words"
		err_has '^gloom: stdout: Bad file'
	done
}

output_that_ends_early() {
	seq 1000000 >keys
	# As ever, by a signal; where that is ignored, as an error.
	[ "$(gloom match -f keys <keys | head -n 1)" = 1 ]
	(
		trap '' PIPE
		status=0
		gloom match -f keys <keys 2>err || status=$?
		echo "$status" >status
	) | head -n 1 >out
	out_is 1
	[ "$(cat status)" = 2 ] || fail "not an error"
	err_has '^gloom: stdout: Broken pipe'
}

input_that_is_closed() {
	echo a >keys
	expect 2 gloom match -f keys <&-
	err_has '^gloom: stdin: Bad file'
}

no_module() {
	[ ! -e /dev/gloom ] || skip "the module is loaded"
	sh "$here/nomodule.sh" "$GLOOM"
}

run_tests help_lists_all_commands help_of_each_command \
	version_is_that_of_the_library no_command_is_wrong \
	options_that_are_wrong options_that_exclude_each_other \
	words_too_few_or_too_many names_that_no_filter_can_have \
	counts counts_that_are_none sizes rates \
	plan_meets_the_rate plan_takes_the_memory \
	plan_shows_how_the_rate_rises plan_headroom plan_max_k json_is_json \
	match_prints_what_may_be_there match_status_is_that_of_grep \
	lines_and_their_ends null_ends_keys any_bytes_are_a_key \
	keys_of_all_lengths batches_of_all_sizes no_key_is_missed \
	strangers_pass_at_the_rate keys_that_are_too_long keys_from_a_pipe \
	slow_input_is_not_held_back output_that_fails output_that_ends_early \
	input_that_is_closed no_module
