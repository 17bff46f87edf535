#!/bin/sh
# SPDX-License-Identifier: MIT
# What `aqueduct exec --capture` writes, replayed: the same packets, with their
# signals, queues, kernels and times.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
AQUEDUCT_LIBHSA_PATH=$AQUEDUCT_PLUGIN_PATH/libhsa-runtime64.so.1
export AQUEDUCT_PLUGIN_PATH AQUEDUCT_LIBHSA_PATH

# A run's work on the device: every packet and copy, without process and queue.
timeline() { # RUN
  "$aqueduct" export "$1" --format jsonl 2> /dev/null |
    grep -v '"kind":"\(run\|call\|wait\)"' |
    sed -E 's/"([pt]id|row|flags|host_begin|host_end|observe)":[0-9]+,?//g
      s/"(id|name)":("[^"]*"|[0-9]+),"gfx/"gfx/; s/"queue":\{"ordinal":([0-9]+),"id":[0-9]+\}/"queue":\1/
      s/"via":"[a-z]*",//'
}
same_timeline() { # RUN RUN
  timeline "$1" > "$work/one"
  timeline "$2" > "$work/other"
  [ -s "$work/one" ] && cmp "$work/one" "$work/other"
}
# The dispatches and their dependencies, whenever they ran.
order() { # RUN
  timeline "$1" | grep -o '"kind":"[a-z-]*"\|"name":"[^"]*"\|"queue":[0-9]*\|"packet":[0-9]*\|"header":[0-9]*\|"grid_x":[0-9]*\|"lds":[0-9]*\|"vgpr":[0-9]*' |
    tr '\n' ' ' | sed 's/"kind"/\n&/g' | sort
}
same_order() { # RUN RUN
  order "$1" > "$work/one"
  order "$2" > "$work/other"
  [ -s "$work/one" ] && cmp "$work/one" "$work/other"
}
lines() { # FILE EVENT
  grep -c "\"event\":\"$2\"" "$1"
}

# Aqueduct itself is a client of HSA that rings doorbells by raw stores, waits
# through the library, and has kernels that share compute units and depend on
# others across queues.
cat > "$work/mix.json" << 'J'
{"version": 1, "device": "mi300x",
 "kernels": {
  "gemm": {"grid": 65536, "workgroup": 256, "lds": 32768, "vgprs": 128,
           "cost": {"workgroup": "6us"}},
  "tiny": {"grid": 64, "workgroup": 64, "cost": "2us"}},
 "requests": {"ask": {"steps": [
  {"kernel": "gemm"}, {"kernel": "tiny", "repeat": 2}, {"kernel": "gemm"}]}},
 "clients": [
  {"name": "a", "request": "ask", "closed": {"think": "5us"}, "requests": 6},
  {"name": "b", "request": "ask", "closed": {"think": "9us"}, "requests": 4}]}
J
scenario() { # NAME FILE
  try "$aqueduct" exec --name "$1" --capture "$work/$1.jsonl" -- \
    "$aqueduct" run "$2" --transport hsa --store "$work/inner.db"
}
for which in mix edge two-queue-pipeline; do
  file=$work/mix.json
  [ "$which" = mix ] || file=$srcdir/traces/scenarios/$which.json
  scenario "$which" "$file"
  check "$which: a program is captured" [ "$status" = 0 ]
  try "$aqueduct" replay "$work/$which.jsonl" --name "$which-again"
  check "$which: the capture is replayed" [ "$status" = 0 ]
  check "$which: each packet at the same times as it had in the program" \
    same_timeline "$which" "$which-again"
done
check "packets have their edges" grep -q barrier-and "$work/other"
timeline mix-again > "$work/again"
check "and group segment and registers" \
  grep -q '"lds":32768,.*"vgpr":128' "$work/again"
try "$aqueduct" replay "$work/mix.jsonl" --device mi50 --name other
check "on another device model it is the same packets" \
  same_order mix other
check "at other times" [ "$(timeline mix)" != "$(timeline other)" ]
refused() { # WORDS OPTION...
  refused_words=$1
  shift
  try "$aqueduct" replay "$work/mix.jsonl" --device mi300x --name costed "$@"
  check "$* is refused in one line" \
    [ "$status $(echo "$err" | wc -l)" = "2 1" ]
  check "which says that $refused_words" contains "$err" "$refused_words"
}
refused "mix.jsonl: it has no executions of code, from which cost executed predicts" \
  --cost executed
refused "compares all results of its kernels" --cost sampled
refused "execute no code" --cost executed --kernels-from host
try "$aqueduct" show costed
check "and nothing is stored" [ "$status" != 0 ]

# ---- contents ----

tells() { # FILE WORDS...: show has each
  tells_file=$1
  shift
  try "$aqueduct" show "$tells_file"
  for words; do
    check "show tells '$words'" contains "$(echo "$out" | tr -s ' ')" "$words"
  done
}
tells "$work/mix.jsonl" "processes 1" "queues $(lines "$work/mix.jsonl" queue)" \
  "waits $(lines "$work/mix.jsonl" wait)" " kernel 40" \
  "gemm: 20" "tiny: 20"
tells "$work/edge.jsonl" " barrier-and "
try "$aqueduct" show "$work/mix.jsonl" --json -o "$work/mix-show.json"
check "show --json is JSON" is_json "$work/mix-show.json"
check "with the dispatches of each kernel" sh -c 'tr -d " \n" < "$1" |
  grep -q "{\"name\":\"gemm\",\"dispatches\":20}"' sh "$work/mix-show.json"
sed 's/"pid":[0-9]*/"pid":1/' "$work/edge.jsonl" |
  cat "$work/mix.jsonl" - > "$work/two.jsonl"
tells "$work/two.jsonl" "processes 2"
try "$aqueduct" replay "$work/two.jsonl"
check "two processes cannot be replayed" contains "$err" \
  "two.jsonl:$(($(wc -l < "$work/mix.jsonl") + 1)): second process"
head -c 3000 "$work/mix.jsonl" > "$work/cut.jsonl"
try "$aqueduct" show "$work/cut.jsonl"
check "a cut one cannot be shown" sh -c '[ "$1" = 2 ] && case $2 in
  *cut.jsonl:*) ;; *) false ;; esac' sh "$status" "$err"

grep -v '"event":"close"' "$work/mix.jsonl" > "$work/ended.jsonl"
try "$aqueduct" replay "$work/ended.jsonl" --name ended
check "one whose program was killed is refused" [ "$status" = 2 ]
check "as truncated, with the line of its beginning" contains "$err" \
  "ended.jsonl:1: the capture that begins here is truncated"
try "$aqueduct" show "$work/ended.jsonl"
check "show counts it and says so" sh -c '[ "$1" = 0 ] && case $2 in
  *truncated*) ;; *) false ;; esac' sh "$status" "$err"
cat "$work/ended.jsonl" "$work/mix.jsonl" |
  sed 's/"pid":[0-9]*/"pid":1/' > "$work/again.jsonl"
try "$aqueduct" replay "$work/again.jsonl" --name ended
check "so is one whose program opened HSA again" contains "$err" \
  "again.jsonl:1: the capture that begins here is truncated"
sed 's/"version":3/"version":2/' "$work/ended.jsonl" > "$work/older.jsonl"
try "$aqueduct" replay "$work/older.jsonl" --name older
check "files of older versions have no such line" [ "$status" = 0 ]

# Without the barrier bit of its packets, kernels of a queue overlap.
sed 's/"bytes":"020b/"bytes":"020a/' "$work/mix.jsonl" > "$work/loose.jsonl"
try "$aqueduct" replay "$work/loose.jsonl" --name loose
check "packets without it are replayed too" [ "$status" = 0 ]
check "and overlap" [ "$(timeline mix)" != "$(timeline loose)" ]
try "$aqueduct" replay "$work/mix.jsonl" --bench 2 --name bench --json
check "it can be repeated" sh -c '[ "$1" = 0 ] && "$2" show bench --json |
  grep -q bench_span_ns' sh "$status" "$aqueduct"

# A program compiled by hipcc: queues of several streams, priorities, copies,
# callbacks, a graph.
name="a HIP program's packets are replayed, in its order"
kernels=${AQ_BUILDDIR:-.}/tests/dropin/hsa/.libs/libtestkernels.so
if command -v hipcc > /dev/null &&
  hipcc --offload-arch=gfx90a -O1 -o "$work/app" \
    "$srcdir/tests/dropin/hsa/app.hip" > "$work/log" 2>&1; then
  try "$aqueduct" exec --timeout 60s --device mi210 --name hip --kernels \
    "$kernels" --capture "$work/hip.jsonl" -- "$work/app"
  try "$aqueduct" replay "$work/hip.jsonl" --device mi210 --name hip-again
  check "$name" same_order hip hip-again
  check "with its copies" [ "$(lines "$work/hip.jsonl" copy)" -ge 5 ]
else
  skip "$name" "hipcc is not installed, or cannot compile here"
  skip "with its copies" "hipcc is not installed, or cannot compile here"
fi

# The memory that a kernel's code finds, and the digest of the bytes it wrote: a
# value that the host computes too.
cat > "$work/sum.hip" << 'C'
#include <hip/hip_runtime.h>
#include <string.h>
__device__ int scale = 3;
__global__ void sum(int *a, const int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i] * scale;
}
int main() {
  static int host[3000];
  int *a, *b;
  char *beside; /* of the captured memory; no kernel touches it */
  for (int i = 0; i < 3000; i++) host[i] = i;
  if (hipHostMalloc((void **)&beside, 2 << 20)) return 2;
  memset(beside, 0x5a, 2 << 20);
  if (hipMalloc(&a, sizeof host) || hipMalloc(&b, sizeof host) ||
      hipMemcpy(b, host, sizeof host, hipMemcpyHostToDevice) ||
      hipMemset(a, 0, sizeof host)) return 1;
  for (int i = 0; i < 3; i++) sum<<<12, 256>>>(a, b, 3000);
  return hipMemcpy(host, a, sizeof host, hipMemcpyDeviceToHost) != hipSuccess;
}
C
digests() { # FILE: of the sums, over the parts of 64 bytes
  python3 - "$1" << 'P'
import json, struct, sys
def fnv(data):
    digest = 0xcbf29ce484222325
    for byte in data:
        digest = (digest ^ byte) * 0x100000001b3 % 2**64
    return digest % 2**63
lines = [json.loads(line) for line in open(sys.argv[1])]
names = {k["object"]: k["name"] for k in lines if k["event"] == "kernel"}
sums = [p["packet"] for p in lines if p["event"] == "packet" and
        "sum" in p.get("kernel", "")]
found = [w["digest"] for w in lines if w["event"] == "wrote" and
         w["packet"] in sums]
wanted = [fnv(struct.pack("<3000i", *(3 * k * i for i in range(3000))) +
              bytes(32)) for k in (1, 2, 3)]
sys.exit(len(sums) != 3 or found != wanted)
P
}
name="a capture has the memory of kernels that execute"
if command -v hipcc > /dev/null && command -v python3 > /dev/null &&
  hipcc --offload-arch=gfx90a -O1 -o "$work/sum" "$work/sum.hip" \
    > "$work/log" 2>&1; then
  try "$aqueduct" exec --timeout 60s --device mi210 --name sum \
    --capture "$work/sum.jsonl" -- "$work/sum"
  check "$name, and digests of what they wrote" digests "$work/sum.jsonl"
  try "$aqueduct" show "$work/sum.jsonl"
  check "show counts the executions" contains "$out" "executions     4"
  try "$aqueduct" replay "$work/sum.jsonl" --device mi210
  check "a replay of it executes them" \
    contains "$err" "4 of 4 executions computed the captured bytes"
  rm -f "$work/sum.jsonl"
  try env AQUEDUCT_CAPTURE_MEMORY=4K "$aqueduct" exec --timeout 60s \
    --device mi210 --capture "$work/sum.jsonl" -- "$work/sum"
  check "the memory has a limit, and a line names the packet" contains "$err" \
    "the capture holds no memory from packet 0 of queue 0 on: "
  check "so does the file" [ "$(lines "$work/sum.jsonl" contents-end)" = 1 ]
  try "$aqueduct" show "$work/sum.jsonl"
  check "which is a capture" [ "$status" = 0 ]
else
  skip "$name" "hipcc or python3 is not installed, or cannot compile here"
fi

# A program that stores into signals without calls, one of them its own memory:
# each packet begins after its store, as it did there.
${AQ_CC:-cc} -D_GNU_SOURCE -I"$srcdir/src" -o "$work/raw" \
  "$srcdir/tests/dropin/hsa/recorded.c" "$AQUEDUCT_PLUGIN_PATH/libhsa-runtime64.so" \
  || exit 1
try env LD_LIBRARY_PATH="$AQUEDUCT_PLUGIN_PATH" "$aqueduct" exec --timeout 60s \
  --name raw --capture "$work/raw.jsonl" -- "$work/raw" raw 5
check "a program with signals of its own is captured" [ "$status" = 0 ]
check "its raw stores are updates" [ "$(lines "$work/raw.jsonl" update)" -ge 9 ]
try "$aqueduct" replay "$work/raw.jsonl" --timeout 10s --name raw-again
check "and replayed, without a packet that never ends" [ "$status" = 0 ]
ended() { # RUN: its packets, in the order of their ends
  "$aqueduct" export "$1" --format jsonl 2> /dev/null | grep '"barrier-and"' |
    sed -E 's/.*"packet":([0-9]+).*"complete":([0-9]+).*/\2 \1/' | sort -n |
    cut -d ' ' -f 2 | tr '\n' ' '
}
check "in its order" [ "$(ended raw-again)" = "0 1 2 3 4 5 " ]

# ---- errors ----

refuses() { # NAME WORDS: $work/bad.jsonl
  try "$aqueduct" replay "$work/bad.jsonl"
  check "$1" sh -c '[ "$1" = 2 ] && case $2 in *"$3"*) ;; *) false ;; esac' sh \
    "$status" "$err" "$2"
}
sed 's/"size":[0-9]*/"size":63/' "$work/mix.jsonl" > "$work/bad.jsonl"
refuses "a queue of 63 packets names the line" "bad.jsonl:"
sed '/"event":"signal"/d' "$work/mix.jsonl" > "$work/bad.jsonl"
refuses "a signal that nobody made is told" "signal "
sed '1d' "$work/mix.jsonl" | grep -v '"open"' > "$work/bad.jsonl"
refuses "a capture has a beginning" "expected the event open first"
head -c 3000 "$work/mix.jsonl" > "$work/bad.jsonl"
refuses "one that was cut names the line" "bad.jsonl:"
sed '1s/"version":3/"version":4/' "$work/mix.jsonl" > "$work/bad.jsonl"
refuses "another version is told" "version: 4; expected 1 to 3"
for behind in packet control; do
  cp "${AQ_SRCDIR:-.}/tests/fuzz/corpus/packets/$behind-behind-queue-end.jsonl" "$work/bad.jsonl"
  refuses "a $behind behind the end of its queue names the line" \
    "bad.jsonl:4: no queue 0 exists"
done
finish
