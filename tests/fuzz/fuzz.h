/* SPDX-License-Identifier: MIT */
/*
 * A fuzz target: one function that takes any bytes and must neither crash,
 * leak nor hang. libFuzzer calls it, or tests/fuzz/driver.c.
 */
#ifndef AQ_TESTS_FUZZ_H
#define AQ_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
