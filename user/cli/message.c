// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

void message(const char *subject, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	flockfile(stderr);
	fprintf(stderr, "gloom: %s: ", subject);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	funlockfile(stderr);
	va_end(args);
}

void out_of_memory(void)
{
	fputs("gloom: out of memory\n", stderr);
	exit(CLI_ERROR);
}
