#!/bin/sh
# SPDX-License-Identifier: MIT
# `replay` of what `exec --capture` wrote executes the captured code, and
# compares the bytes that it leaves with the program's.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
unset AQUEDUCT_PLUGIN_PATH HSA_XNACK
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE

# Its execution names no processor, as in files before there was one.
old=$srcdir/tests/fuzz/corpus/packets/contents.jsonl
try "$aqueduct" replay "$old"
check "a file without processors is replayed for its times" [ "$status" = 0 ]
check "and the reason is named" contains "$err" \
  "computed nothing: packet 0 of queue 0: the capture lacks its processor"
try "$aqueduct" replay "$old" --kernels-from isa
check "code that cannot be executed is refused where it is demanded" contains \
  "$status $err" "2 aqueduct: error: $old: its code cannot be executed: packet 0"

name="the code of a HIP program's capture"
if ! command -v hipcc > /dev/null || ! command -v python3 > /dev/null; then
  skip "$name" "no hipcc or no python3"
  finish
  exit 0
fi
cat > "$work/app.hip" << 'C'
#include <hip/hip_runtime.h>
__global__ void add(const float *a, const float *b, float *c, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}
__global__ void scale(float *a, float by, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= by;
}
__global__ void reduce(const float *a, float *out)
{
  __shared__ float part[256];
  int i = threadIdx.x;
  part[i] = a[blockIdx.x * 256 + i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (i < half)
      part[i] += part[i + half];
    __syncthreads();
  }
  if (i == 0)
    out[blockIdx.x] = part[0];
}
int main()
{
  enum { N = 1024 };
  static float h[N], sums[4];
  float *a, *b, *c, *out, want = 0, got = 0;
  for (int i = 0; i < N; i++)
    h[i] = (float)(i % 17), want += 3 * (h[i] + h[i]);
  if (hipMalloc(&a, sizeof h) != hipSuccess ||
      hipMalloc(&b, sizeof h) != hipSuccess ||
      hipMalloc(&c, sizeof h) != hipSuccess ||
      hipMalloc(&out, sizeof sums) != hipSuccess)
    return 1;
  hipMemcpy(a, h, sizeof h, hipMemcpyHostToDevice);
  hipMemcpy(b, h, sizeof h, hipMemcpyHostToDevice);
  add<<<4, 256>>>(a, b, c, N);
  scale<<<4, 256>>>(c, 3, N);
  reduce<<<4, 256>>>(c, out);
  hipMemcpy(sums, out, sizeof sums, hipMemcpyDeviceToHost);
  for (int i = 0; i < 4; i++)
    got += sums[i];
  return got != want;
}
C
if ! hipcc -O2 --offload-arch=gfx90a -o "$work/app" "$work/app.hip" \
  > "$work/log" 2>&1; then
  skip "$name" "hipcc cannot compile here"
  finish
  exit 0
fi
file=$work/app.jsonl
changed=$work/changed.jsonl
try "$aqueduct" exec --device mi210 --profile-isa --name program \
  --capture "$file" "$work/app"
check "the program computes its sum" [ "$status" = 0 ]
for model in mi210 mi300x mi50; do
  try "$aqueduct" replay "$file" --device "$model" --profile-isa \
    --name "again-$model"
  check "replayed on $model, all kernels leave the program's bytes" contains \
    "$status $err" "3 of 3 executions computed the captured bytes"
  check "and exit with 0" [ "$status" = 0 ]
done
counts() { # RUN KERNEL: its instructions and their counts
  "$aqueduct" show "$1" "$2" --asm 2> /dev/null | grep -v '^run'
}
counts program _Z6reducePKfPf > "$work/first"
counts again-mi210 _Z6reducePKfPf > "$work/second"
check "each instruction is executed as often as in the program" sh -c '
  [ "$(wc -l < "$1")" -gt 10 ] && cmp -s "$1" "$2"' sh "$work/first" \
  "$work/second"
try "$aqueduct" replay "$file" --kernels-from host
check "without code, kernels take their time" contains "$status $err" \
  "3 kernels took time and computed nothing"
try "$aqueduct" replay "$file" --kernels-from isa
check "with code alone, all of them compute" contains "$status $err" \
  "3 of 3 executions computed"

# EDIT is Python that changes the line `l` of an event, or not.
change() { # EDIT
  python3 - "$file" "$changed" "$1" << 'P'
import json, struct, sys
one = struct.pack("<8f", *range(8)).hex()
with open(sys.argv[2], "w") as out:
    done = False
    for line in open(sys.argv[1]):
        l = json.loads(line)
        before = dict(l)
        if not done:
            exec(sys.argv[3])
            done = l != before
        print(json.dumps(l, separators=(",", ":")) if l != before
              else line.rstrip("\n"), file=out)
    sys.exit(not done)
P
}
check "a byte of an input can be changed" change '
if l["event"] == "memory" and one in l["bytes"]:
    l["bytes"] = l["bytes"].replace(one, one[:12] + "4" + one[13:], 1)'
try "$aqueduct" replay "$changed"
check "then the first kernel that leaves other bytes is named" contains \
  "$status $err" "1 aqueduct: error: 0 of 3 executions computed the captured \
bytes; the first that did not: kernel _Z3addPKfS0_Pfi, packet "
check "with the addresses" contains "$err" ": other bytes from 0x"
change 'if l["event"] == "wrote" and l["packet"] == 4: l["digest"] ^= 1'
try "$aqueduct" replay "$changed"
check "a digest of the third is compared too" contains "$status $err" \
  "1 aqueduct: error: 2 of 3 executions computed the captured bytes; the \
first that did not: kernel _Z6reducePKfPf"
change 'if l["event"] == "memory": l["address"] = 4096'
try "$aqueduct" replay "$changed"
check "bytes outside of the allocations are refused" contains "$status $err" \
  "bytes at 0x1000 lie in no allocation of the file"
change 'if l["event"] == "allocation": l["size"] = 1 << 60'
try "$aqueduct" replay "$changed"
check "so are allocations that no process can have" contains "$status $err" \
  "2 aqueduct: error: $changed:"
change 'if l["event"] == "execute" and l["packet"] == 3: l["open"] = 1'
try "$aqueduct" replay "$changed"
check "before a kernel that ran beside others the execution stops" contains \
  "$status $err" "1 of 3 executions computed the captured bytes"
check "with the reason" contains "$err" "2 kernels took time and \
computed nothing: packet 3 of queue 0: others execute beside it"
finish
