/* SPDX-License-Identifier: MIT */
/*
 * The other process of test_shared_signals: attaches to the signal whose handle
 * is its argument, in hexadecimal, and answers the test's changes of it. Exits
 * with the number of the step that failed, or 0.
 */
#include <stdio.h>
#include <string.h>

#include "dropin/hsa/base/hsa.h"

static hsa_signal_t shared;

/* Sleeps until the test, or its device, made it `value`; then answers. */
static bool answer(int64_t value, int64_t with)
{
  const uint64_t minute = UINT64_C(60000000000);
  if (hsa_signal_wait_scacquire(shared, HSA_SIGNAL_CONDITION_EQ, value, minute,
                                HSA_WAIT_STATE_BLOCKED) != value)
    return false;
  hsa_signal_store_screlease(shared, with);
  return true;
}

int main(int argc, char *argv[])
{
  hsa_amd_ipc_memory_t handle;
  if (argc != 2 || strlen(argv[1]) != 2 * sizeof handle)
    return 1;
  for (size_t i = 0; i < sizeof handle; i++) {
    unsigned byte;
    if (sscanf(argv[1] + 2 * i, "%2x", &byte) != 1)
      return 1;
    ((unsigned char *)&handle)[i] = (unsigned char)byte;
  }
  if (hsa_init() != HSA_STATUS_SUCCESS ||
      hsa_amd_ipc_signal_attach(&handle, &shared) != HSA_STATUS_SUCCESS)
    return 2;
  if (!answer(2, 1)) /* which the host stored */
    return 3;
  if (!answer(0, 5)) /* which its device subtracted from 1 */
    return 4;
  if (!answer(4, 0)) /* which its device waits for */
    return 5;
  if (hsa_signal_destroy(shared) != HSA_STATUS_SUCCESS)
    return 6;
  return hsa_shut_down() == HSA_STATUS_SUCCESS ? 0 : 7;
}
