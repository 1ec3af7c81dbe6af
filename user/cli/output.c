// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "output.h"

static char output_buffer[1 << 16];
static int output_errno;

void output_init(void)
{
	int fd;

	/*
	 * A standard descriptor that is closed would be the number of the next
	 * file opened. Take its place with one that neither reads nor writes.
	 */
	for (fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/", O_PATH) != fd)
			_exit(CLI_ERROR);
	}
	setvbuf(stdout, output_buffer, _IOFBF, sizeof(output_buffer));
}

void output_write(const void *data, size_t len)
{
	if (fwrite_unlocked(data, 1, len, stdout) != len && !output_errno)
		output_errno = errno ? errno : EIO;
}

void output_flush(void)
{
	if (fflush(stdout) && !output_errno)
		output_errno = errno ? errno : EIO;
}

bool output_failed(void)
{
	return output_errno;
}

int output_finish(int code)
{
	output_flush();
	if (!output_errno && ferror(stdout))
		output_errno = EIO;
	if (!output_errno)
		return code;
	message("stdout", "%s", strerror(output_errno));
	return CLI_ERROR;
}

void output_json(json_t *value)
{
	if (!value)
		out_of_memory();
	if (json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(12)))
		output_errno = output_errno ? output_errno : EIO;
	output_write("\n", 1);
	json_decref(value);
}

json_t *json_u64(uint64_t value)
{
	char decimal[24];

	if (value <= INT64_MAX)
		return json_integer(value);
	snprintf(decimal, sizeof(decimal), "%" PRIu64, value);
	return json_string(decimal);
}

json_t *json_hex(uint64_t value)
{
	char hex[24];

	snprintf(hex, sizeof(hex), "0x%016" PRIx64, value);
	return json_string(hex);
}

json_t *json_mode(unsigned int mode)
{
	char octal[16];

	snprintf(octal, sizeof(octal), "%04o", mode);
	return json_string(octal);
}

char *format_bytes(char buffer[FORMAT_SIZE], uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	double value = bytes;
	int unit = -1;

	while (value >= 1024 && units[unit + 1]) {
		value /= 1024;
		unit++;
	}
	if (unit < 0)
		snprintf(buffer, FORMAT_SIZE, "%" PRIu64 " bytes", bytes);
	else
		snprintf(buffer, FORMAT_SIZE, "%.2f %ciB", value, units[unit]);
	return buffer;
}

char *format_count(char buffer[FORMAT_SIZE], double count)
{
	static const char units[] = " kMGTPE";
	int unit = 0;

	while (count >= 1000 && units[unit + 1]) {
		count /= 1000;
		unit++;
	}
	if (unit)
		snprintf(buffer, FORMAT_SIZE, "%.1f %c", count, units[unit]);
	else
		snprintf(buffer, FORMAT_SIZE, "%.0f", count);
	return buffer;
}

char *format_share(char buffer[FORMAT_SIZE], double share)
{
	snprintf(buffer, FORMAT_SIZE, "%.3g%%", share * 100);
	return buffer;
}
