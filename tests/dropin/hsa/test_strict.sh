#!/bin/sh
# SPDX-License-Identifier: MIT
# The examples over `hsa` and `exec` with strict memory, where the host cannot
# touch memory of devices.
# shellcheck disable=SC1091,SC2154,SC2086 # lib.sh; options of AQ_CC
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
build=${AQ_BUILDDIR:-.}
AQUEDUCT_LIBHSA_PATH=$build/.libs/libhsa-runtime64.so.1
AQUEDUCT_PLUGIN_PATH=$build/.libs
export AQUEDUCT_LIBHSA_PATH AQUEDUCT_PLUGIN_PATH

for example in command_buffer two_queues vector_add code_object operations; do
  ${AQ_CC:-cc} -std=gnu11 -I"$build/public" -o "$work/$example" \
    "$srcdir/doc/examples/$example.c" "$build/.libs/libaqueduct.so" \
    -Wl,-rpath,"$(cd "$build" && pwd)/.libs" 2> "$work/err" || exit 1
done
for mode in never allowed; do
  AQUEDUCT_STRICT_MEMORY=$mode
  export AQUEDUCT_STRICT_MEMORY
  for example in command_buffer two_queues vector_add; do
    try "$work/$example" hsa
    check "$example runs over hsa with strict memory, $mode" [ "$status" = 0 ]
  done
  try env AQUEDUCT_DEVICE=mi210 "$work/code_object" \
    "$srcdir/doc/examples/kernels/device-gfx90a.hsaco" hsa
  check "so does code_object, $mode" [ "$status" = 0 ]
  try "$work/operations" "$work/$mode.db"
  check "so does operations, $mode" [ "$status" = 0 ]
done
unset AQUEDUCT_STRICT_MEMORY

cat > "$work/touch.c" << 'END'
#include <stdint.h>
#include <stdio.h>
typedef struct { uint64_t handle; } handle;
int hsa_init(void);
int hsa_iterate_agents(int (*)(handle, void *), void *);
int hsa_agent_get_info(handle, uint32_t, void *);
int hsa_amd_agent_iterate_memory_pools(handle, int (*)(handle, void *), void *);
int hsa_amd_memory_pool_allocate(handle, size_t, uint32_t, void **);
static int pool(handle found, void *user)
{
  *(handle *)user = found; /* the coarse one comes first */
  return 1;
}
static int agent(handle found, void *user)
{
  uint32_t type;
  hsa_agent_get_info(found, 17, &type);
  if (type == 1)
    hsa_amd_agent_iterate_memory_pools(found, pool, user);
  return 0;
}
int main(void)
{
  handle device = {0};
  void *memory;
  if (hsa_init() || hsa_iterate_agents(agent, &device) ||
      hsa_amd_memory_pool_allocate(device, 5000, 0, &memory))
    return 2;
  ((char *)memory)[70] = 1;
  puts("touched");
  return 0;
}
END
${AQ_CC:-cc} -o "$work/touch" "$work/touch.c" \
  "$build/.libs/libhsa-runtime64.so.1" 2> "$work/err"
try "$aqueduct" exec --device mi210 -- "$work/touch"
check "the host touches memory of devices" [ "$status$out" = 0touched ]
try "$aqueduct" exec --device mi210 --strict-memory never -- "$work/touch"
check "with strict memory that ends the program" [ "$status" = 139 ]
check "in one line that names the allocation" contains "$(cat "$work/err")" \
  "byte 70 of 5000 bytes of pool memory of device 0"
try "$aqueduct" exec --strict-memory sometimes -- "$work/touch"
check "a word that is no mode is refused" [ "$status" = 125 ]
finish
