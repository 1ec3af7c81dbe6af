// SPDX-License-Identifier: GPL-2.0
/* Commands of the device against what is known of names. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>

#include "run.h"

static unsigned int name_number(const struct step *step)
{
	return step->field[F_NAME] % NR_NAMES;
}

static bool name_valid(unsigned int number)
{
	return number && number < NR_VALID_NAMES;
}

/* Is the outcome of this call known beforehand? */
static bool certain(const struct call *call)
{
	return run.solo && !run.vague && !call->unknown &&
	       call->step->field[F_FILE] % NR_FILES == FILE_DEVICE;
}

/* A call with one outcome, or with one of several errors. */
static void expect(const struct call *call, bool success, const char *what)
{
	if (!certain(call))
		return;
	if (success && call->good)
		ORACLE(!call->rc, "%s: %d, but nothing is wrong", what,
		       call->rc);
	else
		ORACLE(call->rc, "%s: success, but something is wrong", what);
}

static bool create_good(const struct gloom_create *args, unsigned int name)
{
	return !(args->flags & ~GLOOM_CREATE_FLAGS) && args->nr_blocks &&
	       args->nr_blocks <= GLOOM_BLOCKS_MAX && args->k &&
	       args->k <= GLOOM_K_MAX && args->hash >= GLOOM_HASH_XXH64 &&
	       args->hash <= GLOOM_HASH_PREHASHED &&
	       args->layout == GLOOM_LAYOUT_1 && !(args->mode & ~0666) &&
	       !(args->flags & GLOOM_CREATE_RANDOM_SEED && args->seed) &&
	       (args->flags & GLOOM_CREATE_NODE || !args->node) &&
	       (!name || name_valid(name));
}

/* The model of a new filter, from what was asked and what is said of it. */
static struct model *learn(struct gloom_create *args)
{
	struct gloom_info info = { .size = sizeof(info) };
	struct model *model;

	if (ioctl(args->fd, GLOOM_IOC_INFO, &info)) {
		oracle("a new filter says nothing of itself: %d", errno);
		return NULL;
	}
	ORACLE(args->flags & GLOOM_CREATE_RANDOM_SEED ||
	       info.seed == args->seed, "a new filter has another seed");
	ORACLE(info.nr_blocks == args->nr_blocks && info.k == args->k &&
	       info.hash == args->hash, "a new filter is not what was asked");
	args->seed = info.seed;
	pthread_mutex_lock(&run.lock);
	model = model_new(args, info.id);
	pthread_mutex_unlock(&run.lock);
	if (!model)
		run.vague = true;
	return model;
}

static int create_step(const struct step *step, unsigned int thread, int fd)
{
	const uint64_t *field = step->field;
	struct call call = { .step = step, .thread = thread };
	unsigned int name = name_number(step);
	struct gloom_create args = {
		.flags = field[F_FLAGS],
		.nr_blocks = field[F_BLOCKS],
		.k = field[F_K],
		.hash = field[F_HASH],
		.layout = field[F_LAYOUT],
		.mode = field[F_MODE],
		.seed = field[F_SEED],
		.capacity = field[F_CAPACITY],
		.fpr = field[F_CAPACITY] * 3,
		.node = field[F_NODE],
	};
	bool good, free_name;
	struct slot slot;

	if (args.flags & GLOOM_CREATE_RANDOM_SEED && field[F_SEED] % 4)
		args.seed = 0;
	name_bytes(args.name, name);
	good = create_good(&args, name);
	free_name = !name_valid(name) || !run.named[name];
	call_make(&call, fd, GLOOM_IOC_CREATE, &args, sizeof(args), true);
	if (certain(&call) && good && call.good) {
		if (!free_name)
			ORACLE(call.rc == -EEXIST, "create of a taken name: %d",
			       call.rc);
		else
			/* Limits, and nodes that the machine has not. */
			ORACLE(!call.rc || call.rc == -ENOSPC ||
			       call.rc == -ENOMEM ||
			       args.flags & GLOOM_CREATE_NODE,
			       "create: %d, but nothing is wrong", call.rc);
	} else {
		expect(&call, good && free_name, "create");
	}
	if (call.rc)
		return call.rc;
	if (call.unknown) {
		run.vague = true;
		return 0;
	}
	slot = (struct slot){ args.fd, learn(&args), true, true };
	if (run.solo && name_valid(name))
		run.named[name] = slot.model;
	file_put(step, slot);
	return 0;
}

/* Which filter that is; who created it may be about to tell us. */
static struct model *recognise(int fd)
{
	struct gloom_info info = { .size = sizeof(info) };
	struct model *model = NULL;
	unsigned int tries;

	if (ioctl(fd, GLOOM_IOC_INFO, &info))
		return NULL;
	for (tries = 0; !model && tries < 1000; tries++) {
		pthread_mutex_lock(&run.lock);
		model = model_find(info.id);
		pthread_mutex_unlock(&run.lock);
		if (run.solo)
			break;
		if (!model)
			sched_yield();
	}
	if (!model)
		run.vague = true;
	return model;
}

static int open_step(const struct step *step, unsigned int thread, int fd)
{
	struct call call = { .step = step, .thread = thread };
	unsigned int name = name_number(step);
	struct gloom_open args = {
		.flags = step->field[F_FLAGS],
		.reserved = step->field[F_RESERVED],
	};
	struct slot slot;
	bool good;

	name_bytes(args.name, name);
	good = args.flags && !(args.flags & ~GLOOM_OPEN_FLAGS) &&
	       !args.reserved && name_valid(name) && run.named[name];
	call_make(&call, fd, GLOOM_IOC_OPEN, &args, sizeof(args), true);
	if (call.rc != -EACCES)
		expect(&call, good, "open");
	if (call.rc)
		return call.rc;
	if (call.unknown) {
		run.vague = true;
		return 0;
	}
	slot = (struct slot){
		args.fd, recognise(args.fd), args.flags & GLOOM_OPEN_READ,
		args.flags & GLOOM_OPEN_WRITE,
	};
	if (certain(&call))
		ORACLE(slot.model == run.named[name],
		       "open of a name gives another filter");
	file_put(step, slot);
	return 0;
}

static int unlink_step(const struct step *step, unsigned int thread, int fd)
{
	struct call call = { .step = step, .thread = thread };
	unsigned int name = name_number(step);
	struct gloom_unlink args = { .flags = step->field[F_FLAGS] };

	name_bytes(args.name, name);
	call_make(&call, fd, GLOOM_IOC_UNLINK, &args, sizeof(args), false);
	if (call.rc != -EACCES)
		expect(&call, !args.flags && name_valid(name) &&
		       run.named[name], "unlink");
	if (!call.rc && call.unknown)
		run.vague = true;
	else if (!call.rc && run.solo)
		run.named[name % NR_VALID_NAMES] = NULL;
	return call.rc;
}

static int next_step(const struct step *step, unsigned int thread, int fd)
{
	struct call call = { .step = step, .thread = thread };
	unsigned int name = name_number(step), i;
	struct gloom_next args = {
		.flags = step->field[F_FLAGS],
		.reserved = step->field[F_RESERVED],
	};
	bool good = !args.flags && !args.reserved &&
		    (!name || name_valid(name));
	char from[64], known[64];

	name_bytes(from, name);
	memcpy(args.name, from, sizeof(from));
	call_make(&call, fd, GLOOM_IOC_NEXT, &args, sizeof(args), true);
	if (call.unknown)
		return call.rc;
	if (!good)
		expect(&call, false, "next");
	if (!call.rc)
		ORACLE(strncmp(args.name, from, 64) > 0 && !args.name[63],
		       "next returns a name that comes before");
	for (i = 1; i < NR_VALID_NAMES && good && certain(&call); i++) {
		name_bytes(known, i);
		if (!run.named[i] || strncmp(known, from, 64) <= 0)
			continue;
		expect(&call, true, "next");
		ORACLE(call.rc || strncmp(args.name, known, 64) <= 0,
		       "next leaves out %s", known);
	}
	return call.rc;
}

static int query_step(const struct step *step, unsigned int thread, int fd)
{
	struct call call = { .step = step, .thread = thread };
	struct gloom_query args = { .flags = step->field[F_FLAGS] };
	bool good = !args.flags;

	call_make(&call, fd, GLOOM_IOC_QUERY, &args, sizeof(args), true);
	expect(&call, good, "query");
	if (!call.rc && !call.unknown)
		ORACLE(args.abi >= GLOOM_ABI && args.key_max == GLOOM_KEY_MAX,
		       "query says ABI %u", args.abi);
	return call.rc;
}

int device_step(const struct step *step, unsigned int thread)
{
	int fd = file_get(step).fd;

	switch (step->action) {
	case ACT_CREATE:
		return create_step(step, thread, fd);
	case ACT_OPEN:
		return open_step(step, thread, fd);
	case ACT_UNLINK:
		return unlink_step(step, thread, fd);
	case ACT_NEXT:
		return next_step(step, thread, fd);
	default:
		return query_step(step, thread, fd);
	}
}
