// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory.h"
#include "sequence.h"

#define PAGE		4096UL
#define SHARED_BYTES	(4 * PAGE)

static const size_t area_bytes[NR_AREAS] = {
	[AREA_ARG] = 2 * PAGE,
	[AREA_KEYS] = KEYS_BYTES,
	[AREA_LENS] = 4 * PAGE,
	[AREA_RESULTS] = 2 * PAGE,
};

/* One memory, mapped twice; behind it a page that nobody can use. */
struct mapping {
	uint8_t *write;
	uint8_t *read;
};

static struct mapping mappings[MAX_THREADS][NR_AREAS];
static uint8_t *shared;

static uint8_t *map(int fd, int prot, size_t bytes)
{
	uint8_t *at = mmap(NULL, bytes + PAGE, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED ||
	    mmap(at, bytes, prot, MAP_SHARED | MAP_FIXED, fd, 0) != at) {
		perror("mmap");
		exit(1);
	}
	return at;
}

static int memory_file(size_t bytes)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, bytes)) {
		perror("memfd_create");
		exit(1);
	}
	return fd;
}

void memory_init(unsigned int nr_threads)
{
	unsigned int thread, area;
	int fd;

	for (thread = 0; thread < nr_threads; thread++) {
		for (area = 0; area < NR_AREAS; area++) {
			struct mapping *m = &mappings[thread][area];

			fd = memory_file(area_bytes[area]);
			m->write = map(fd, PROT_READ | PROT_WRITE,
				       area_bytes[area]);
			m->read = map(fd, PROT_READ, area_bytes[area]);
			close(fd);
		}
	}
	fd = memory_file(SHARED_BYTES);
	shared = map(fd, PROT_READ | PROT_WRITE, SHARED_BYTES);
	close(fd);
}

struct spot memory_place(unsigned int thread, enum area area, uint64_t place,
			 size_t size)
{
	static const uint64_t wild[] = {
		1ULL << 63, -8ULL, (1ULL << 47) - PAGE, (1ULL << 47) - 8,
		0xfffff000, 1ULL << 32,
	};
	const struct mapping *m = &mappings[thread][area];
	const uint64_t detail = place >> 8;
	size_t room = area_bytes[area], at = 0;
	struct spot spot = { .user = 0 };

	if (size > room)
		size = room;
	switch (place & 0xff) {
	case PLACE_ODD:
		at = 1 + detail % 63;
		break;
	case PLACE_END:
		at = room - size;
		break;
	case PLACE_CUT:
		/* At least one byte is missing, if there are any. */
		at = room - size + (size ? 1 + detail % size : 0);
		break;
	case PLACE_READ_ONLY:
		spot.user = (uintptr_t)m->read;
		spot.bytes = m->write;
		spot.readable = room;
		return spot;
	case PLACE_FRESH:
		spot.fresh = true;
		break;
	case PLACE_SHARED:
		at = detail % 16 * 8;
		spot.bytes = shared + at;
		spot.user = (uintptr_t)spot.bytes;
		spot.readable = SHARED_BYTES - at;
		spot.writable = spot.readable;
		spot.shared = true;
		return spot;
	case PLACE_NULL:
		return spot;
	case PLACE_GUARD:
		spot.user = (uintptr_t)m->write + room + detail % PAGE;
		return spot;
	case PLACE_KERNEL:
		spot.user = 0xffff888000001000 + detail;
		return spot;
	case PLACE_WILD:
		spot.user = wild[detail % (sizeof(wild) / sizeof(*wild))];
		return spot;
	}
	spot.bytes = m->write + at;
	spot.user = (uintptr_t)spot.bytes;
	spot.readable = room - at;
	spot.writable = spot.readable;
	return spot;
}

void memory_settle(const struct spot *spot)
{
	uintptr_t page = (uintptr_t)spot->bytes & ~(PAGE - 1);

	/* The file keeps what was written. */
	if (spot->fresh)
		madvise((void *)page, spot->readable, MADV_DONTNEED);
}

void memory_scribble(uint64_t value, unsigned int count)
{
	volatile uint32_t *words = (uint32_t *)shared;
	uint32_t values[4] = { 0, 1, 8, value };
	unsigned int i;

	values[0] = words[value % 64];
	for (i = 0; i < count; i++)
		words[(value + i / 16) % 64] = values[i % 4];
}
