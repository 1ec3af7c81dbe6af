// SPDX-License-Identifier: GPL-2.0
/*
 * The command as a whole: any command line, any stdin, any file, with a kernel
 * that has the module (a fake one) or has not. It must end, with a status that
 * is documented, and take no more memory than libFuzzer allows.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../unit/fake_kernel.h"
#include "command.h"
#include "fuzz.h"

#define MAX_WORDS	24
#define MAX_CONTENT	(300 * 1024)

/* Bytes that stand for words; others begin a word of their own. */
static const char * const vocabulary[] = {
	"plan", "create", "add", "test", "info", "list", "rm", "match",
	"version", "help", "--help", "--version", "-h", "-V", "--", "-",
	"-n", "-p", "-m", "-f", "-v", "-c", "-q", "-u", "-l", "-0",
	"--headroom", "--max-k", "--blocks", "--k", "--hash", "--seed",
	"--mode", "--node", "--json", "--len32", "--maybe", "--no", "--bits",
	"--keys", "--fpr=1e-9", "xxh3", "xxh64", "prehashed", "name", "keys",
	"1", "16", "17", "64", "1000", "1e6", "1%", "0.5", "20%", "64MiB",
	"0x7b", "0640", "18446744073709551615", "",
};

#define NR_VOCABULARY	(sizeof(vocabulary) / sizeof(*vocabulary))

static char content[MAX_CONTENT];
static size_t content_size;

static int content_open(size_t from)
{
	int fd = memfd_create("content", MFD_CLOEXEC);

	FUZZ_CHECK(fd >= 0);
	FUZZ_EQ(write(fd, content + from, content_size - from),
		content_size - from);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* There are no files but those that the input makes. */
int fuzz_open(const char *path, int flags, ...)
{
	if (!strcmp(path, "/"))
		return open(path, flags);
	if (strstr(path, "name")) {
		errno = ENOENT;
		return -1;
	}
	return content_open(content_size / 2);
}

/* The words, each in memory of its own size. */
static int take_words(struct bytes *input, char **words)
{
	int nr = 0;

	words[nr++] = strdup("gloom");
	while (nr < MAX_WORDS && input->at < input->end) {
		uint8_t byte = take(input, 1);
		const uint8_t *at = input->at, *end;

		if (byte == 0xff)
			break;
		if (byte < NR_VOCABULARY) {
			words[nr++] = strdup(vocabulary[byte]);
			continue;
		}
		end = memchr(at, 0, input->end - at);
		if (!end)
			end = input->end;
		words[nr++] = strndup((const char *)at, end - at);
		input->at = end < input->end ? end + 1 : end;
	}
	words[nr] = NULL;
	return nr;
}

/* As if no arguments had been read yet. */
static void forget_arguments(void)
{
	static const struct option none[] = { {} };
	char *name = strdup("gloom");

	optind = 0;
	getopt_long(1, &name, "", none, NULL);
	free(name);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	fake_reset();
	stdout = fopen("/dev/null", "w");
	stderr = fopen("/dev/null", "w");
	return !stdout || !stderr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char * const names[] = { "a", "keys", "name", NULL };
	static const int open_errors[] = { ENOENT, EACCES, 0, 0 };
	struct bytes input = { data, data + size };
	uint8_t kind = take(&input, 1);
	char *words[MAX_WORDS + 1];
	int code, fd, i, nr;

	fake_reset();
	fake.open_error = open_errors[kind & 3];
	fake.errors[take(&input, 1) % FAKE_COMMANDS] = kind & 4 ? EINTR : 0;
	fake.keys_per_call = kind & 8 ? 8 : 0;
	fake.names = names;
	fake.created = (struct gloom_create){
		.nr_blocks = 1 + kind / 16,
		.k = 5,
		.hash = 1 + kind % 3,
		.layout = 1,
		.name = "name",
	};
	nr = take_words(&input, words);
	content_size = take_expanded(&input, content, sizeof(content));
	fd = content_open(0);
	dup2(fd, STDIN_FILENO);

	forget_arguments();
	code = gloom_main(nr, words);
	FUZZ_CHECK(code >= 0 && code <= 3);

	/* As at the end of a process: the command's files have come last. */
	syscall(SYS_close_range, fd, ~0U, 0);
	for (i = 0; i < nr; i++)
		free(words[i]);
	return 0;
}
