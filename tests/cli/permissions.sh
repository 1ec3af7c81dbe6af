# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=dash
#
# Tests with another user: a part of device.sh, which sources it.
#
# shellcheck disable=SC2086,SC2154,SC2317 # as in device.sh, which has $f

# as_nobody MODE FUNCTION: gloom is run by nobody, on a device of that mode.
as_nobody() {
	chmod "$1" /dev/gloom
	status=0
	(
		gloom() {
			su -s /bin/sh nobody -c "$GLOOM $*"
		}
		"$2"
	) || status=$?
	chmod 660 /dev/gloom
	[ "$status" = 0 ]
}

nobody_may_open_the_device() {
	for words in "list" "info $f" "test $f key" "add $f key" "rm $f" \
		"create $f-2 -n 1"; do
		refused 3 'no permission to use /dev/gloom.*group' $words
	done
	expect 0 gloom version
	out_has 'module +no permission'
}

device_without_permission() {
	create $f --mode 0666
	as_nobody 660 nobody_may_open_the_device
}

nobody_may_open_the_filters() {
	for words in "info $f" "test $f key" "add $f key" "add -u $f key" \
		"rm $f"; do
		refused 3 "$f: no permission for this filter" $words
	done
	expect 0 gloom list -l
	out_has "^0600 0:0 +[0-9]+ +- $f$"
	expect 0 gloom create $f-own -n 1
	expect 0 gloom rm $f-own
}

filter_without_permission() {
	create $f --mode 0600
	as_nobody 666 nobody_may_open_the_filters
}

nobody_may_write() {
	refused 3 'no permission for this filter' add $f-read key
	expect 0 gloom test $f-read present
	expect 0 gloom info --bits $f-read
	out_has '^bits set'
	refused 3 'no permission for this filter' rm $f-read
}

filter_to_read() {
	create $f-read --mode 0644
	expect 0 gloom add -q $f-read present
	as_nobody 666 nobody_may_write
}

nobody_may_read() {
	expect 0 gloom add $f-write key
	err_has ': 1 keys added, in '
	expect 0 gloom add --json $f-write key
	out_has '"new": null,$'
	refused 3 'no permission for this filter' test $f-write key
	refused 3 'no permission for this filter' add -u $f-write key
	refused 3 'no permission for this filter' info --bits $f-write
	expect 0 gloom info $f-write
	out_has 'no read permission'
	out_lacks '^(adds|tests|fpr now)'
	expect 0 gloom info --json $f-write
	out_has '"adds": null'
}

filter_to_write() {
	create $f-write --mode 0622
	as_nobody 666 nobody_may_read
	expect 0 gloom test $f-write key
}
