#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The command with the module loaded, as root. Usage: device.sh GLOOM
#
# Functions are called by their names, no name has a space, and nothing that is
# read is written.
# shellcheck disable=SC2317,SC2086,SC2094

# shellcheck source=tests/cli/ktap.sh
. "$(dirname "$0")/ktap.sh"

# shellcheck source=tests/cli/permissions.sh
. "$(dirname "$0")/permissions.sh"

# What the tests create; nobody else's filter begins like this.
f=cli-test

cleanup() {
	for name in $("$GLOOM" list | grep "^$f"); do
		"$GLOOM" rm "$name"
	done
}

# create NAME OPTION...
create() {
	expect 0 gloom create -q -n 100k "$@"
	out_empty
	err_empty
}

# refused STATUS REGEX WORD...: nothing on stdout, and that on stderr.
refused() {
	status_wanted=$1
	regex=$2
	shift 2
	expect "$status_wanted" gloom "$@"
	out_empty
	err_has "^gloom: .*$regex"
}

# shown NAME LABEL: what gloom info prints there.
shown() {
	gloom info --bits "$1" | sed -n "s/^$2  *//p"
}

# is NAME LABEL VALUE
is() {
	value=$(shown "$1" "$2")
	[ "$value" = "$3" ] || fail "$2 is '$value', not '$3'"
}

# len32 KEY...: each after its length.
len32() {
	for key; do
		len=$(printf %s "$key" | wc -c)
		# shellcheck disable=SC2059 # octal escapes
		printf "\\$(printf %03o $((len % 256)))"
		# shellcheck disable=SC2059
		printf "\\$(printf %03o $((len / 256)))\\000\\000%s" "$key"
	done
}

create_says_what_it_made() {
	expect 0 gloom create $f -n 100k -p 1%
	err_empty
	out_has "^$f: .* blocks, k [0-9]+, for 100000 keys at 1%$"
	is $f name $f
	is $f capacity '100000 keys'
	is $f 'fpr asked' 1%
	is $f hash xxh3
	is $f mode 0600
	is $f owner 0:0
	is $f generation 1
	is $f 'bits set' 0
	[ "$(shown $f blocks)" = "$(gloom plan -n 100k -p 1% |
		sed -n 's/^blocks *//p')" ] || fail "not as planned"
	refused 2 'exists' create $f -n 1
	expect 0 gloom create $f-2 -n 1 --json
	out_has '^  "name": "cli-test-2",$'
	out_has '^  "capacity": 1,$'
}

create_options() {
	create $f-1 --hash xxh64 --seed 0x1F --mode 0640
	is $f-1 hash xxh64
	is $f-1 seed 0x000000000000001f
	is $f-1 mode 0640
	create $f-2 --headroom 50% -p 0.1%
	is $f-2 capacity '150000 keys'
	is $f-2 'fpr asked' 0.1%
	create $f-3 --max-k 2
	[ "$(shown $f-3 k)" -le 2 ]
	expect 0 gloom create -q $f-4 --blocks 1000 --k 5
	is $f-4 blocks 1000
	is $f-4 k 5
	is $f-4 'fpr asked' ''
	is $f-4 capacity ''
	create $f-5 --node 0
	is $f-5 node 0
	refused 2 'node 1023' create $f-6 -n 1 --node 1023
	refused 2 'limit|memory' create $f-6 --blocks 4Gi --k 1
	expect 0 gloom list
	out_lacks $f-6
}

seeds_are_random_unless_given() {
	create $f-1
	create $f-2
	[ "$(shown $f-1 seed)" != "$(shown $f-2 seed)" ]
	create $f-3 --seed 18446744073709551615
	is $f-3 seed 0xffffffffffffffff
}

keys_on_the_command_line() {
	create $f
	expect 0 gloom add $f one two '' ' three' one
	out_empty
	err_has "^gloom: $f: 5 keys added, 4 new, in .* s, .* keys/s$"
	expect 0 gloom add -q $f -- -q
	err_empty
	expect 0 gloom test $f one two '' ' three'
	err_empty
	out_is 'maybe	one' 'maybe	two' 'maybe	' 'maybe	 three'
	expect 0 gloom test $f -- -q
	expect 1 gloom test $f one eins
	out_is 'maybe	one' 'no	eins'
	expect 2 gloom test $f "$(repeat 4097 a)"
	err_has 'key 1 is longer than 4096'
}

keys_on_stdin() {
	create $f
	printf 'one\n\ntwo' | expect 0 gloom add $f
	err_has ': 3 keys added, 3 new,'
	printf 'one\n\ntwo\n' | expect 0 gloom test $f
	out_is 'maybe	one' 'maybe	' 'maybe	two'
	expect 0 gloom add $f </dev/null
	err_has ': 0 keys added, 0 new,'
	expect 0 gloom test $f </dev/null
	out_empty
}

keys_in_a_file() {
	create $f
	printf 'one\ntwo\n' >keys
	expect 0 gloom add -f keys $f <&-
	err_has ': 2 keys added'
	expect 0 gloom test --file keys $f <&-
	out_is 'maybe	one' 'maybe	two'
	refused 2 'nonexistent: No such file' add $f -f nonexistent
	refused 2 'nonexistent: No such file' test $f -f nonexistent
}

keys_that_end_with_null() {
	create $f
	printf 'one\ntwo\0\0three' | expect 0 gloom add -0 $f
	err_has ': 3 keys added, 3 new,'
	expect 0 gloom test $f 'one
two' '' three
	printf 'one\0\0three\0' | expect 1 gloom test -0 $f
	printf 'no\tone\0maybe\t\0maybe\tthree\0' | cmp - out
}

keys_with_their_length() {
	create $f
	long=$(repeat 300 x)
	{
		len32 one 'a
b' '' "$long"
		printf '\003\000\000\000\000\n\377'
	} >keys
	expect 0 gloom add --len32 $f <keys
	err_has ': 5 keys added, 5 new,'
	expect 0 gloom test $f one 'a
b' '' "$long"
	expect 0 gloom test --len32 -c $f <keys
	out_is 'maybe	5' 'no	0'
	expect 0 gloom test --len32 --maybe $f <keys
	same keys out
	# What is not complete, or too long, is an error behind what was.
	len32 one two | head -c 12 | expect 2 gloom test --len32 --no $f
	err_has 'ends within key 2'
	len32 one | head -c 3 | expect 2 gloom add --len32 $f
	err_has 'ends within key 1'
	{
		len32 four
		printf '\001\020\000\000'
	} | expect 2 gloom add --len32 $f
	err_has 'key 2 is longer'
	err_has ': 1 keys added, 1 new,'
	expect 0 gloom test $f four
}

test_prints_what_is_asked_for() {
	create $f
	expect 0 gloom add -q $f one two
	printf '%s\n' one drei two vier vier >keys
	expect 1 gloom test --maybe $f <keys
	out_is one two
	expect 1 gloom test --no $f <keys
	out_is drei vier vier
	expect 1 gloom test -c $f <keys
	out_is 'maybe	2' 'no	3'
	expect 1 gloom test -c --maybe $f <keys
	out_is 2
	expect 1 gloom test -c --no $f <keys
	out_is 3
	expect 1 gloom test --json $f <keys
	out_has '^  "maybe": 2,$'
	out_has '^  "no": 3$'
	for option in -q -c --json --maybe --no; do
		expect 0 gloom test $option $f one two
		expect 1 gloom test $option $f one drei
	done
}

test_quiet_stops_at_the_first_no() {
	create $f
	mkfifo pipe
	gloom test -q $f <pipe &
	exec 3>pipe
	echo absent >&3
	status=0
	wait $! || status=$?
	exec 3>&-
	[ "$status" = 1 ]
}

many_keys() {
	create $f -p 1%
	seq 100000 >keys
	expect 0 gloom add --json $f <keys
	err_empty
	out_has '^  "keys": 100000,$'
	out_has '^  "complete": true,$'
	expect 0 gloom test --maybe $f <keys
	same keys out
	# 1% of strangers, 31 by chance more or less.
	seq 1000001 1100000 | expect 1 gloom test -c --maybe $f
	seq 700 1200 | grep -qxF "$(cat out)" || fail "not a rate of 1%"
}

several_processes_at_once() {
	create $f
	pids=
	for part in 1 2 3 4; do
		seq $part 4 40000 | gloom add -q $f &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid"
	done
	seq 40000 | expect 0 gloom test -q $f
	is $f adds 40000
}

unique_prints_what_was_new() {
	create $f -p 1e-9
	printf '%s\n' b a b '' c a | expect 0 gloom add -u $f
	err_has ': 6 keys added, 4 new,'
	out_is b a '' c
	printf 'c\0d\0' | expect 0 gloom add -q -u -0 $f
	printf 'd\0' | cmp - out
	err_empty
	len32 a xyz b | expect 0 gloom add -q -u --len32 $f
	len32 xyz | cmp - out
	expect 0 gloom add -q -u $f e e d
	out_is e
}

prehashed_keys_are_numbers() {
	create $f --hash prehashed
	expect 0 gloom add -q $f 1 0x2 18446744073709551615
	expect 0 gloom test $f 0x1 2 0xFFFFFFFFFFFFFFFF
	out_is 'maybe	0x1' 'maybe	2' 'maybe	0xFFFFFFFFFFFFFFFF'
	printf '%s\n' 1 77777777777777777 | expect 1 gloom test --no $f
	out_is 77777777777777777
	printf '\010\0\0\0\001\0\0\0\0\0\0\0' >raw
	expect 0 gloom test --len32 -q $f <raw
	printf '\010\0\0\0\0\0\0\0\0\0\0\001' | expect 0 gloom add -q --len32 $f
	expect 0 gloom test $f 0x100000000000000
	for key in '' x 1x -1 0x 18446744073709551616 ' 1'; do
		expect 2 gloom add $f -- 5 "$key" 6
		err_has 'key 2 is not a 64-bit hash'
		err_has ': 1 keys added'
	done
	expect 1 gloom test $f 6
	len32 1234567 | expect 2 gloom add --len32 $f
	err_has 'key 1 is not a 64-bit hash'
}

hash_kinds_agree_with_themselves() {
	for kind in xxh64 xxh3; do
		create $f-$kind --hash $kind
		seq 1000 | expect 0 gloom add -q $f-$kind
		seq 1000 | expect 0 gloom test -q $f-$kind
		is $f-$kind 'adds' 1000
	done
}

a_key_too_long_ends_it() {
	create $f
	{
		seq 20000
		repeat 4097 a
		echo
		echo after
	} >keys
	expect 2 gloom add $f <keys
	err_has 'stdin: key 20001 is longer'
	err_has ': 20000 keys added, '
	seq 20000 | expect 0 gloom test -q $f
	expect 1 gloom test $f after
	expect 2 gloom add -q --json $f <keys
	out_has '^  "keys": 20000,$'
	out_has '^  "complete": false,$'
}

# keys_added NAME NR
keys_added() {
	[ "$(shown "$1" adds)" = "$2" ]
}

a_signal_ends_it_between_batches() {
	create $f
	mkfifo pipe
	gloom add $f <pipe 2>err &
	pid=$!
	exec 3>pipe
	seq 20000 >&3
	printf 'not yet complete' >&3
	eventually keys_added $f 20000
	# Of a shell without job control the background ignores SIGINT.
	kill -INT $pid
	echo >&3
	eventually keys_added $f 20001
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	exec 3>&-
	[ "$status" = 143 ] || fail "status $status"
	err_has ': 20001 keys added, '
}

info_adds_up() {
	create $f -p 1%
	seq 50000 | expect 0 gloom add -q $f
	seq 50000 | expect 0 gloom add -q $f
	seq 50000 | expect 0 gloom test -q $f
	seq 1000001 1050000 | expect 1 gloom test -c --maybe $f
	positives=$((50000 + $(cat out)))
	is $f adds 100000
	is $f tests 100000
	is $f positives $positives
	expect 0 gloom info --bits --json $f
	[ "$(sed -n '1p; $p' out | xargs)" = '{ }' ]
	sed '1d; $d' out | grep -vE '^  "[a-z0-9_]+": ("[^"]*"|[-0-9.e]+|null),?$' &&
		fail "no member of a flat object"
	# Half full: a little less than half of the bits, next to no false
	# positives, and an estimate within 2%.
	awk -F '[ ,:]+' -v positives=$positives '
		{ gsub(/^ *"|"/, ""); sub(/^ /, ""); value[$1] = $2 }
		function near(a, b) { return a > 0.98 * b && a < 1.02 * b }
		END {
			exit !(value["adds"] == 100000 &&
				value["positives"] == positives &&
				near(value["pass_through"], positives / 100000) &&
				near(value["keys_estimate"], 50000) &&
				near(value["adds_new"], 50000) &&
				near(value["fill"],
					value["bits_set"] / value["blocks"] / 512) &&
				value["fill"] > 0.2 && value["fill"] < 0.4 &&
				near(value["saturation"],
					value["fpr_now"] / 0.01) &&
				value["fpr_now"] < 0.002)
		}' out || fail "the numbers do not fit"
	expect 0 gloom info $f
	out_has '^keys +(49|50)[0-9]{3} \(estimate\)$'
	out_lacks '^bits set'
}

full_filters_are_told() {
	expect 0 gloom create -q $f --blocks 1 --k 8
	seq 10000 | expect 0 gloom add -q $f
	expect 0 gloom info --bits $f
	out_has '^fpr now +100%$'
	out_lacks '^keys'
	expect 0 gloom info --bits --json $f
	out_has '"keys_estimate": null'
}

list_shows_names_in_order() {
	create $f-b --mode 0644
	create $f-a --mode 0600
	expect 0 gloom list
	err_empty
	grep "^$f" out >names
	printf '%s\n' $f-a $f-b | cmp - names
	expect 0 gloom list -l
	out_has "^0600 0:0 +[0-9]+ +100000 $f-a$"
	out_has "^0644 0:0 +[0-9]+ +100000 $f-b$"
	expect 0 gloom list --json
	[ "$(sed -n '1p; $p' out | xargs)" = '[ ]' ]
	out_has "\"name\": \"$f-a\",$"
	out_has '"mode": "0644",$'
}

rm_removes() {
	create $f-1
	create $f-2
	create $f-3
	expect 0 gloom rm $f-1
	out_empty
	err_empty
	refused 2 'no filter of that name' rm $f-1
	# One that fails does not keep the others.
	refused 2 "$f-1: .*no filter" rm $f-2 $f-1 $f-3
	expect 0 gloom list
	out_lacks "^$f"
	create $f-1
}

filters_that_do_not_exist() {
	refused 2 'no filter of that name.*gloom list' test $f key
	refused 2 'no filter of that name' add $f key
	refused 2 'no filter of that name' info $f
	refused 2 'no filter of that name' rm $f
}

version_shows_the_module() {
	create $f
	expect 0 gloom version
	out_has '^module +ABI 1$'
	out_has '^filters +[1-9][0-9]* of [1-9]'
	out_has '^memory +.*of .*, a filter at most '
	expect 0 gloom version --json
	out_has '"loaded": true,$'
	out_has '"abi": 1,$'
	out_has '"max_filter_bytes": [1-9][0-9]*$'
}

output_that_fails() {
	create $f
	seq 100000 >keys
	for words in "add -u" test "test --no" "test -c" info "info --json"; do
		status=0
		gloom $words $f <keys >/dev/full 2>err || status=$?
		[ "$status" = 2 ] || fail "status $status: $words"
		err_has '^gloom: stdout: No space left'
	done
}

run_tests create_says_what_it_made create_options \
	seeds_are_random_unless_given keys_on_the_command_line keys_on_stdin \
	keys_in_a_file keys_that_end_with_null keys_with_their_length \
	test_prints_what_is_asked_for test_quiet_stops_at_the_first_no \
	many_keys several_processes_at_once unique_prints_what_was_new \
	prehashed_keys_are_numbers hash_kinds_agree_with_themselves \
	a_key_too_long_ends_it a_signal_ends_it_between_batches info_adds_up \
	full_filters_are_told list_shows_names_in_order rm_removes \
	filters_that_do_not_exist version_shows_the_module output_that_fails \
	device_without_permission filter_without_permission filter_to_read \
	filter_to_write
