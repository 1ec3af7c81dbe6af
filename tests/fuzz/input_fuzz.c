// SPDX-License-Identifier: GPL-2.0
/*
 * The command's key readers: whatever the sizes in which a stream comes, and
 * whatever comes between, the keys are those of the stream as a whole; printed
 * again they are the stream.
 */
#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "../../user/cli/input.h"
#include "command.h"
#include "fuzz.h"

#define MAX_STREAM	(700 * 1024)
#define MAX_WORDS	100

/* A descriptor that nothing has. */
#define STOP_FD		999

static char stream[MAX_STREAM + 1];
static size_t stream_size;

/* How it comes. */
static struct {
	size_t at;		/* what has come */
	size_t largest;		/* most bytes at once */
	uint64_t random;
	unsigned int reads;
	unsigned int bad_read;	/* that one fails, if not 0 */
	unsigned int stop_wait;	/* a signal comes with that one, if not 0 */
	unsigned int waits;
} feed;

static uint32_t feed_random(void)
{
	feed.random = feed.random * 6364136223846793005ULL +
		      1442695040888963407ULL;
	return feed.random >> 33;
}

ssize_t __wrap_read(int fd, void *to, size_t size)
{
	size_t nr = feed_random() % feed.largest + 1;

	if (fd == STOP_FD) {
		struct signalfd_siginfo info = { .ssi_signo = 15 };

		FUZZ_EQ(size, sizeof(info));
		memcpy(to, &info, sizeof(info));
		return sizeof(info);
	}
	FUZZ_EQ(fd, STDIN_FILENO);
	/* Without room it would look like the end. */
	FUZZ_CHECK(size);
	feed.reads++;
	if (feed.reads == feed.bad_read) {
		errno = EIO;
		return -1;
	}
	if (feed_random() % 16 == 0) {
		errno = feed.reads & 1 ? EINTR : EAGAIN;
		return -1;
	}
	if (nr > size)
		nr = size;
	if (nr > stream_size - feed.at)
		nr = stream_size - feed.at;
	memcpy(to, stream + feed.at, nr);
	feed.at += nr;
	return nr;
}

/* Only stdin is read here. */
int fuzz_open(const char *path, int flags, ...)
{
	(void)path;
	(void)flags;
	errno = ENOENT;
	return -1;
}

int __wrap_poll(struct pollfd *files, nfds_t nr, int timeout)
{
	FUZZ_EQ(nr, 2);
	files[0].revents = POLLIN;
	files[1].revents = 0;
	if (!timeout && feed_random() % 4 == 0)
		return 0;
	if (++feed.waits == feed.stop_wait) {
		FUZZ_EQ(files[1].fd, STOP_FD);
		files[1].revents = POLLIN;
	}
	return 1;
}

/* What the stream holds, taken from it as a whole. */
struct reader {
	enum input_format format;
	const char *at, *end;
};

enum next { NEXT_KEY, NEXT_END, NEXT_BAD };

static enum next reader_next(struct reader *reader, const char **key,
			     size_t *len)
{
	size_t left = reader->end - reader->at;
	size_t skip = 0;

	if (!left)
		return NEXT_END;
	*key = reader->at;
	if (reader->format == INPUT_LEN32) {
		uint32_t size;

		if (left < 4)
			return NEXT_BAD;
		memcpy(&size, reader->at, 4);
		if (size > GLOOM_KEY_MAX || size > left - 4)
			return NEXT_BAD;
		*key += 4;
		*len = size;
	} else {
		char mark = reader->format == INPUT_NULS ? 0 : '\n';

		for (*len = 0; *len < left && (*key)[*len] != mark; ++*len)
			;
		if (*len > GLOOM_KEY_MAX)
			return NEXT_BAD;
		skip = *len < left;
	}
	reader->at = *key + *len + skip;
	return NEXT_KEY;
}

/* The keys of a batch are the next of the stream. */
static void check_batch(struct reader *reader, const struct gloom_keys *keys)
{
	const char *is = keys->data, *shall;
	size_t len, i;

	FUZZ_CHECK(keys->nr <= INPUT_KEYS);
	FUZZ_CHECK(keys->lens && !keys->key_size);
	for (i = 0; i < keys->nr; i++) {
		FUZZ_EQ(reader_next(reader, &shall, &len), NEXT_KEY);
		FUZZ_EQ(keys->lens[i], len);
		FUZZ_CHECK(!memcmp(is, shall, len));
		input_print(reader->format, is, len);
		is += len;
	}
}

/* What was printed is what was read, with a mark behind the last key. */
static void check_printed(const struct reader *reader, const char *text,
			  size_t size)
{
	size_t taken = reader->at - stream;

	FUZZ_CHECK(size == taken || size == taken + 1);
	FUZZ_CHECK(!memcmp(text, stream, taken));
	if (size > taken) {
		FUZZ_CHECK(reader->format != INPUT_LEN32);
		FUZZ_EQ(text[taken],
			reader->format == INPUT_NULS ? 0 : '\n');
	}
}

static void read_stream(enum input_format format)
{
	struct reader reader = { format, stream, stream + stream_size };
	FILE *terminal = stdout;
	struct input *input;
	struct gloom_keys keys;
	const char *key;
	uint64_t nr = 0;
	size_t size, len;
	char *text;
	int got;

	stdout = open_memstream(&text, &size);
	FUZZ_CHECK(stdout);
	input = input_open(NULL, format);
	FUZZ_CHECK(input);
	input->stop_fd = feed.stop_wait ? STOP_FD : -1;
	while ((got = input_next(input, &keys)) > 0) {
		FUZZ_EQ(got, keys.nr);
		check_batch(&reader, &keys);
		nr += got;
		FUZZ_EQ(input->keys, nr);
		FUZZ_EQ(input->taken, feed.at);
	}
	if (input->signal) {
		FUZZ_EQ(got, 0);
		FUZZ_EQ(feed.waits, feed.stop_wait);
	} else if (!feed.bad_read || feed.reads < feed.bad_read) {
		FUZZ_EQ(reader_next(&reader, &key, &len),
			got ? NEXT_BAD : NEXT_END);
	} else {
		FUZZ_EQ(got, -1);
	}
	input_close(input);
	fclose(stdout);
	stdout = terminal;
	check_printed(&reader, text, size);
	free(text);
}

/* The stream cut at NULs as words of a command line. */
static void read_words(void)
{
	char *words[MAX_WORDS + 1], *at = stream, *end = stream + stream_size;
	struct gloom_keys keys;
	struct input *input;
	size_t nr = 0, i = 0;
	int got;

	*end = 0;
	for (; at < end && nr < MAX_WORDS; at += strlen(at) + 1)
		words[nr++] = at;
	words[nr] = NULL;
	input = input_words(words, INPUT_LINES);
	FUZZ_CHECK(input);
	while ((got = input_next(input, &keys)) > 0) {
		const char *key = keys.data;
		size_t j;

		for (j = 0; j < keys.nr; j++, i++) {
			FUZZ_CHECK(i < nr);
			FUZZ_EQ(keys.lens[j], strlen(words[i]));
			FUZZ_CHECK(!memcmp(key, words[i], keys.lens[j]));
			key += keys.lens[j];
		}
	}
	if (got)
		FUZZ_CHECK(i < nr && strlen(words[i]) > GLOOM_KEY_MAX);
	else
		FUZZ_EQ(i, nr);
	input_close(input);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	/* Messages are of no interest, reports of sanitizers go elsewhere. */
	stderr = fopen("/dev/null", "w");
	return !stderr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t largest[] = { 1, 5, 70, 4096, 65536, 1 << 20 };
	struct bytes input = { data, data + size };
	uint8_t kind = take(&input, 1);
	uint8_t fault = take(&input, 1);

	memset(&feed, 0, sizeof(feed));
	feed.random = take(&input, 2);
	feed.largest = largest[(kind >> 2) % 6];
	stream_size = take_expanded(&input, stream, MAX_STREAM);
	/* A large stream byte by byte takes too long. */
	if (stream_size / feed.largest > 2000)
		feed.largest = 2000;
	if (fault & 0x80)
		feed.bad_read = fault & 0x3f;
	else if (fault & 0x40)
		feed.stop_wait = fault & 0x3f;
	if (kind % 4 == 3)
		read_words();
	else
		read_stream(kind % 4);
	return 0;
}
