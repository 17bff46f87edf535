/* SPDX-License-Identifier: MIT */
/*
 * printf of a device: a format and its arguments as HIP's device library packs
 * them into words of 64 bits. Pure functions.
 */
#ifndef AQ_GPU_HOSTCALL_DEVICE_PRINTF_H
#define AQ_GPU_HOSTCALL_DEVICE_PRINTF_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Prints `count` words: the format's text up to its zero byte, then a word for
 * each argument, and texts of %s like the format's. Conversions without an
 * argument, or that C does not know, print as the format has them; %n prints
 * nothing. The number of characters, as printf returns it. */
int aq_device_printf(FILE *out, const uint64_t *words, size_t count);

#endif
