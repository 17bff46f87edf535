/* SPDX-License-Identifier: MIT */
/* Of GPUs: the compiler's own. */
#include <stddef.h>

int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t count);
size_t strlen(const char *text);
#define memcpy __builtin_memcpy
#define memset __builtin_memset
