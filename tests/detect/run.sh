#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# run.sh kasan|kcsan [MODULE]: make one bug of each class that this kernel is to
# find, and see whether it says so. To be run last, in a guest without
# panic_on_warn and with kasan_multi_shot. Prints KTAP.
#
# shellcheck shell=dash

kernel=$1
module=${2:-/gloom_detect.ko}
trigger=/sys/kernel/debug/gloom_detect
number=0
failures=0

# Bug, and what the kernel is to say. Those that lockdep finds come first: it
# gives up at its first report, and when anything else is found.
kasan='rcu suspicious RCU usage
sleep BUG: sleeping function called from invalid context
lock_order possible circular locking dependency detected
warn WARNING: CPU: .* bug_warn\+
refcount refcount_t: underflow; use-after-free
list list_del corruption
shift UBSAN: shift-out-of-bounds in
array_bounds UBSAN: array-index-out-of-bounds in
slab_bounds BUG: KASAN: slab-out-of-bounds in read_behind\+
vmalloc_bounds BUG: KASAN: vmalloc-out-of-bounds in read_behind\+
stack_bounds BUG: KASAN: stack-out-of-bounds in read_behind\+
use_after_free BUG: KASAN: (slab-)?use-after-free in read_behind\+
double_free BUG: KASAN: (double-free|double-free or invalid-free) in
timer_free ODEBUG: free active .* timer_list hint: timed_out\+
work_free ODEBUG: free active .* work_struct hint: worked_off\+
leak kmemleak: [0-9]+ new suspected memory leaks'

kcsan='data_race BUG: KCSAN: data-race in count_unlocked
missing_barrier BUG: KCSAN: data-race in count_unordered
sleep BUG: sleeping function called from invalid context
refcount refcount_t: underflow; use-after-free
list list_del corruption
warn WARNING: CPU: .* bug_warn\+'

result() {
	number=$((number + 1))
	[ "$1" = ok ] || failures=$((failures + 1))
	echo "$1 $number $2"
}

# said PATTERN: since the last marker.
said() {
	dmesg | sed '1,/ gloom-detect: '"$bug"'$/d' | grep -qE "$1"
}

# Whether the leak is found, with the stack it was allocated from.
find_leak() {
	sleep 6
	echo scan >/sys/kernel/debug/kmemleak
	echo scan >/sys/kernel/debug/kmemleak
	grep -q 'bug_leak+.*\[gloom_detect\]' /sys/kernel/debug/kmemleak
}

case $kernel in
kasan) list=$kasan ;;
kcsan) list=$kcsan ;;
*)
	echo "usage: run.sh kasan|kcsan [MODULE]" >&2
	exit 2
	;;
esac

echo "KTAP version 1"
echo "1..$(($(echo "$list" | grep -c .) + 2))"

if insmod "$module" && [ -w $trigger ]; then
	result ok load
else
	result "not ok" load
	exit 1
fi
# What is no bug is not taken for one.
bug=nothing
echo "gloom-detect: $bug" >/dev/kmsg
if echo $bug >$trigger && ! said 'BUG|WARNING|UBSAN|ODEBUG|refcount_t'; then
	result ok nothing
else
	result "not ok" nothing
fi

while read -r bug pattern; do
	found="not ok"
	echo "gloom-detect: $bug" >/dev/kmsg
	if ! echo "$bug" >$trigger; then
		echo "# could not make it"
	elif [ "$bug" = leak ] && ! find_leak; then
		echo "# not in /sys/kernel/debug/kmemleak"
	elif said "$pattern"; then
		found=ok
	else
		echo "# the kernel did not say: $pattern"
	fi
	result "$found" "$bug"
done <<END
$list
END
[ $failures = 0 ]
