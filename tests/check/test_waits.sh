#!/bin/bash
# SPDX-License-Identifier: MIT
# The compiler's s_waitcnt are all needed: a kernel is silent with them, and
# each of them that waits for nothing is a missing wait.
aqueduct=$AQ_BUILDDIR/aqueduct
source=$AQ_SRCDIR/tests/check/waits.hip
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/store.db
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP TSan needs its program sanitized"; exit 0 ;;
esac

if ! command -v hipcc > /dev/null ||
  ! hipcc --genco -DKERNEL -O2 --offload-arch=gfx90a -o "$work/mix.bundle" \
    "$source" > "$work/log" 2>&1 ||
  ! hipcc -O1 --offload-arch=gfx90a -o "$work/waits" "$source" \
    > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed, or cannot compile here"
  exit 0
fi

run() { # N
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check=wait \
    --check-report "$work/report" "$work/waits" "$work/mix.bundle" "$1" \
    > "$work/out" 2>&1
}

number=0
result() { # OK NAME
  number=$((number + 1))
  echo "$1 $number - $2"
  [ "$1" = ok ] || sed 's/^/# /' "$work/report" "$work/out" | head -20
}

count=$("$work/waits" "$work/mix.bundle")
ok="not ok"
[ "$count" -ge 4 ] && ok=ok
result "$ok" "the kernel has $count waits"
ok="not ok"
run "$count" && grep -q "nothing found" "$work/report" && ok=ok
result "$ok" "the compiler's waits are enough"
for ((i = 0; i < count; i++)); do
  ok="not ok"
  run "$i"
  [ $? -eq 1 ] && grep -q "(wait): missing wait" "$work/report" && ok=ok
  result "$ok" "wait $i is missed"
done
echo "1..$number"
