#!/bin/sh
# SPDX-License-Identifier: MIT
# Global symbols carry the prefix of their layer, and the library exports
# nothing but AQ_API symbols.
srcdir=${AQ_SRCDIR:-.}
builddir=${AQ_BUILDDIR:-.}
tab=$(printf '\t')
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

# Defined global symbols of a folder's objects, without what tools add.
folder_symbols() { # FOLDER
  find "$builddir/src/$1" -maxdepth 1 -name 'libaqcore_a-*.o' \
    -exec nm -g --defined-only {} + 2>/dev/null |
    awk 'NF == 3 && $3 !~ /^(__|_asan|\.)/ { print $3 }'
}

while IFS=$tab read -r folder prefix _; do
  case $folder in '#'* | '') continue ;; esac
  [ -d "$builddir/src/$folder" ] || continue
  bad=$(folder_symbols "$folder" | grep -v "^$prefix")
  report "$([ -z "$bad" ]; echo $?)" \
    "global symbols of src/$folder begin with $prefix" "$bad"
done < "$srcdir/tests/arch/layers.tsv"

library=$builddir/.libs/libaqueduct.so
if [ -e "$library" ]; then
  bad=$(nm -D --defined-only "$library" |
    awk '$3 !~ /^aq(sim)?_/ && $3 !~ /^AQUEDUCT_/ { print $3 }')
  report "$([ -z "$bad" ]; echo $?)" "libaqueduct exports only its API" "$bad"
  internal=$(nm -D --defined-only "$library" | grep -cw aq_map_put)
  report "$internal" "libaqueduct hides what is not AQ_API" "aq_map_put"
fi

runtime=$builddir/.libs/libaqueduct_mlir_runtime.so
if [ -e "$runtime" ]; then
  bad=$(nm -D --defined-only "$runtime" | awk '$3 !~ /^(mgpu|MLIR_ROCM_)/')
  report "$([ -z "$bad" ]; echo $?)" \
    "the runtime of MLIR exports only its interface" "$bad"
fi
echo "1..$count"
