// SPDX-License-Identifier: GPL-2.0
/* The supervisor: starts workers, kills them, and says how it went. */

#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "files.h"
#include "kernel_memory.h"
#include "soak.h"

/* Lines about what is wrong: the first are enough. */
#define LINES		20

/* What the kernel may have taken for itself, in KiB. */
#define SLACK		2048

enum role {
	ROLE_WORKER,
	ROLE_CGROUP = WORKERS,
	ROLE_CPU,
	ROLE_MODULE,
	NR_ROLES
};

struct child {
	pid_t pid;
	bool wanted;
	bool killed;
	unsigned int incarnation;
};

struct shared *shared;

static struct child children[NR_ROLES];
static int mailbox[2];

void wrong(enum wrong what, const char *format, ...)
{
	char line[300] = "# ";
	va_list args;

	if (__atomic_fetch_add(&shared->wrongs[what], 1, __ATOMIC_SEQ_CST) >=
	    LINES)
		return;
	va_start(args, format);
	vsnprintf(line + 2, sizeof(line) - 3, format, args);
	va_end(args);
	strcat(line, "\n");
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		_exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* ---- Children -------------------------------------------------------- */

static int run_child(int role)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Few against many: else they hardly get to do anything. */
	if (role >= WORKERS)
		setpriority(PRIO_PROCESS, 0, -10);
	switch (role) {
	case ROLE_CGROUP:
		return trouble_cgroup();
	case ROLE_CPU:
		return trouble_cpu();
	case ROLE_MODULE:
		return trouble_module();
	default:
		return work(role, children[role].incarnation, mailbox);
	}
}

static void start(int role)
{
	struct child *child = &children[role];

	child->killed = false;
	child->incarnation++;
	child->pid = fork();
	if (!child->pid)
		_exit(run_child(role));
	if (child->pid < 0) {
		wrong(WRONG_DEATH, "fork: %s", strerror(errno));
		child->pid = 0;
	}
}

/* Take note of who has died, and start another unless it is over. */
static void reap(void)
{
	int role, i, status;

	for (role = 0; role < NR_ROLES; role++) {
		struct child *child = &children[role];
		bool over = load(&shared->stop);

		if (!child->pid || waitpid(child->pid, &status, WNOHANG) <= 0)
			continue;
		child->pid = 0;
		if (child->killed ? status != SIGKILL : !over || status)
			wrong(WRONG_DEATH, "child %d ended with status %x",
			      role, status);
		if (role < WORKERS)
			for (i = 0; i < THREADS; i++)
				lasting_dead(&shared->slots[role * THREADS +
							    i]);
		if (!over)
			start(role);
	}
}

static void kill_one(struct me *me)
{
	/* Not those that could leave a CPU off. */
	struct child *child = &children[chance(me, ROLE_CGROUP + 1)];

	if (!child->pid || child->killed)
		return;
	child->killed = true;
	kill(child->pid, SIGKILL);
	count(me, COUNT_kills, 1);
}

static bool any_left(void)
{
	int role;

	for (role = 0; role < NR_ROLES; role++)
		if (children[role].pid)
			return true;
	return false;
}

/* Until the time is over, and all children are gone. */
static void supervise(struct me *me, double end)
{
	double next_kill = now() + 0.5;
	int role;

	for (role = 0; role < NR_ROLES; role++)
		if (children[role].wanted)
			start(role);
	while (now() < end) {
		lasting_turn(me);
		reap();
		if (now() > next_kill) {
			kill_one(me);
			next_kill = now() + 0.02 + chance(me, 1000) * 0.0004;
		}
		usleep(2000);
	}
	store(&shared->stop, 1);
	for (end = now() + 60; any_left() && now() < end; usleep(2000))
		reap();
	for (role = 0; role < NR_ROLES; role++) {
		if (!children[role].pid)
			continue;
		wrong(WRONG_DEATH, "child %d does not end", role);
		kill(children[role].pid, SIGKILL);
		waitpid(children[role].pid, NULL, 0);
	}
}

/* ---- What is left ---------------------------------------------------- */

static bool usage_is(int dev, const struct gloom_query *before)
{
	struct gloom_query q;
	int i;

	for (i = 0; i < 300; i++) {
		if (!query(dev, &q) && q.nr_filters == before->nr_filters &&
		    q.total_bytes == before->total_bytes)
			return true;
		usleep(10000);
	}
	printf("# %u filters, %llu bytes are left\n", q.nr_filters,
	       (unsigned long long)q.total_bytes);
	return false;
}

struct memory {
	long inodes, areas, users, percpu, vmalloc;
};

static struct memory memory(void)
{
	return (struct memory){
		.inodes = filter_objects(),
		.areas = vmalloc_areas(),
		.users = module_users(),
		.percpu = meminfo("Percpu:"),
		.vmalloc = meminfo("VmallocUsed:"),
	};
}

/* Inodes wait for a grace period, in debug kernels for long. */
static bool memory_is(const struct memory *before)
{
	struct memory m;
	int i;

	for (i = 0; i < 120; i++) {
		m = memory();
		if (m.inodes <= before->inodes && m.areas <= before->areas &&
		    m.users <= before->users &&
		    m.percpu <= before->percpu + SLACK &&
		    m.vmalloc <= before->vmalloc + SLACK)
			return true;
		usleep(500000);
	}
	printf("# inodes %ld -> %ld, areas %ld -> %ld, users %ld -> %ld, percpu %ld -> %ld KiB, vmalloc %ld -> %ld KiB\n",
	       before->inodes, m.inodes, before->areas, m.areas, before->users,
	       m.users, before->percpu, m.percpu, before->vmalloc, m.vmalloc);
	return false;
}

/* ---- Results --------------------------------------------------------- */

static int number;
static bool failed;

static void result(bool ok, const char *what)
{
	printf("%sok %d %s\n", ok ? "" : "not ", ++number, what);
	failed = failed || !ok;
}

static void result_or_skip(bool able, bool ok, const char *what,
			   const char *why)
{
	if (able)
		result(ok, what);
	else
		printf("ok %d %s # SKIP %s\n", ++number, what, why);
}

static const char *const count_names[] = {
#define X(name) #name,
	SOAK_COUNTS(X)
	SOAK_TROUBLES(X)
#undef X
};

/* Print all counts; whether everything happened that has to. */
static bool all_happened(__u64 counts[NR_COUNTS])
{
	bool all = true;
	int i, j;

	for (i = 0; i < NR_COUNTS; i++) {
		counts[i] = shared->troubles.counts[i];
		for (j = 0; j < SLOTS; j++)
			counts[i] += shared->slots[j].counts[i];
		printf("# %s: %llu\n", count_names[i],
		       (unsigned long long)counts[i]);
		if (i < COUNT_cgroup_create && !counts[i])
			all = false;
	}
	return all;
}

static void report(const struct troubles *able, bool usage_back,
		   bool memory_back, bool nobody_killed)
{
	__u64 n[NR_COUNTS];
	bool all = all_happened(n);

	result(!shared->wrongs[WRONG_LOST], "no_key_lost");
	result(!shared->wrongs[WRONG_WINNER], "one_winner");
	result(!shared->wrongs[WRONG_RESULT], "results_right");
	result(!shared->wrongs[WRONG_DEATH], "workers_alive");
	result(all, "everything_happened");
	result_or_skip(able->cgroup, n[COUNT_cgroup_create] &&
		       n[COUNT_cgroup_refused] && nobody_killed,
		       "cgroup_too_small", "no memory controller at /sys/fs/cgroup");
	result_or_skip(able->cpu, n[COUNT_cpu_off] && n[COUNT_cpu_on],
		       "cpu_hotplug", "no CPU to take offline");
	result_or_skip(able->module, n[COUNT_unload_refused] &&
		       n[COUNT_load_refused], "unload_refused",
		       "no /gloom.ko, and no GLOOM_KO that says where");
	result(usage_back, "filters_gone");
	result(memory_back, "memory_back");
}

/* ---- Begin and end --------------------------------------------------- */

static void skip(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(4);
}

static int usage(void)
{
	fprintf(stderr, "usage: soak [--seconds N] [--seed N]\n");
	return 2;
}

/* Have allocated what is allocated once and kept. */
static void warm_up(int dev)
{
	struct gloom_create c = {
		.nr_blocks = 1,
		.k = 1,
		.hash = GLOOM_HASH_XXH64,
	};
	int fds[500], i;

	for (i = 0; i < (int)ARRAY_SIZE(fds); i++)
		fds[i] = create(dev, &c);
	for (i = 0; i < (int)ARRAY_SIZE(fds); i++)
		close(fds[i]);
}

int main(int argc, char **argv)
{
	static struct me me;
	struct gloom_query before;
	struct memory memory_before;
	struct troubles able;
	bool usage_back, nobody_killed;
	__u64 seed = 1;
	long seconds = 300;
	int i, dev;

	setlinebuf(stdout);
	for (i = 1; i + 1 < argc; i += 2) {
		if (!strcmp(argv[i], "--seconds"))
			seconds = atol(argv[i + 1]);
		else if (!strcmp(argv[i], "--seed"))
			seed = strtoull(argv[i + 1], NULL, 0);
		else
			return usage();
	}
	if (i < argc || seconds < 1)
		return usage();

	printf("TAP version 13\n");
	dev = open("/dev/gloom", O_RDWR | O_CLOEXEC);
	if (geteuid() || dev < 0)
		skip("no root, or no /dev/gloom: is the module loaded?");
	printf("1..10\n# seed %llu, %ld seconds\n", (unsigned long long)seed,
	       seconds);

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED ||
	    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, mailbox)) {
		perror("soak");
		return 1;
	}
	shared->seed = seed;
	warm_up(dev);
	if (query(dev, &before))
		return 1;
	memory_before = memory();
	able = troubles_find();
	for (i = 0; i < NR_ROLES; i++)
		children[i].wanted = i < WORKERS ||
				     (i == ROLE_CGROUP && able.cgroup) ||
				     (i == ROLE_CPU && able.cpu) ||
				     (i == ROLE_MODULE && able.module);

	me_init(&me, &shared->troubles, ~0ULL, mailbox);
	lasting_turn(&me);
	supervise(&me, now() + seconds);
	nobody_killed = troubles_end(&able);
	lasting_end(&me);
	guest_end(&me);
	close(mailbox[0]);
	close(mailbox[1]);
	usage_back = usage_is(dev, &before);
	report(&able, usage_back, memory_is(&memory_before), nobody_killed);
	return failed;
}
