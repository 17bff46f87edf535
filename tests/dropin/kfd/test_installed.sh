#!/bin/sh
# SPDX-License-Identifier: MIT
# AMD's own runtime, as the system has it, above the simulated driver: programs
# do the same as over the drop-in, and the contract of transports holds on it.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
AQUEDUCT_STORE=$work/runs.db
export AQUEDUCT_STORE
runtime=$(ldconfig -p 2> /dev/null |
  sed -n 's/.*=> \(.*libhsa-runtime64\.so\.1\)$/\1/p' | head -n 1)
if [ -z "$runtime" ]; then
  echo "1..0 # SKIP AMD's HSA runtime is not installed"
  exit 0
fi

# ---- rocminfo ----

# What both runtimes say of the device: all but its name on the market, and the
# host.
device_of() { # FILE
  sed -n '/Agent 2/,$p' "$1" | grep -v "Marketing Name"
}

if command -v rocminfo > /dev/null; then
  for model in mi210 mi100 mi50 mi25 "mi210*3"; do
    try "$aqueduct" exec --device "$model" -- rocminfo
    device_of "$work/out" > "$work/dropin"
    try "$aqueduct" exec --runtime installed --device "$model" -- rocminfo
    device_of "$work/out" > "$work/installed"
    check "$model: rocminfo says the same of the device" \
      diff "$work/dropin" "$work/installed"
  done
  # AMD's has no fine-grained pool without a hive, and 5.2.3 counts its arrays.
  try "$aqueduct" exec --runtime installed --device rx6900xt -- rocminfo
  check "rx6900xt: rocminfo finds it" contains "$out" "amdgcn-amd-amdhsa--gfx1030"
else
  skip "rocminfo says the same of the device" "rocminfo is not installed"
fi

# ---- HIP ----

same() { # PROGRAM MODEL SENTENCE
  try "$aqueduct" exec --timeout 120s --device "$2" --cost fixed -- "$work/$1"
  ended=$status
  cp "$work/out" "$work/dropin"
  try "$aqueduct" exec --timeout 120s --runtime installed --device "$2" -- \
    "$work/$1"
  check "$3" [ "$status $(cmp "$work/out" "$work/dropin" && echo same)" = \
    "$ended same" ]
}

if command -v hipcc > /dev/null; then
  for name in hip_api host_memory ipc stream_memory events newer_blits float_atomics; do
    if ! hipcc -std=c++17 -O1 --offload-arch=gfx90a -o "$work/$name" \
      "$srcdir/tests/rocm/$name.hip" > "$work/log" 2>&1; then
      skip "$name.hip prints the same" \
        "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
      continue
    fi
    same "$name" "mi210*2" "$name.hip prints the same"
  done
  if [ -x "$work/host_memory" ]; then
    try "$aqueduct" exec --runtime installed --device mi210 --json -o "$work/id" \
      -- "$work/host_memory"
    try "$aqueduct" stats "$(cat "$work/id")"
    check "the runs are stored, with kernels by their names" \
      contains "$out" "__amd_rocclr_"
  fi
else
  skip "HIP's programs print the same" "hipcc is not installed"
fi

# ---- --check ----

if [ -x "$work/host_memory" ]; then
  for name in hip_api host_memory stream_memory; do
    try "$aqueduct" exec --runtime installed --device "mi210*2" -- "$work/$name"
    cp "$work/out" "$work/plain"
    try "$aqueduct" exec --runtime installed --device "mi210*2" --check -- \
      "$work/$name"
    check "--check finds nothing in $name.hip, which prints the same" [ \
      "$status $(cmp "$work/out" "$work/plain" && echo same) $(echo "$err" |
        grep -cE ': 0 errors(, [0-9]+ notes?)?$')" = "0 same 1" ]
  done
  hipcc -g -std=c++17 -O1 --offload-arch=gfx90a -o "$work/defects" \
    "$srcdir/tests/dropin/kfd/defects.hip" > "$work/log" 2>&1
  try "$aqueduct" exec --runtime installed --device mi210 --check -- \
    "$work/defects"
  found() { # LINE OF THE REPORT, FUNCTION, ITS FIRST LINE IN THE SOURCE
    check "--check finds: $1" [ "$(echo "$err" | grep -A 1 -F "$1" |
      grep -c "at $2.* in .*defects.hip:$3\$")" = 1 ]
  }
  found "ERROR (init): uninitialised branch" "unwritten(int" \
    "$(grep -n '> 5' "$srcdir/tests/dropin/kfd/defects.hip" | cut -d : -f 1)"
  found "POSSIBLE (race): race between workgroups" "racing(int" \
    "$(grep -n 'blockIdx' "$srcdir/tests/dropin/kfd/defects.hip" | cut -d : -f 1)"
  found "ERROR (memory): wild pointer" "wild(int" \
    "$(grep -n '\[at\]' "$srcdir/tests/dropin/kfd/defects.hip" | cut -d : -f 1)"
  check "and leaves out what is wrong in the runtime's own kernels" [ \
    "$status $(echo "$err" | grep -c ' kernel_') $(echo "$err" |
      grep -c "runtime's kernels left out")" = "1 0 1" ]
else
  skip "--check finds a program's defects" "hipcc is not installed"
fi

# ---- the transport hsa ----

contract=${AQ_BUILDDIR:-.}/tests/contract/test_contract
if [ -x "$contract" ]; then
  # The test's own search finds the drop-in of the build first; a TAP log has a
  # line for each case that passes, too.
  AQ_TRANSPORT=hsa AQUEDUCT_LIBHSA_PATH=$runtime CK_TAP_LOG_FILE_NAME=-
  export AQ_TRANSPORT AQUEDUCT_LIBHSA_PATH CK_TAP_LOG_FILE_NAME
  # Copies go by rings of copy engines, or without them by kernels.
  for engines in 1 0; do
    HSA_ENABLE_SDMA=$engines
    export HSA_ENABLE_SDMA
    try "$aqueduct" exec --quiet --runtime installed --device mi210 --json \
      -o "$work/id" -- "$contract"
    # Of the list: cases that may fail, and cases that have to.
    awk -F '\t' -v engines="$engines" -v work="$work" '
      /^#/ { next }
      NF != 3 || $2 !~ /^(always|at times|without engines)$/ {
        print "contract_fails.tsv, line " NR ": expected always, at times or without engines"
        next
      }
      $2 == "without engines" && engines == 1 { next }
      { print $1 > (work "/may.list") }
      $2 != "at times" { print $1 > (work "/must.list") }
    ' "$srcdir/tests/dropin/kfd/contract_fails.tsv" > "$work/bad"
    check "the list says when each case fails" [ "$(cat "$work/bad")" = "" ]
    sort "$work/may.list" > "$work/may"
    sort "$work/must.list" > "$work/must"
    sed -n 's/^not ok [0-9]* - //p' "$work/out" | sort > "$work/failed"
    out=$(comm -13 "$work/may" "$work/failed")
    check "the contract of transports holds on it, HSA_ENABLE_SDMA=$engines: no other case fails" \
      [ "$out" = "" ]
    check "a case that holds leaves the list" \
      [ "$(comm -23 "$work/must" "$work/failed")" = "" ]
    check "each case ran" [ "$(grep -c '^\(not \)\{0,1\}ok' "$work/out") $(
      grep -c '# SKIP' "$work/out")" = "$(sed -n 's/^1\.\.//p' "$work/out") 0" ]
    # A run for each case.
    copies=$(while read -r id; do "$aqueduct" stats "$id"; done < "$work/id" 2> "$work/unread" |
      grep -c MEMORY_COPY_)
    check "and copies of engines are in its runs as it says" [ \
      "$((copies > 0)) $(($(wc -l < "$work/id") > 60))" = "$engines 1" ]
  done
  unset AQ_TRANSPORT AQUEDUCT_LIBHSA_PATH CK_TAP_LOG_FILE_NAME HSA_ENABLE_SDMA
else
  skip "the contract of transports holds on it" "test_contract is not built"
fi

# ---- ends ----

if command -v rocminfo > /dev/null; then
  "$aqueduct" exec --runtime installed --device mi210 -- \
    sh -c 'rocminfo > /dev/null; kill -9 $PPID; sleep 1' > /dev/null 2>&1
  try "$aqueduct" exec --runtime installed --device mi210 -- rocminfo
  check "a killed exec leaves nothing behind the next one" \
    [ -z "$(ls "$AQUEDUCT_STORE.spool" 2> /dev/null)" ]
fi
finish
