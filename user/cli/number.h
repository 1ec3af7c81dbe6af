/* SPDX-License-Identifier: MIT */
/*
 * Numbers as people write them. Independent of the locale; what is not wholly
 * a number, or does not fit, is refused: the functions return whether it was
 * one and leave the result alone if not.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A whole number: 1000, 1e6, 1.5M, 4Ki. Suffixes are k or K, M, G, T for powers
 * of 1000 and Ki, Mi, Gi, Ti for powers of 1024.
 */
bool number_count(const char *text, uint64_t *value);

/* The same, and a B may follow: 64MiB, 4kB, 512B. */
bool number_bytes(const char *text, uint64_t *value);

/* A share: 0.01, 1e-4, 1%. Not limited to 1. */
bool number_share(const char *text, double *value);

/* Any 64-bit number in decimal or, after 0x, hexadecimal digits. */
bool number_word(const char *text, size_t len, uint64_t *value);

/* count + share * count, rounded. */
bool number_add_share(uint64_t count, double share, uint64_t *sum);

/* Permission bits in octal digits. */
bool number_mode(const char *text, unsigned int *value);

#endif /* NUMBER_H */
