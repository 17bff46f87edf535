/* SPDX-License-Identifier: MIT */
/*
 * A built library as a file: its bytes, the C that it was made of, and a digest
 * of both. Pure functions of their files.
 */
#ifndef AQ_GPU_WAVE_JIT_LIBRARY_CACHE_H
#define AQ_GPU_WAVE_JIT_LIBRARY_CACHE_H

#include <stddef.h>
#include <stdint.h>

/* The library's bytes, the caller's to free. NULL: there is no such file, or it
 * is not this user's, not whole, or made of another text. */
char *aq_jit_cache_read(const char *path, const char *text, size_t text_size,
                        size_t *size);

enum { AQ_JIT_CACHE_MOST = 256 << 20 /* bytes of a folder */ };

/* Removes the libraries of a folder that were used longest ago, until the
 * others have at most `most` bytes. */
void aq_jit_cache_limit(const char *folder, uint64_t most);

/* Writes it whole, or leaves the old file. */
void aq_jit_cache_write(const char *path, const char *text, size_t text_size,
                        const char *bytes, size_t size);

#endif
