// SPDX-License-Identifier: GPL-2.0
/*
 * Filters that come and go, of any size and kind: anonymous ones, whose files
 * go from process to process, and named ones, which anybody finds and removes.
 *
 * A guest's capacity is its number. Its keys come in groups; a table in shared
 * memory says which groups have been added, by whomever, and so are there.
 */

#include <sys/socket.h>
#include <sys/stat.h>

#include "soak.h"

#define GROUPS		32
#define GROUP_KEYS	16

/* The table: in the upper half whose entry it is, since entries come again. */
static __u64 *entry_of(__u32 number)
{
	return &shared->guests[number % GUESTS];
}

static struct source source_of(const struct gloom_info *info)
{
	return (struct source){
		.base = mixed(info->capacity) + shared->seed,
		.hash = info->hash,
		.variable = info->capacity % 4 == 0 &&
			    info->hash == GLOOM_HASH_XXH64,
	};
}

static void add_group(struct me *me, int fd, const struct gloom_info *info,
		      __u32 group)
{
	struct source from = source_of(info);
	__u64 *entry = entry_of(info->capacity);
	__u64 old, new;

	if (!do_keys(me, fd, &from, GLOOM_OP_ADD, group * GROUP_KEYS,
		     GROUP_KEYS, false))
		return;
	count(me, COUNT_keys_added, GROUP_KEYS);
	old = load(entry);
	do {
		if (old >> 32 != info->capacity)
			return;
		new = old | 1U << group;
	} while (!__atomic_compare_exchange_n(entry, &old, new, false,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
}

static void check_groups(struct me *me, int fd, const struct gloom_info *info)
{
	struct source from = source_of(info);
	__u64 entry = load(entry_of(info->capacity));
	__u32 group, i;

	if (entry >> 32 != info->capacity)
		return;
	for (group = 0; group < GROUPS; group++) {
		if (!(entry >> group & 1))
			continue;
		if (!do_keys(me, fd, &from, GLOOM_OP_TEST, group * GROUP_KEYS,
			     GROUP_KEYS, false))
			return;
		count(me, COUNT_keys_checked, GROUP_KEYS);
		for (i = 0; i < GROUP_KEYS; i++)
			if (!me->answers[i])
				wrong(WRONG_LOST, "guest %llu: key %u of group %u was added and is not there",
				      info->capacity, i, group);
	}
}

static void change_mode(struct me *me, int fd)
{
	static const mode_t modes[] = { 0600, 0640, 0660, 0666 };
	struct stat st;

	if (fchmod(fd, modes[chance(me, ARRAY_SIZE(modes))]) ||
	    fstat(fd, &st) || (st.st_mode & ~0066) != (S_IFREG | 0600))
		wrong(WRONG_RESULT, "fchmod: %s", strerror(errno));
	count(me, COUNT_chmod, 1);
}

/* What anybody does with any guest whose file has come to hand. */
static void use(struct me *me, int fd)
{
	struct gloom_info info;
	int ret = get_info(fd, 0, &info);

	if (ret || !info.capacity || info.fpr != ~info.capacity) {
		wrong(WRONG_RESULT, "info of a guest: %d, number %llu", ret,
		      info.capacity);
		return;
	}
	count(me, COUNT_info, 1);
	check_groups(me, fd, &info);
	add_group(me, fd, &info, chance(me, GROUPS));
	if (!chance(me, 4))
		change_mode(me, fd);
}

/* Give the file to whoever asks next, or drop it. */
static void send_away(struct me *me, int fd)
{
	char data = 0, control[CMSG_SPACE(sizeof(fd))] = "";
	struct iovec iov = { &data, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(me->mailbox[0], &msg, MSG_DONTWAIT) == 1)
		count(me, COUNT_fd_sent, 1);
	else if (errno != EAGAIN && errno != ETOOMANYREFS)
		wrong(WRONG_RESULT, "sendmsg: %s", strerror(errno));
	close(fd);
}

/* A file that somebody sent, or -1. */
static int receive(struct me *me)
{
	char data, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &data, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	int fd = -1;

	if (recvmsg(me->mailbox[1], &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
		return -1;
	if (CMSG_FIRSTHDR(&msg))
		memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	if (fd < 0)
		wrong(WRONG_RESULT, "a message without a file");
	count(me, COUNT_fd_received, 1);
	return fd;
}

/* Keep it for a while, instead of another. */
static void hold(struct me *me, int fd)
{
	__u32 i = chance(me, HELD);

	if (me->held[i] >= 0)
		send_away(me, me->held[i]);
	me->held[i] = fd;
}

/* The next number, for a guest without keys. */
static void number(struct gloom_create *c)
{
	__u32 n = __atomic_add_fetch(&shared->next_guest, 1, __ATOMIC_RELAXED);

	c->capacity = n;
	c->fpr = ~c->capacity;
	store(entry_of(n), c->capacity << 32);
}

void guest_make(struct me *me)
{
	struct gloom_create c = {
		.nr_blocks = 1 + chance(me, chance(me, 8) ? 64 : 20000),
		.k = 1 + chance(me, GLOOM_K_MAX),
		.hash = 1 + chance(me, 3),
		.mode = 0600,
	};
	bool named = chance(me, 2);
	int fd, again;

	if (chance(me, 2))
		c.flags = GLOOM_CREATE_RANDOM_SEED;
	else
		c.seed = mixed(me->random);
	if (!chance(me, 8))
		c.flags |= GLOOM_CREATE_NODE;
	number(&c);
	if (named)
		snprintf(c.name, sizeof(c.name), PREFIX "guest.%llu",
			 c.capacity);
	fd = create(me->dev, &c);
	if (fd < 0) {
		wrong(WRONG_RESULT, "create of %llu blocks: %d", c.nr_blocks,
		      fd);
		return;
	}
	count(me, named ? COUNT_create_named : COUNT_create_anonymous, 1);
	use(me, fd);
	if (named && !chance(me, 4)) {
		/* The name is taken now, unless somebody removed it. */
		number(&c);
		again = create(me->dev, &c);
		if (again == -EEXIST)
			count(me, COUNT_create_taken, 1);
		else if (again >= 0)
			close(again);
		else
			wrong(WRONG_RESULT, "create of a taken name: %d",
			      again);
	}
	hold(me, fd);
}

void guest_meet(struct me *me)
{
	int fd = receive(me);

	if (fd < 0)
		return;
	use(me, fd);
	if (chance(me, 3))
		hold(me, fd);
	else
		close(fd);
}

/* Any of the names, or -1; those of filters that stay are left alone. */
static int open_any(struct me *me, char name[GLOOM_NAME_SIZE])
{
	struct gloom_next n = { };
	int i, ret, fd;

	snprintf(n.name, sizeof(n.name), PREFIX "guest.%u", chance(me, 10));
	for (i = chance(me, 8); i >= 0; i--) {
		ret = next_name(me->dev, &n);
		if (ret == -ENOENT)
			return -1;
		if (ret) {
			wrong(WRONG_RESULT, "next name: %d", ret);
			return -1;
		}
		count(me, COUNT_list, 1);
	}
	if (strncmp(n.name, PREFIX "guest.", strlen(PREFIX "guest.")))
		return -1;
	fd = open_named(me->dev, n.name, GLOOM_OPEN_READ | GLOOM_OPEN_WRITE);
	if (fd == -ENOENT) {
		count(me, COUNT_open_absent, 1);
		return -1;
	}
	if (fd < 0)
		wrong(WRONG_RESULT, "open of %s: %d", n.name, fd);
	count(me, COUNT_open, 1);
	memcpy(name, n.name, sizeof(n.name));
	return fd;
}

/* Those that nobody looks after are removed by whoever finds them. */
void guest_browse(struct me *me)
{
	char name[GLOOM_NAME_SIZE];
	int fd = open_any(me, name), ret;

	if (fd < 0)
		return;
	use(me, fd);
	if (chance(me, 4)) {
		ret = unlink_name(me->dev, name);
		if (!ret)
			count(me, COUNT_unlink, 1);
		else if (ret != -ENOENT)
			wrong(WRONG_RESULT, "unlink of %s: %d", name, ret);
		/* It lives as long as this file does. */
		use(me, fd);
		ret = open_named(me->dev, name, GLOOM_OPEN_READ);
		if (ret == -ENOENT)
			count(me, COUNT_open_absent, 1);
		else
			wrong(WRONG_RESULT, "open of a removed name: %d", ret);
	}
	close(fd);
}

/* All workers have ended: remove what they left. */
void guest_end(struct me *me)
{
	struct gloom_next n = { };
	int fd;

	while ((fd = receive(me)) >= 0)
		close(fd);
	while (!next_name(me->dev, &n)) {
		if (strncmp(n.name, PREFIX "guest.", strlen(PREFIX "guest.")))
			continue;
		fd = open_named(me->dev, n.name,
				GLOOM_OPEN_READ | GLOOM_OPEN_WRITE);
		if (fd >= 0)
			use(me, fd);
		if (fd < 0 || unlink_name(me->dev, n.name))
			wrong(WRONG_RESULT, "cannot remove %s", n.name);
		close(fd);
	}
}
