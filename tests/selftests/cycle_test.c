// SPDX-License-Identifier: GPL-2.0
/*
 * cycle_test [N]: load the module, use it, unload it, N times; nothing is left
 * of that in the kernel. Without N what takes about a minute under emulation.
 */

#include "gloom_test.h"
#include "kernel_memory.h"
#include "module.h"

enum { WARM_UP = 20, DEFAULT_CYCLES = 400 };

/* Whether all went as it should; if not says what did not. */
static bool cycle(int ko)
{
	char name[GLOOM_NAME_SIZE];
	const char *step = "load";
	int dev, named, anonymous, ret;

	ret = load_module(ko);
	if (ret)
		goto out;
	step = "open";
	unique_name(name, "cycle");
	dev = open_device();
	named = create_named(dev, name, 0600);
	anonymous = create_filter(dev, GLOOM_HASH_XXH64, 1000, 7);
	if (add(named, "key", 3) != 1 || add(anonymous, "key", 3) != 1)
		ret = -EIO;
	step = "unlink";
	ret = ret ?: unlink_name(dev, name);
	close(named);
	close(anonymous);
	close(dev);
	if (ret)
		goto out;
	step = "unload";
	ret = unload_soon();
out:
	if (ret)
		ksft_print_msg("%s: %s\n", step, strerror(-ret));
	return !ret;
}

static bool slab_cache_left(void)
{
	FILE *file = fopen("/proc/slabinfo", "re");
	char line[512];
	bool left = false;

	while (file && fgets(line, sizeof(line), file))
		left |= !strncmp(line, "gloom", 5);
	if (file)
		fclose(file);
	return left;
}

int main(int argc, char **argv)
{
	int cycles = argc > 1 ? atoi(argv[1]) : DEFAULT_CYCLES;
	struct kernel_memory before;
	int ko = open_module();
	int i, done;

	begin();
	ksft_print_header();
	if (ko < 0)
		ksft_exit_skip("no gloom.ko, and no GLOOM_KO that says where\n");
	ksft_set_plan(4);
	if (unload_soon())
		ksft_exit_fail_msg("the module is in use\n");

	for (i = 0; i < WARM_UP && cycle(ko); i++)
		;
	before = kernel_memory();
	for (done = 0; i == WARM_UP && done < cycles && cycle(ko); done++)
		;
	ksft_test_result(done == cycles, "%d cycles\n", cycles);
	/* A page in 200 cycles would be seen, or 80 bytes in 10,000. */
	ksft_test_result(kernel_memory_is(&before, 800),
			 "kernel memory as before\n");
	ksft_test_result(!slab_cache_left(), "no slab cache left\n");
	ksft_test_result(access("/dev/gloom", F_OK) &&
			 access("/sys/module/gloom", F_OK) &&
			 access("/sys/class/misc/gloom", F_OK),
			 "no device left\n");
	load_module(ko);
	ksft_finished();
}
