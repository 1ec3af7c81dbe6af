// SPDX-License-Identifier: GPL-2.0
/* Files as files: slots, and system calls that are not gloom's. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "run.h"

static int result(long rc)
{
	return rc < 0 ? -errno : 0;
}

/* The slot, or the next that has a file. */
static struct slot *find_slot(const struct step *step)
{
	unsigned int from = step->field[F_FILE] % NR_FILES, i;

	for (i = 0; i < NR_SLOTS; i++) {
		struct slot *slot = &run.slot[(from + i) % NR_SLOTS];

		if (slot->fd >= 0)
			return slot;
	}
	return &run.slot[from % NR_SLOTS];
}

struct slot file_get(const struct step *step)
{
	struct slot slot = { .fd = -1 };

	switch (step->field[F_FILE] % NR_FILES) {
	case FILE_DEVICE:
		slot.fd = run.device;
		break;
	case FILE_NULL:
		slot.fd = run.null;
		break;
	case FILE_NONE:
		break;
	default:
		pthread_mutex_lock(&run.lock);
		slot = *find_slot(step);
		pthread_mutex_unlock(&run.lock);
	}
	return slot;
}

static void drop(int fd)
{
	if (fd < 0)
		return;
	if (run.solo)
		close(fd);
	else
		dup2(run.null, fd);
}

void file_put(const struct step *step, struct slot slot)
{
	struct slot *to = &run.slot[step->field[F_TO] % NR_SLOTS];
	int old;

	pthread_mutex_lock(&run.lock);
	old = to->fd;
	*to = slot;
	pthread_mutex_unlock(&run.lock);
	drop(old);
}

void file_close(const struct step *step)
{
	struct slot *slot;
	int old;

	if (step->field[F_FILE] % NR_FILES >= NR_SLOTS)
		return;
	pthread_mutex_lock(&run.lock);
	slot = find_slot(step);
	old = slot->fd;
	*slot = (struct slot){ .fd = -1 };
	pthread_mutex_unlock(&run.lock);
	drop(old);
}

static int dup_step(const struct step *step)
{
	struct slot slot = file_get(step);

	slot.fd = dup(slot.fd);
	if (slot.fd < 0)
		return -errno;
	file_put(step, slot);
	return 0;
}

/* Another open file of the same filter, by the name that /proc has for it. */
static int reopen_step(const struct step *step)
{
	struct slot slot = file_get(step);
	int flags = step->field[F_FLAGS] & ~O_CREAT;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", slot.fd);
	slot.fd = open(path, flags | O_CLOEXEC);
	if (slot.fd < 0)
		return -errno;
	slot.read = (flags & O_ACCMODE) == O_RDONLY ||
		    (flags & O_ACCMODE) == O_RDWR;
	slot.write = (flags & O_ACCMODE) == O_WRONLY ||
		     (flags & O_ACCMODE) == O_RDWR;
	if (flags & O_PATH)
		slot.model = NULL;
	/* Another thread may have closed it before it was opened again. */
	if (slot.model && !run.solo) {
		struct gloom_info info = { .size = sizeof(info) };

		if (ioctl(slot.fd, GLOOM_IOC_INFO, &info))
			slot.model = NULL;
	}
	file_put(step, slot);
	return 0;
}

static int mmap_step(const struct step *step, int fd)
{
	const uint64_t *field = step->field;
	size_t bytes = field[F_NR] % 5 * 4096 + 1;
	void *at = mmap(NULL, bytes, field[F_VALUE] & 7,
			field[F_FLAGS] & (MAP_SHARED | MAP_PRIVATE |
					  MAP_POPULATE | MAP_SYNC), fd,
			(off_t)(field[F_VALUE] >> 8 & 0xffff) * 4096);

	if (at == MAP_FAILED)
		return -errno;
	ORACLE(!(field[F_VALUE] & PROT_WRITE), "mmap() to write works");
	munmap(at, bytes);
	return 0;
}

/* What filters do not have, and may not crash on. */
static int other_step(const struct step *step, int fd)
{
	uint64_t value = step->field[F_VALUE];
	struct pollfd poll_file = { fd, value & 0xff, 0 };
	struct statfs statfs_buffer;
	struct stat stat_buffer;
	char buffer[64] = { 0 };
	int number = value, file;

	switch (step->field[F_COMMAND] % 22) {
	case 0:
		return result(read(fd, buffer, value % 64));
	case 1:
		return result(write(fd, buffer, value % 64));
	case 2:
		return result(lseek(fd, value, value >> 32 & 7));
	case 3:
		return result(ftruncate(fd, value));
	case 4:
		return result(fstat(fd, &stat_buffer));
	case 5:
		return result(poll(&poll_file, 1, 0));
	case 6:
		return result(fallocate(fd, value & 0x7f, value >> 8, 4096));
	case 7:
		return result(fsync(fd));
	case 8:
		return result(flock(fd, (value & 15) | LOCK_NB));
	case 9:
		return result(fcntl(fd, F_SETFL, value & ~O_ASYNC));
	case 10:
		return result(fgetxattr(fd, "user.a", buffer, 64));
	case 11:
		return result(fsetxattr(fd, "user.a", buffer, 64, 0));
	case 12:
		return result(futimens(fd, NULL));
	case 13:
		return result(sendfile(fd, run.null, NULL, 64));
	case 14:
		return result(sendfile(run.null, fd, NULL, 64));
	case 15:
		return result(posix_fadvise(fd, 0, 0, value % 8));
	case 16:
		return result(ioctl(fd, FIONREAD, &number));
	case 17:
		return result(fcntl(fd, F_ADD_SEALS, value & 31));
	case 18:
		return result(fstatfs(fd, &statfs_buffer));
	case 19:
		return result(fchdir(fd));
	case 20:
		return result(pread(fd, buffer, 64, value));
	default:
		/* Closing it ends the watch. */
		file = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
		snprintf(buffer, sizeof(buffer), "/proc/self/fd/%d", fd);
		number = inotify_add_watch(file, buffer, IN_ALL_EVENTS);
		drop(file);
		return result(number);
	}
}

/* Any command. What it does to a filter is not known then. */
static int raw_step(const struct step *step, unsigned int thread,
		    struct slot slot)
{
	unsigned int command = step->field[F_COMMAND];
	uint8_t *bytes;
	struct spot spot;
	unsigned int i;

	spot = memory_place(thread, AREA_ARG, step->field[F_ARG], 256);
	bytes = step->field[F_ARG] % 256 == PLACE_SHARED ? spot.bytes : NULL;
	for (i = 0; bytes && i < 256; i++)
		bytes[i] = step->field[F_VALUE] >> i % 64;
	if (slot.model)
		slot.model->vague = true;
	if (command == GLOOM_IOC_CREATE || command == GLOOM_IOC_UNLINK)
		run.vague = true;
	/* Some commands are for all files, and some of those may block. */
	if ((command >> 8 & 0xff) != GLOOM_IOC_MAGIC)
		command = (command & ~0xff00U) | GLOOM_IOC_MAGIC << 8;
	return result(ioctl(slot.fd, command, (uintptr_t)spot.user));
}

int file_step(const struct step *step, unsigned int thread)
{
	struct slot slot;

	switch (step->action) {
	case ACT_CLOSE:
		file_close(step);
		return 0;
	case ACT_DUP:
		return dup_step(step);
	case ACT_REOPEN:
		return reopen_step(step);
	}
	slot = file_get(step);
	switch (step->action) {
	case ACT_CHMOD:
		/* The device stays as it is, and so does /dev/null. */
		if (!slot.model)
			return 0;
		return result(fchmod(slot.fd, step->field[F_MODE]));
	case ACT_CHOWN:
		if (!slot.model)
			return 0;
		return result(fchown(slot.fd, (int)step->field[F_VALUE] % 3 - 1,
				     (int)(step->field[F_VALUE] >> 8) % 3 - 1));
	case ACT_MMAP:
		return mmap_step(step, slot.fd);
	case ACT_RAW:
		return raw_step(step, thread, slot);
	default:
		if (!slot.model)
			return 0;
		return other_step(step, slot.fd);
	}
}
