/* SPDX-License-Identifier: MIT */
/* Whatever the bytes are: told apart, inflated, detected, imported. */
#include "fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return fuzz_import(NULL, data, size);
}
