#!/bin/bash
# SPDX-License-Identifier: MIT
# Memory of HIP's pools: blocks of their own, freed in the order of a stream.
# shellcheck source=tests/gpu/check/sites.sh
. "$AQ_SRCDIR/tests/gpu/check/sites.sh"

# shellcheck disable=SC2034 # of sites.sh
checks=all,leak
program_make pools pools -std=c++17 -g -O1 --offload-arch=gfx90a
for case in $("$work/pools" 2> /dev/null); do
  try pools "$case"
done

# HIP as a library that only its user sees.
cat > "$work/outer.c" << 'END'
#include <dlfcn.h>
int main(int count, char **arguments)
{
  void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  int (*inner)(int, char **) =
      library ? (int (*)(int, char **))dlsym(library, "inner") : 0;
  return inner ? inner(count - 1, arguments + 1) : 4;
}
END
hipcc -std=c++17 -g -O1 --offload-arch=gfx90a -fPIC -shared -Dmain=inner \
  -Wl,--defsym=inner=_Z5inneriPPc -o "$work/libinner.so" "$here/pools.hip" \
  > "$work/log" 2>&1
"${CC:-cc}" -o "$work/outer" "$work/outer.c" -ldl 2>> "$work/log"
run "$work/outer" "$work/libinner.so" freed_behind bad
found "use after free" pools.hip "$(grep -n "FINDS freed_behind" \
  "$here/pools.hip" | cut -d : -f 1)"
outcome $? "a library that only its user sees has pools"

# HIP with a thread of its own publishes the packet of a free behind its call.
AMD_DIRECT_DISPATCH=0 run "$work/pools" freed_behind fixed
grep -q 'NOTE (memory): frees not followed' "$work/report"
outcome $? "frees that publish no packet are counted"
# A device that polls may end the packet of a free before its doorbell rings.
program_make same same -std=c++17 -O1 --offload-arch=gfx90a
: > "$work/report"
for _ in 1 2 3 4; do
  "$aqueduct" exec --device mi210 --quiet --poll-queues --check=memory -- \
    "$work/same" all > "$work/out" 2> "$work/err"
  tail -n 1 "$work/out" | grep -qx 67372036 || cat "$work/err" >> "$work/report"
done
[ ! -s "$work/report" ]
outcome $? "memory of polled queues is the next block's once it is allocated again"
echo "1..$number"
