/* SPDX-License-Identifier: MIT */
#include "fuzz/fuzz_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  return fuzz_import("perfetto", data, size);
}
