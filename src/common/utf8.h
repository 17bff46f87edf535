/* SPDX-License-Identifier: MIT */
/* UTF-8, for text from outside that has to be written where only that may
 * stand. Pure functions. */
#ifndef AQ_COMMON_UTF8_H
#define AQ_COMMON_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the well-formed sequence that text begins with, 0 if there is none;
 * its code point goes to *code (may be NULL). */
size_t aq_utf8_length(const char *text, size_t left, uint32_t *code);

#endif
