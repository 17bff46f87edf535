#!/bin/sh
# SPDX-License-Identifier: MIT
# exec --budget on a program of two kernels that never ends, its queue full.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
if ! command -v hipcc > /dev/null; then
  skip "exec --budget" "hipcc or rocminfo is not installed"
  finish
  exit 0
fi
cat > "$work/many.hip" << 'EOF'
#include <hip/hip_runtime.h>
__global__ void heavy(float *a, int n)
{
  float x = a[threadIdx.x];
  for (int i = 0; i < n; i++)
    x = x * 1.5f + 1;
  a[threadIdx.x] = x;
}
__global__ void light(float *a) { a[threadIdx.x] += 1; }
int main()
{
  float *a;
  if (hipMalloc(&a, 4096) != hipSuccess)
    return 1;
  for (;;) {
    for (int i = 0; i < 1000; i++) {
      heavy<<<16, 64>>>(a, 1000);
      light<<<1, 64>>>(a);
    }
    if (hipDeviceSynchronize() != hipSuccess)
      return 1;
  }
}
EOF
hipcc --offload-arch=gfx90a -O1 -o "$work/many" "$work/many.hip" || exit 1
try "$aqueduct" exec --device mi210 --record none --budget 4s -- "$work/many"
check "the budget ends the program" sh -c '[ "$1" = 125 ] &&
  grep -q "many: ended by --budget 4s" "$2"' sh "$status" "$work/err"
check "the kernel that takes most comes first, by its name" sh -c '
  grep -q "kernels executed for [0-9.]* of 4.00 s: " "$1" &&
    grep " launches " "$1" | sed -n 1p | grep -q " launches .* M/s  heavy(float\*, int)$"' sh "$work/err"
check "the other one comes behind" sh -c '
  grep " launches " "$1" | sed -n 2p | grep -q "  light(float\*)$"' \
  sh "$work/err"
check "packets that wait are a number" grep -Eq \
  "at the timeout: [1-9][0-9]* packets wait or run in 1 queues" "$work/err"
check "what runs has a line, what is queued has none" sh -c '
  [ "$(grep -c "at the timeout: kernel .*workgroup" "$1")" -le 1 ]' sh "$work/err"
try "$aqueduct" exec --device mi210 --record none --timeout 4s -- "$work/many"
check "--timeout has no table, and as few lines" sh -c '
  ! grep -q "kernels executed for" "$1" &&
    [ "$(grep -c "at the timeout: kernel .*workgroup" "$1")" -le 1 ]' sh "$work/err"
try "$aqueduct" exec --budget 4s --timeout 5s -- true
check "it is one of the two" sh -c '[ "$1" = 125 ] &&
  grep -q "budget with --timeout; expected one of them" "$2"' sh "$status" "$work/err"
try env AQUEDUCT_TIMEOUT=60s "$aqueduct" exec --budget 1s -- sleep 20
check "the command line wins over the environment" contains "$err" \
  "ended by --budget 1s"
finish
