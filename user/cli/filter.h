/* SPDX-License-Identifier: MIT */
/*
 * Filters of the kernel as the subcommands need them: opened with a message if
 * that fails, and described.
 */
#ifndef FILTER_H
#define FILTER_H

#include <stdbool.h>

#include <gloom.h>
#include <jansson.h>

/*
 * Say what an error of the library means for a filter, and what to do about it.
 * name is NULL if it is about the device. Returns the exit code.
 */
int filter_error(const char *name, int error);

/* Can a filter have this name? */
bool filter_name_valid(const char *name);

/*
 * Open a filter and learn about it: with access or, if that is not permitted,
 * with fallback, unless it is 0. Returns CLI_OK, or another exit code after a
 * message.
 */
int filter_open(const char *name, unsigned int access, unsigned int fallback,
		struct gloom_filter **filter, struct gloom_filter_info *info);

const char *filter_hash_name(enum gloom_hash hash);

/* The kind called that, or 0. */
enum gloom_hash filter_hash_kind(const char *name);

/* Geometry and purpose, and who may use it, as members of a JSON object. */
void filter_describe(json_t *object, const struct gloom_filter *filter,
		     const struct gloom_filter_info *info);

/* Owner and permission bits. False if they cannot be known. */
bool filter_owner(const struct gloom_filter *filter, unsigned int *uid,
		  unsigned int *gid, unsigned int *mode);

#endif /* FILTER_H */
