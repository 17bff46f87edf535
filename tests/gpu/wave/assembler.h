/* SPDX-License-Identifier: MIT */
/*
 * LLVM's assembler in this process: a test that starts clang and llvm-objcopy
 * for each text spends nearly all of its time in the loader. For the tests of
 * src/gpu/wave, which assemble hundreds of them. Not for threads.
 */
#ifndef AQ_TESTS_WAVE_ASSEMBLER_H
#define AQ_TESTS_WAVE_ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the library of clang-22 is here. */
bool assembler_is_here(void);

/* Called with each line, from 1 on, that the assembler refuses. */
typedef void assembler_refuse(void *user, size_t line);

/* The machine code of a text for a processor: `features` are LLVM's, such as
 * "+wavefrontsize64". It is the caller's, for free(); NULL where lines were
 * refused. */
uint8_t *assembler_run(const char *gfx, const char *features, const char *text,
                       assembler_refuse *refuse, void *user, size_t *size);

#endif
