#!/bin/sh
# SPDX-License-Identifier: MIT
# The map of the device library's objects agrees with the device models, the
# table of processors and the files; each choice of configure embeds its part.
srcdir=${AQ_SRCDIR:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$srcdir" || exit 1
map=src/gpu/devlib/targets.tsv
count=0
check() { # NAME, then a command: its failure is the test's
  name=$1
  shift
  count=$((count + 1))
  if "$@" > "$work/log" 2>&1; then
    echo "ok $count - $name"
  else
    echo "not ok $count - $name"
    sed 's/^/# /' "$work/log"
  fi
}
rows() { # of the sets that an expression names
  awk -F '\t' -v sets="$1" '!/^#/ && $2 ~ "^(" sets ")$" {print $1}' $map | sort
}
rows 'exact|both' > "$work/exact"
rows 'generic|both' > "$work/generic"
rows '.*' > "$work/all"

sed -n 's/^gfx = \([^ ]*\).*/\1/p' src/backend_sim/model/devices/*.device |
  sort -u > "$work/models"
check 'each device model has an object of its own processor' \
  cmp "$work/models" "$work/exact"

# number, name, generic, family of each row of P() as fields
sed -n 's/^P(//p' src/gpu/codeobj/processors.def | tr -d '" )' > "$work/processors"
awk -F , '$3 != "" {print $3 " " $4}' "$work/processors" > "$work/served"
awk -F , '{print $2 " " $4}' "$work/processors" | sort > "$work/families"
awk -F '\t' '!/^#/ {n = split($3, f, ","); for (i = 1; i <= n; i++)
  print $1 " " f[i]}' $map | sort > "$work/mapped"
grep -v -e '-generic' "$work/mapped" > "$work/mapped-exact"
join "$work/families" "$work/all" | grep -v -e '-generic' > "$work/of-exact"
check 'a processor serves its product family' \
  cmp "$work/of-exact" "$work/mapped-exact"
grep -e '-generic' "$work/mapped" > "$work/mapped-generic"
sort -u "$work/served" > "$work/of-generic"
check 'a generic target serves the families of its processors' \
  cmp "$work/of-generic" "$work/mapped-generic"

# shellcheck disable=SC2012 # names of our own
ls src/gpu/devlib/objects | sed 's/\.hsaco$//' | sort > "$work/files"
check 'the files are those of the map' cmp "$work/all" "$work/files"

for which in exact generic family bundle; do
  case $which in
  exact | generic) expected=$work/$which ;;
  *) expected=$work/all ;;
  esac
  sh src/gpu/devlib/embed.sh $which > "$work/$which.c"
  sed -n 's/^  {"\(.*\)", image.*/\1/p' "$work/$which.c" | sort > "$work/is"
  check "$which embeds its objects, each once" cmp "$expected" "$work/is"
  # shellcheck disable=SC2086 # a command with its options
  check "$which compiles" ${AQ_CC:-cc} -std=gnu11 -Isrc -c \
    -o "$work/$which.o" "$work/$which.c"
done
check 'another word is refused' sh -c '! sh src/gpu/devlib/embed.sh most'

# shellcheck disable=SC2046 # a list of files
sh src/gpu/devlib/bundle.sh "$work/all.hipfb" \
  $(sed 's,.*,src/gpu/devlib/objects/&.hsaco,' "$work/all") > /dev/null
bundler=$(command -v clang-offload-bundler-22 clang-offload-bundler |
  head -n 1)
if [ -n "$bundler" ]; then
  same() {
    # It looks for llvm-objcopy without a version.
    PATH=$PATH:/usr/lib/llvm-22/bin
    while read -r target; do
      "$bundler" --unbundle --type=o --input="$work/all.hipfb" \
        --targets="hipv4-amdgcn-amd-amdhsa--$target" --output="$work/o" &&
        cmp "$work/o" "src/gpu/devlib/objects/$target.hsaco" || return 1
    done < "$work/all"
  }
  check 'clang reads each object from the bundle' same
else
  count=$((count + 1))
  echo "ok $count # SKIP there is no clang-offload-bundler"
fi
echo "1..$count"
