#!/bin/bash
# SPDX-License-Identifier: MIT
# Why one run takes longer than another: by family of kernels and by cause, in sums that
# add up. Published profiles are compared with the unions of their intervals.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# b: attention by another kernel, 9 us longer; a GEMM more, of 20 us, half of it beside
# the other GEMM; the host 30 us later; the same copy.
python3 - "$work" << 'END'
import json, sys
def trace(path, kernels):
    events = []
    for n, (cat, name, op, call, at, dur) in enumerate(kernels, 1):
        def add(cat, name, pid, tid, at, dur, **args):
            events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
                           "ts": at, "dur": dur, "args": args})
        if op:
            add("cpu_op", op, 1, 1, call - 1, 6, **{"External id": n})
        add("cuda_runtime", "hipLaunchKernel", 1, 1, call, 2, correlation=n)
        add(cat, name, 0, 7 + n % 2, at, dur, correlation=n, device=0, stream=7 + n % 2)
    json.dump({"traceEvents": events}, open(f"{sys.argv[1]}/{path}", "w"))
attention = "aten::_scaled_dot_product_flash_attention"
trace("a.json", [("kernel", "fmha_ck", attention, 100, 110, 40),
                 ("kernel", "Cijk_x", "aten::mm", 160, 170, 20),
                 ("gpu_memcpy", "Memcpy DtoH", None, 180, 190, 10)])
trace("b.json", [("kernel", "fmha_triton", attention, 100, 110, 49),
                 ("kernel", "Cijk_x", "aten::mm", 199, 209, 20),
                 ("kernel", "Cijk_x", None, 200, 219, 20),
                 ("gpu_memcpy", "Memcpy DtoH", None, 230, 239, 10)])
END
for run in a b; do "$aqueduct" import "$work/$run.json" --name $run -q > /dev/null; done
try "$aqueduct" compare a b
# a: 110 to 200 us, b: 110 to 249 us.
check "the verdict is a sentence whose numbers sum to the first" contains "$out" \
  "b is 49.000 us slower than a: host +30.000, gemm +10.000 (more calls), attention +9.000 (other kernels)"
check "with a table of families" contains "$out" "kernels of baseline us current us  delta calls before calls reason"
try "$aqueduct" compare a b --json
check "families go by the operator, and by the kernel's name without one" \
  [ "$(jq -c '[.[0].verdict.items[] | select(.family) | [.family, .was_ns, .is_ns, .was_calls,
    .calls, .reason]]' "$work/out")" \
  = '[["gemm",20000,30000,1,2,"more calls"],["attention",40000,49000,1,1,"other kernels"]]' ]
check "the items sum to the difference" \
  [ "$(jq '.[0].verdict | .delta_ns - ([.items[].delta_ns] | add)' "$work/out")" = 0 ]
try "$aqueduct" compare b a
check "the other way round it is faster" contains "$out" "a is 49.000 us faster than b: host -30.000"
try "$aqueduct" compare a a --by kernel
check "a run takes as long as itself" contains "$out" "a takes as long as a"
# Of a 110 to 200 us, of b 110 to 229 us: the second GEMM and the copy are later.
try "$aqueduct" compare a b --time ..100us --json
check "of a part, too" [ "$(jq '.[0].verdict | [.was_ns, .is_ns, ([.items[].delta_ns] | add)] |
  join(" ")' -r "$work/out")" = "90000 119000 29000" ]

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
a=mi300x_flux_aiter b=mi300x_flux_sage
if [ ! -f "$data/$a.json.gz" ]; then
  skip "published profiles: the unions of their intervals agree" "no published traces in AQ_DATA"
  finish
  exit
fi
for run in "$a" "$b"; do "$aqueduct" import "$data/$run.json.gz" --name "$run" -q > /dev/null 2>&1; done
"$aqueduct" compare $a $b --json > "$work/out"
check "published profiles: the unions of their intervals agree" \
  python3 - "$work/out" "$data/$a.json.gz" "$data/$b.json.gz" << 'END'
import gzip, json, sys
def ns(text):
    whole, _, rest = str(text).partition(".")
    return 1000 * int(whole) + int(rest.ljust(3, "0")[:3])
def union(spans):
    total, until = 0, 0
    for begin, end in sorted(spans):
        total += max(end, until) - max(begin, until)
        until = max(end, until)
    return total
def times(path):
    with gzip.open(path, "rt", errors="replace") as text:
        events = json.load(text, parse_float=str)["traceEvents"]
    rows = {(e["cat"] == "kernel", ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])) for e in events
            if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")}
    assert not any("nccl" in e.get("name", "").lower() for e in events if e.get("cat") == "kernel")
    return (union([r[1:] for r in rows if r[0]]), union([r[1:] for r in rows]),
            max(r[2] for r in rows) - min(r[1] for r in rows))
verdict = json.load(open(sys.argv[1]))[0]["verdict"]
told = [(sum(i[k] for i in verdict["items"] if "family" in i),
         sum(i[k] for i in verdict["items"] if "family" in i or i["cause"] == "copies"),
         verdict[k]) for k in ("was_ns", "is_ns")]
wanted = [times(path) for path in sys.argv[2:]]
print([tuple(map(round, t)) for t in told], wanted)
sys.exit([tuple(map(round, t)) for t in told] != wanted)
END
finish
