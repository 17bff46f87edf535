#!/bin/sh
# SPDX-License-Identifier: MIT
# Each policy of submissions decides on `hsa`, over the drop-in, as on `sim`:
# the same admissions, and the same commands of the same jobs to the same queues
# in the same order. The drop-in's host races with its device, so time must not
# decide: there is one queue, most policies have one turn in flight, and with
# host_latency the host has read all present jobs before the first is submitted,
# and gets arrivals before completions.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP the drop-in is loaded into a sanitized program"
  exit 0 ;;
esac
builddir=${AQ_BUILDDIR:-.}
unset AQUEDUCT_PLUGIN_PATH AQUEDUCT_POLICY MAKEFLAGS MFLAGS MAKELEVEL
AQUEDUCT_LIBHSA_PATH=$builddir/.libs/libhsa-runtime64.so.1
export AQUEDUCT_LIBHSA_PATH
scenario=$srcdir/tests/scheduler/decisions.json

policies() { # yes|no: the built-in ones with or without a device half
  "$aqueduct" list policies --json | sed -n \
    's/.*"name": "\(.*\)",/\1/p; s/.*"device_half": "\(.*\)",/\1/p' |
    paste -d ' ' - - | sed -n "s/ $1\$//p"
}

# What keeps time and the device's parallelism out of the order.
settings_of() { # POLICY
  case $1 in
  lottery) echo ,turn=1 ;;
  mlfq) echo ,boost=0ns ;;
  xsched) echo ,threshold=1,batch=1 ;;
  */batch.so) echo ,window=200us,size=5 ;;
  esac
}

# Runs the scenario; the policy's hooks and decisions, without times, are in
# $work/TRANSPORT. Completions are left out: of several jobs in flight, the
# device chooses which is reported first.
decide() { # TRANSPORT POLICY
  : > "$work/$1.jsonl"
  try "$aqueduct" run "$scenario" --transport "$1" --queues 1 --quiet \
    --policy "$2$(settings_of "$2"),host_latency=50us" \
    --decision-log "$work/$1.jsonl"
  sed '/"hook":"[a-z_]*done"/d; s/"t":[0-9]*,//' "$work/$1.jsonl" > "$work/$1"
}

submits_all() { # FILE: the commands of all jobs, once each
  [ "$(sed -n 's/.*"act":"submit".*"commands":\([0-9]*\)}/\1/p' "$1" |
    awk '{sum += $1} END {print sum}')" = 54 ]
}

same() { # NAME POLICY
  decide sim "$2"
  check "$1 runs on sim" [ "$status" = 0 ]
  check "and submits all commands" submits_all "$work/sim"
  decide hsa "$2"
  check "$1 runs on hsa" [ "$status" = 0 ]
  check "and decides the same there" cmp -s "$work/sim" "$work/hsa"
  diff "$work/sim" "$work/hsa" | sed 's/^/# /'
  cksum < "$work/hsa" >> "$work/orders"
}

: > "$work/orders"
for policy in $(policies no); do
  same "$policy" "$policy"
done
check "policies without a device half are found" \
  [ "$(wc -l < "$work/orders")" -ge 10 ]

mkdir "$work/example"
cp "$srcdir"/doc/examples/policy/* "$work/example"
try make -s -C "$work/example" CC="${AQ_CC:-cc}" AQ_CFLAGS="-I$builddir/public"
check "a policy outside of the tree is built" [ "$status" = 0 ]
same "it" "$work/example/batch.so"
check "the jobs tell all these policies apart" \
  [ "$(sort -u "$work/orders" | wc -l)" = "$(wc -l < "$work/orders")" ]

stored=$("$aqueduct" list runs --names | wc -l)
for policy in $(policies yes); do
  try "$aqueduct" run "$scenario" --transport hsa --policy "$policy"
  check "$policy, which has a device half, is refused on hsa" [ "$status" = 2 ]
  check "with the reason" contains "$err" \
    "policy $policy decides inside the device, which transport hsa does not offer"
done
check "and nothing of them is stored" \
  [ "$("$aqueduct" list runs --names | wc -l)" = "$stored" ]
check "policies with a device half are found" [ -n "$(policies yes)" ]
finish
