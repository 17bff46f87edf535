#!/bin/bash
# SPDX-License-Identifier: MIT
# The difference of a group is the sum over its rows in the second run less that in the first,
# whatever their partners, for each grouping: of made programs and of published profiles, with
# a reader of its own. Dispatches find their partners on their device.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
reader=$srcdir/tests/report/read_differences.py

# The same kernel of two operators, each in one of the runs alone; one on two devices.
python3 - "$work" << 'END'
import json, sys
def trace(path, calls):
    events = []
    def span(cat, name, pid, at, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": 1, "ts": at,
                       "dur": dur, "args": args})
    for n, (op, device, at, dur) in enumerate(calls, 1):
        span("cpu_op", op, 1, at - 20, 9, **{"External id": n})
        span("cuda_runtime", "hipLaunchKernel", 1, at - 18, 5, correlation=n)
        span("kernel", "k", device, at, dur, device=device, stream=7, correlation=n)
    json.dump({"traceEvents": events}, open(f"{sys.argv[1]}/{path}.json", "w"))
trace("x", [("x", 0, 100 * n, 50) for n in range(1, 11)])
trace("y", [("y", 0, 100 * n, 60) for n in range(1, 11)])
# Two graphs of two hashes, the second graph first by name; one more in a third run; names
# that differ in less than a hash, and words of as many letters with a digit.
graph = "## Call CompiledFxGraph {} ##".format
base = "fjs75i4jmhjizyb52gwp7gln7sgi42fcmh"
def graphs(path, hashes, *others):
    names = [graph(h) for h in hashes] + list(others)
    trace(path, [(names[n % len(names)], 0, 100 * n + 100, 10 + n % len(names)) for n in range(40)])
graphs("graph_a", ["z" + base, "a" + base], "same " + base, "short1234", "deadbeef")
graphs("graph_b", ["c" + base, "b" + base], "same " + base, "short5678", "feedbeef",
       "attention2forwardpasswithcausalmasking")
graphs("graph_c", ["c" + base, "b" + base, "d" + base], "layernorm2backwardpasswithaffineweights")
for name, offset in (("ahead", 3), ("behind", -3)):
    trace(name, sorted((("aten::op", d, 100 * n + offset * d, 20 + 20 * d)
                        for n in range(1, 11) for d in (0, 1)), key=lambda c: c[2]))
END
for run in x y ahead behind graph_a graph_b graph_c; do "$aqueduct" import "$work/$run.json" --name $run -q > /dev/null; done
groups() { # of a comparison: name or key, matched, difference
  jq -c '[.[0].groups[] | [.name // .key, .matched, .kernel.lost_ns]] | sort' "$work/out"
}
try "$aqueduct" compare x y --by op --json
check "an operator that one run alone has differs by its own time" \
  [ "$(groups)" = '[["x",0,-500000],["y",0,600000]]' ]
try "$aqueduct" compare ahead behind --by op
check "an operator has the name that stats has" contains "$(echo "$out" | tr -s ' ')" "
aten::op 20 30.000 30.000 "
try "$aqueduct" compare ahead behind --against ahead behind --by op
check "of versions, too" contains "$out" "
aten::op "
try "$aqueduct" compare ahead behind --by device --json
check "a device is compared with itself, whatever its clock" [ "$(groups)" = '[[0,10,0],[1,10,0]]' ]
"$aqueduct" replay x --device mi300x --name again -q > /dev/null
try "$aqueduct" compare x again --by op --json
check "a replay, which has no operators, has those of its origin" [ "$(groups)" = '[["x",10,0]]' ]
try "$aqueduct" compare again x --by op --json
check "in either order" [ "$(groups)" = '[["x",10,0]]' ]

try "$aqueduct" compare graph_a graph_b --by op --json
check "ops that differ in a hash alone are one, in the order of their first appearance" \
  [ "$(jq -r '.[0].groups[] | select(.new_name) | .name[24:25] + .new_name[24:25]' "$work/out" | sort | paste -sd ' ')" = "ab zc" ]
check "what has no partner, the same name or less than a hash is not" \
  [ "$(jq -r '.[0].groups[] | select(.new_name | not) | .name' "$work/out" | cut -c 1-25 | sort | paste -sd ,)" = \
  "attention2forwardpasswith,deadbeef,feedbeef,same fjs75i4jmhjizyb52gwp,short1234,short5678" ]
check "and the sum is that of both" [ "$(jq '[.[0].groups[].kernel.lost_ns] | add' "$work/out")" = \
  "$(jq '.[0].kernel.lost_ns' "$work/out")" ]
try "$aqueduct" compare graph_a graph_b --by op
check "a table has both names, which differ" contains "$out" "..zfjs75"
check "each of them" contains "$out" "..cfjs75"
try "$aqueduct" compare graph_a graph_c --by op --json
check "a graph that is new parts no other's pair: none is paired" \
  [ "$(jq '[.[0].groups[] | select(.new_name)] | length' "$work/out")" = 0 ]
try "$aqueduct" compare graph_b graph_c --by op --json
check "words are no hashes" \
  [ "$(jq '[.[0].groups[] | select(.new_name)] | length' "$work/out")" = 0 ]

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
imported() { # RUN: once; false: there is no such trace
  [ -f "$data/$1.json.gz" ] || return 1
  [ -f "$work/imported_$1" ] || "$aqueduct" import "$data/$1.json.gz" --name "$1" -q > /dev/null 2>&1
  : > "$work/imported_$1"
}
groupings="kernel queue stream device class kind via all range path op module line stack step rank shape family collective"
while read -r a b without; do
  if ! imported "$a" || ! imported "$b"; then
    skip "$a, $b: groups differ by their sums" "no published traces in AQ_DATA"
    continue
  fi
  for by in ${groupings/$without/}; do
    "$aqueduct" compare "$a" "$b" --by "$by" --json > "$work/compare_$by"
    "$aqueduct" stats "$a" --by "$by" --json --top 100000 > "$work/a_$by"
    "$aqueduct" stats "$b" --by "$by" --json --top 100000 > "$work/b_$by"
  done
  # shellcheck disable=SC2086 # a list
  try python3 "$reader" "$work" "$data/$a.json.gz" "$data/$b.json.gz" ${groupings/$without/}
  check "$a, $b: groups differ by their sums" [ "$status" = 0 ]
done << 'END'
mi300x_bert mi300x_nsfw_vit
mi300x_flux_iter0 mi300x_flux_sage step
mi300x_resnet18 mi210_resnet_bwd
END

# Steps that the profiler numbers from 3 and from 7, and without numbers, with operators and
# without; the 2nd step of the second lasts longer, and it has one step more.
python3 - "$work" << 'END'
import json, sys
def trace(name, first, steps, time, ops=True):
    events, number = [], 0
    def span(cat, name, pid, at, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": 1, "ts": at,
                       "dur": dur, "args": args})
    for step in range(steps):
        if first is not None:
            span("user_annotation", f"ProfilerStep#{first + step}", 1, 100 * step, 99)
        for kernel in "ab":
            number += 1
            at = 100 * step + 40 * (number % 2)
            if ops:
                span("cpu_op", "aten::op", 1, at + 1, 30, **{"External id": number})
            span("cuda_runtime", "hipLaunchKernel", 1, at + 2, 5, correlation=number)
            span("kernel", kernel, 0, at + 10, 20 if step != 1 else time, device=0, stream=7,
                 correlation=number)
    json.dump({"traceEvents": events}, open(f"{sys.argv[1]}/{name}.json", "w"))
trace("from3", 3, 3, 20), trace("from7", 7, 4, 25), trace("from8", 8, 3, 20)
trace("found", None, 3, 20), trace("marks", 3, 3, 20, ops=False)
END
for run in from3 from7 from8 found marks; do
  "$aqueduct" import "$work/$run.json" --name $run -q > /dev/null 2>&1
done
stepped() { # of a comparison: steps, matched, difference
  jq -c '[.[0].groups[] | [.key, .new_key, .matched, .kernel.lost_ns]] | sort' "$work/out"
}
try "$aqueduct" compare from3 from7 --by step
check "profiler steps without a common number are paired by order, which a line says" \
  contains "$(echo "$out" | tr -s ' ')" "
steps: no common ProfilerStep number, so the nth of one with the nth of the other"
check "with both numbers" contains "$(echo "$out" | tr -s ' ')" "
4 > 8 2 2 20.000 25.000 +5.000 "
try "$aqueduct" compare from3 from7 --by step --json
check "the rest have no partner" [ "$(stepped)" \
  = '[[3,7,2,0],[4,8,2,10000],[5,9,2,0],[10,null,0,40000]]' ]
check "JSON says so, too" [ "$(jq -c '.[0].steps' "$work/out")" = \
  '{"was_by":"ProfilerStep","by":"ProfilerStep","was_kernels":null,"kernels":null,"paired_by":"order"}' ]
try "$aqueduct" compare from3 from7 --by step --time 90us.. --json
check "a part pairs as the whole run does" [ "$(jq -c '[.[0].groups[] | [.key, .new_key]] | sort' \
  "$work/out")" = '[[4,8],[5,9],[10,null]]' ]
try "$aqueduct" compare from8 from7 --by step --json
check "equal numbers are paired where there are some" \
  [ "$(jq -c '[.[0].groups[] | [.key, .new_key]] | sort' "$work/out") $(jq -r '.[0].steps.paired_by' \
  "$work/out")" = '[[7,null],[8,null],[9,null],[10,null]] number' ]
try "$aqueduct" compare from3 found --by step
check "marked steps and repetitions are not compared" [ "$status" = 2 ]
check "with what they are" contains "$err" "is ProfilerStep, of run"
check "and how many kernels" contains "$err" \
  "a repeated sequence of 2 kernels: not compared by step"
try "$aqueduct" compare found from3 --by step --json
check "nor the other way round" [ "$status" = 2 ]
try "$aqueduct" compare found found --match order --by step
check "a line says where both are repetitions" contains "$out" "
steps: a repeated sequence of 2 kernels in the first, a repeated sequence of 2 kernels in the second"
try "$aqueduct" compare from7 from7 --against from3 from3 --by step --json
check "versions pair by order, too" [ "$(jq -c '[.steps_by_order, ([.groups[] | [.key,
  .before_us // 0, .after_us]] | sort)]' "$work/out")" \
  = '[2,[[3,40,40],[4,40,50],[5,40,40],[10,0,40]]]' ]
try "$aqueduct" compare from7 from7 --against from3 from3 --by step
check "which a line says" contains "$out" "steps of 2 runs by order: no ProfilerStep number in common"
try "$aqueduct" compare from3 found --against from3 from3 --by step
check "and refuse steps of another kind" contains "$err" "not compared by step"
"$aqueduct" replay marks --device mi300x --name marks_again -q > /dev/null
for runs in "marks marks_again" "marks_again marks"; do
  # shellcheck disable=SC2086 # a list
  try "$aqueduct" compare $runs --by step --json
  check "$runs: a replay has the steps of its origin" [ "$(jq -c '[.[0].groups[] | [.key,
    .matched]] | sort' "$work/out") $(jq -r '.[0].steps.paired_by' "$work/out")" \
    = '[[3,2],[4,2],[5,2]] replay' ]
done
if imported mi300x_flux_iter0 && imported mi300x_flux_sage; then
  try "$aqueduct" compare mi300x_flux_iter0 mi300x_flux_sage --by step
  check "repetitions of a published profile are no ProfilerStep" contains "$err" \
    "a repeated sequence of 1000 kernels, of run"
else
  skip "repetitions of a published profile are no ProfilerStep" "no published traces in AQ_DATA"
fi

# Two devices with a queue each, of which either starts first; three queues against two, of
# which two have the same ids; and times of nothing.
python3 - "$work" << 'END'
import json, sys
US = 10 ** 6
def place(number, source):
    return {"ordinal": number, "id": source}
def write(name, rows):
    with open(f"{sys.argv[1]}/{name}.jsonl", "w") as to:
        for row in sorted(rows, key=lambda r: r["start"]):
            print(json.dumps({"kind": "kernel", **row}), file=to)
def two(name, first, more=0):
    order = [10, 11] if first == 10 else [11, 10]
    write(name, [{"name": f"k{id}", "device": place(order.index(id), id),
                  "queue": place(order.index(id), 5), "start": (100 * i + order.index(id)) * US,
                  "end": (100 * i + order.index(id) + time) * US}
                 for i in range(20) for id, time in ((10, 10 + more), (11, 30))])
two("ab", 10), two("ab2", 10), two("ba", 11, 1), two("ba2", 11, 1)
def queues(name, ids):
    write(name, [{"name": f"k{id}", "device": place(0, 0), "queue": place(n, id),
                  "start": (100 * i + n) * US, "end": (100 * i + n + id) * US}
                 for i in range(10) for n, id in enumerate(ids)])
queues("three", [30, 20, 10]), queues("some", [10, 30])
def zero(name, time):
    write(name, [{"name": "k", "device": place(0, 0), "queue": place(0, 0),
                  "start": 100 * i * US, "end": (100 * i + time) * US} for i in range(10)])
zero("nothing", 0), zero("something", 4)
END
for name in ab ab2 ba ba2 three some nothing something; do
  "$aqueduct" import "$work/$name.jsonl" --name $name -q > /dev/null 2>&1
done
for by in device queue; do
  try "$aqueduct" compare ab ba --by $by --json
  check "each $by has its own partner, whichever comes first" \
    [ "$(jq -c '[.[0].groups[] | [.key, .matched, .kernel.lost_ns]] | sort' "$work/out")" \
    = '[[0,20,20000],[1,20,0]]' ]
  try "$aqueduct" compare ab ab2 --against ba ba2 --by $by --json
  check "each $by of versions, too" \
    [ "$(jq -c '[.groups[] | [.key, .before_calls, .after_calls,
      .before_us, .after_us]] | sort' "$work/out")" \
    = '[[0,20,20,600,600],[1,20,20,220,200]]' ]
done
try "$aqueduct" compare three some --by queue --json
check "of other numbers of queues, those with one id are one" \
  [ "$(jq -c '[.[0].groups[] | [.key, .was_calls, .calls]] | sort' "$work/out")" \
  = '[[0,10,10],[1,10,0],[2,10,10]]' ]
try "$aqueduct" compare some three --by queue --json
check "and the others follow the first run's" \
  [ "$(jq -c '[.[0].groups[] | [.key, .was_calls, .calls]] | sort' "$work/out")" \
  = '[[0,10,10],[1,10,10],[2,0,10]]' ]
# A device with a range alone corresponds to no other.
python3 - "$work" << 'END'
import json, sys
rows = open(f"{sys.argv[1]}/ab.jsonl").read()
with open(f"{sys.argv[1]}/more.jsonl", "w") as to:
    to.write(rows.replace('"id": 11}', '"id": 21}').replace('"id": 10}', '"id": 20}'))
    print(json.dumps({"kind": "range", "name": "idle", "device": {"ordinal": 2, "id": 5},
                      "queue": {"ordinal": 2, "id": 5}, "start": 3000 * 10 ** 6,
                      "end": 3001 * 10 ** 6}), file=to)
END
"$aqueduct" import "$work/more.jsonl" --name more -q > /dev/null
for by in device queue; do
  try "$aqueduct" compare ab more --by $by --json
  check "a $by without dispatches corresponds to none" \
    [ "$(jq -c '[.[0].groups[] | [.key, .matched]] | sort' "$work/out")" = '[[0,20],[1,20]]' ]
done
try "$aqueduct" compare nothing something
check "a change of nothing has no percentage" \
  [ "$(echo "$out" | grep -c '^k .* - \*')$(echo "$out" | grep -c '+0.0 \*')" = 10 ]
try "$aqueduct" compare nothing something --format markdown
check "in Markdown, too" contains "$out" "| **-** |"
try "$aqueduct" compare ab something --match correlation
check "what dispatches have not in common is named" contains "$err" "in common, by correlation"

run=mixrank_resnet_train_4rank
what="ranks with clocks of their own: each has its dispatches' partners, and no difference"
if imported $run; then
  python3 "$srcdir/tests/report/split_ranks.py" "$data/$run.json.gz" "$work" 0 3000000 -2000000 700000
  "$aqueduct" import --ranks "$work"/rank?.json --name apart -q > /dev/null 2>&1
  try "$aqueduct" compare $run apart --step 10 --by rank --json
  check "$what" [ "$(jq -c '.[0] | [.only_reference, .only_run, .matched_within,
    ([.groups[] | .kernel.changed_ns, .kernel.lost_ns, .was_calls - .matched] | unique)]' "$work/out")" \
    = '[0,0,"device",[0]]' ]
else
  skip "$what" "no published traces in AQ_DATA"
fi
finish
