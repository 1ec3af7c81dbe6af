/* SPDX-License-Identifier: MIT */
/*
 * What goes to stdout. A write that fails is remembered, and reported when the
 * command ends: output that is cut short must not look like success.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

/* Before anything else is opened or written. */
void output_init(void);

void output_write(const void *data, size_t len);

/* Send what is buffered. */
void output_flush(void);

/* Has a write failed? Then there is no use in going on. */
bool output_failed(void);

/* At the end. Returns the exit code, CLI_ERROR if stdout got less than all. */
int output_finish(int code);

/* Print and free a value; NULL stands for no memory to make it. */
void output_json(json_t *value);

/* A number; one of 2^63 and above as a decimal string. */
json_t *json_u64(uint64_t value);

/* Strings: "0x" and 16 digits, "0640". */
json_t *json_hex(uint64_t value);
json_t *json_mode(unsigned int mode);

#define FORMAT_SIZE	32

/* "1.19 MiB". Returns buffer. */
char *format_bytes(char buffer[FORMAT_SIZE], uint64_t bytes);

/* "12.3 M" for counts and rates. Returns buffer. */
char *format_count(char buffer[FORMAT_SIZE], double count);

/* "0.987%". Returns buffer. */
char *format_share(char buffer[FORMAT_SIZE], double share);

#endif /* OUTPUT_H */
