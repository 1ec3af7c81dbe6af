// SPDX-License-Identifier: GPL-2.0
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "watch.h"

#define PARAMETERS	"/sys/module/gloom/parameters/"
#define KMEMLEAK	"/sys/kernel/debug/kmemleak"

static int log_file = -1;

bool watch_open(void)
{
	log_file = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (log_file < 0)
		return false;
	lseek(log_file, 0, SEEK_END);
	return true;
}

static bool is_trouble(const char *line)
{
	static const char * const words[] = {
		"BUG:", "WARNING:", "KASAN", "UBSAN", "KCSAN", "kmemleak:",
		"possible circular", "unreferenced object", "stall", "Oops",
		"blocked for more than", "general protection", "gloom",
	};
	unsigned int i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strstr(line, words[i]))
			return true;
	}
	return false;
}

bool watch_trouble(char *text, size_t size)
{
	char record[8192];
	bool trouble = false;
	ssize_t nr;

	while (log_file >= 0 &&
	       (nr = read(log_file, record, sizeof(record) - 1)) > 0) {
		const char *line;

		record[nr] = 0;
		record[strcspn(record, "\n")] = 0;
		line = strchr(record, ';');
		if (!line || trouble || !is_trouble(line))
			continue;
		trouble = true;
		snprintf(text, size, "the kernel says: %s", line + 1);
	}
	return trouble;
}

static bool leaks_listed(void)
{
	static char list[1 << 16];
	FILE *file = fopen(KMEMLEAK, "re");
	size_t nr = 0;

	if (file) {
		nr = fread(list, 1, sizeof(list) - 1, file);
		fclose(file);
	}
	list[nr] = 0;
	if (!strstr(list, "[gloom]"))
		return false;
	fputs(list, stderr);
	return true;
}

int watch_leaks(void)
{
	static const char scan[] = "scan\n";
	int fd = open(KMEMLEAK, O_WRONLY | O_CLOEXEC), i;

	if (fd < 0)
		return -1;
	/* What is younger than 5 seconds is not looked at. */
	sleep(6);
	for (i = 0; i < 2; i++) {
		if (write(fd, scan, sizeof(scan) - 1) < 0) {
			close(fd);
			return -1;
		}
	}
	close(fd);
	return leaks_listed();
}

static struct limit {
	const char *path;
	char old[32];
} limits[] = {
	{ .path = PARAMETERS "max_filters" },
	{ .path = PARAMETERS "max_filter_bytes" },
	{ .path = PARAMETERS "max_total_bytes" },
};

static void limit_write(const struct limit *limit, const char *text)
{
	FILE *file = fopen(limit->path, "we");

	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

static void limits_back(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		if (limits[i].old[0])
			limit_write(&limits[i], limits[i].old);
	}
}

void watch_limits(unsigned int nr_filters, unsigned long long bytes)
{
	unsigned long long values[] = {
		nr_filters + 10, 4 << 20, bytes + (12 << 20),
	};
	unsigned int i;

	for (i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		FILE *file = fopen(limits[i].path, "re");
		char text[32];

		if (!file)
			continue;
		if (!fgets(limits[i].old, sizeof(limits[i].old), file))
			limits[i].old[0] = 0;
		fclose(file);
		snprintf(text, sizeof(text), "%llu", values[i]);
		limit_write(&limits[i], text);
	}
	atexit(limits_back);
}
