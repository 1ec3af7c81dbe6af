# SPDX-License-Identifier: MIT
# shellcheck shell=bash
#
# What the scripts share. Sourced, not run.

set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # used by those who source this
build=$root/build

step() {
	printf '== %s\n' "$*" >&2
}

die() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
	exit 1
}

usage() {
	printf 'usage: %s\n' "$@" >&2
	exit 2
}

# as_root COMMAND...: run it as root without asking for a password.
as_root() {
	if ((EUID == 0)); then
		"$@"
	elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
		sudo -n "$@"
	else
		return 1
	fi
}

# accelerator: of the virtual machine. Without the processor's support /dev/kvm
# may be there all the same, and hang.
accelerator() {
	if grep -qwE 'vmx|svm' /proc/cpuinfo && [[ -w /dev/kvm ]]; then
		echo kvm
	else
		echo tcg,thread=multi
	fi
}

# kernel_version: $KVER, or the kernel of Debian's current cloud headers.
kernel_version() {
	local depends

	if [[ ${KVER-} ]]; then
		echo "$KVER"
		return
	fi
	# shellcheck disable=SC2016 # dpkg-query's own variable
	depends=$(dpkg-query -W -f '${Depends}' linux-headers-cloud-amd64 \
		2>/dev/null) || depends=
	[[ $depends =~ linux-headers-([^ ,]+) ]] ||
		die "no linux-headers-cloud-amd64: run scripts/install-deps"
	echo "${BASH_REMATCH[1]}"
}

# ktap_count FILE: "passed failed skipped" of all KTAP documents in a file.
#
# A result with results nested in it is not counted beside them, except as one
# failure when it failed and none of them did. Planned results that are missing
# are failures.
ktap_count() {
	awk '
	function missing(d) {
		if (plan[d] > seen[d]) {
			failed += plan[d] - seen[d]
			bad[d] += plan[d] - seen[d]
		}
		plan[d] = seen[d] = 0
	}
	function close_below(d,   i) {
		for (i = deepest; i > d; i--) {
			missing(i)
			bad[i - 1] += bad[i]
			kids[i - 1] += kids[i]
			bad[i] = kids[i] = 0
		}
	}
	{
		sub(/\r$/, "")
		match($0, /^ */)
		d = int(RLENGTH / 2)
		line = substr($0, RLENGTH + 1)
		if (d > deepest)
			deepest = d
	}
	line ~ /^K?TAP version / { close_below(d); missing(d) }
	line ~ /^1\.\.[0-9]+/ {
		plan[d] = substr(line, 4) + 0
		if (!plan[d] && line ~ /# *SKIP/) {
			skipped++
			kids[d]++
		}
	}
	line ~ /^Bail out!/ { failed++; bad[d]++ }
	line ~ /^(not )?ok( |$)/ {
		was_bad = bad[d]
		had = kids[d]
		close_below(d)
		nested = kids[d] > had
		seen[d]++
		if (line ~ /^not/) {
			if (!nested || bad[d] == was_bad) {
				failed++
				bad[d]++
			}
		} else if (!nested) {
			if (line ~ /# *SKIP/)
				skipped++
			else
				passed++
		}
		kids[d]++
	}
	END {
		close_below(0)
		missing(0)
		print passed + 0, failed + 0, skipped + 0
	}' "$1"
}
