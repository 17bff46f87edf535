#!/bin/sh
# SPDX-License-Identifier: MIT
# The drop-in exports the functions of its table in ROCR_1 and nothing else, is
# called as the real one, and needs no library that a foreign process would not
# expect.
srcdir=${AQ_SRCDIR:-.}
library=${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so.1
count=0

report() { # STATUS NAME DETAILS
  count=$((count + 1))
  if [ "$1" = 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    echo "$3" | sed 's/^/# /'
  fi
}

listed=$(sed -n 's/^[RSUD](\([a-z0-9_]*\),.*/\1/p' \
  "$srcdir/src/dropin/hsa/base/functions.def" |
  sed '$a_amdgpu_r_debug' | LC_ALL=C sort)
exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' |
  sed 's/@@ROCR_1$//' | LC_ALL=C sort)
report "$([ "$listed" = "$exported" ]; echo $?)" \
  "exactly the functions of the table and one list are exported, in ROCR_1" \
  "$(printf '%s\n%s\n' "$listed" "$exported" | sort | uniq -u)"

soname=$(readelf -d "$library" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
report "$([ "$soname" = libhsa-runtime64.so.1 ]; echo $?)" \
  "the SONAME is libhsa-runtime64.so.1" "$soname"

bad=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' |
  grep -vE '^(libc|libm|libpthread|libdl|ld-linux.*|libasan|libubsan|libtsan)\.so')
report "$([ -z "$bad" ]; echo $?)" "it needs no other library" "$bad"
echo "1..$count"
