// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "coverage.h"
#include "sequence.h"

/* From <linux/kcov.h>; the kernel's long has 64 bits, whatever ours has. */
#define KCOV_INIT_TRACE	_IOR('c', 1, uint64_t)
#define KCOV_ENABLE	_IO('c', 100)
#define KCOV_TRACE_PC	0

/* Places that are noted in one step; more are not. */
#define TRACE_SIZE	(1 << 15)

static uint64_t *traces[MAX_THREADS];	/* [0] is their number */

/* Set once by any thread: bytes, so that nothing is lost. */
static uint8_t reached[NR_FEATURES];
static uint8_t places[1 << 16];

bool coverage_open(unsigned int thread)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	void *trace;

	if (fd < 0)
		return false;
	if (ioctl(fd, KCOV_INIT_TRACE, TRACE_SIZE))
		goto err;
	trace = mmap(NULL, TRACE_SIZE * sizeof(uint64_t),
		     PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (trace == MAP_FAILED)
		goto err;
	if (ioctl(fd, KCOV_ENABLE, KCOV_TRACE_PC))
		goto err;
	traces[thread] = trace;
	return true;
err:
	close(fd);
	return false;
}

void coverage_begin(unsigned int thread)
{
	if (traces[thread])
		__atomic_store_n(traces[thread], 0, __ATOMIC_RELAXED);
}

static uint16_t mix(uint64_t value)
{
	return value * 0x9e3779b97f4a7c15 >> 48;
}

void coverage_end(unsigned int thread, unsigned int action, int result)
{
	const uint64_t *trace = traces[thread];
	uint64_t nr = trace ? __atomic_load_n(trace, __ATOMIC_RELAXED) : 0;
	uint64_t last = 0, i;

	for (i = 1; i <= nr; i++) {
		places[mix(trace[i])] = 1;
		reached[mix(trace[i] + 3 * last)] = 1;
		last = trace[i];
	}
	reached[0x10000 + action * 256 + (result < 0 ? -result & 255 : 0)] = 1;
}

size_t coverage_take(uint32_t features[NR_FEATURES])
{
	size_t nr = 0;
	uint32_t i;

	for (i = 0; i < NR_FEATURES; i++) {
		uint64_t some;

		memcpy(&some, &reached[i & ~7U], sizeof(some));
		if (!some) {
			i |= 7;
			continue;
		}
		if (reached[i])
			features[nr++] = i;
	}
	memset(reached, 0, sizeof(reached));
	return nr;
}

unsigned int coverage_places(void)
{
	unsigned int nr = 0, i;

	for (i = 0; i < sizeof(places); i++)
		nr += places[i];
	return nr;
}
