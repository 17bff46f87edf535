#!/bin/sh
# SPDX-License-Identifier: MIT
# The recipes of HACKING are true: every file that they name exists, and five of
# them, as patches, apply and change only files that their recipe names. With
# AQ_WHOLE a copy of the tree is built with all five, and their additions are used.
srcdir=$(cd "${AQ_SRCDIR:-.}" && pwd)
builddir=$(cd "${AQ_BUILDDIR:-.}" && pwd)
recipes=$srcdir/tests/arch/recipes
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
report() { # STATUS NAME FILE
  count=$((count + 1))
  if [ "$1" = 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    sed 's/^/# /' "$3"
  fi
}

# One recipe a line. Placeholders (NAME.c) are in capitals.
sed '1,/^## Recipes/d' "$srcdir/doc/HACKING.md" | tr '\n' ' ' |
  sed 's/ *\*\*\(An\? \)/\n**\1/g' > "$work/recipes"
(cd "$srcdir" && find src tests tools doc traces -type f ! -path '*/.*') > "$work/files"
grep -oE '`[^` ]+\.(c|h|def|inc|mk|tsv|sh|md|py|device|map)`' "$work/recipes" | tr -d '`' |
  grep -vE '[A-Z]{4}|\*' | sort -u > "$work/named"
while read -r name; do
  grep -qE "(^|/)$name\$" "$work/files" || echo "$name"
done < "$work/named" > "$work/gone"
[ "$(wc -l < "$work/named")" -gt 50 ] || echo "few files are named" >> "$work/gone"
report "$([ ! -s "$work/gone" ]; echo $?)" "every file that a recipe names exists" "$work/gone"

# Files in which the recipe's addition is used.
uses='src/cli/commands/cmd_list.c src/backend_sim/model/cost.h'
recipe() { # WORDS: a recipe, under the title of its first
  grep -E "^\*\*(A|An) $1\.\*\*" "$work/recipes"
}
for title in policy importer option 'timing key' opcode; do
  patch=$recipes/$(echo "$title" | tr ' ' '-').patch
  recipe "$title" > "$work/recipe"
  rm -rf "$work/part"
  : > "$work/out"
  sed -n 's/^+++ \([^	]*\).*/\1/p' "$patch" > "$work/touched"
  while read -r file; do
    mkdir -p "$work/part/$(dirname "$file")"
    if [ -e "$srcdir/$file" ]; then
      cp "$srcdir/$file" "$work/part/$file"
      case " $uses " in *" $file "*) continue ;; esac
      grep -qF "$(basename "$file")\`" "$work/recipe" ||
        echo "the recipe does not name $file" >> "$work/out"
    fi
  done < "$work/touched"
  chmod -R u+w "$work/part"
  patch -s -f -p0 -d "$work/part" < "$patch" >> "$work/out" 2>&1 ||
    echo "$patch does not apply" >> "$work/out"
  report "$(! grep -qE 'does not' "$work/out"; echo $?)" \
    "the recipe \"$title\" applies, and names the files that it changes" "$work/out"
  # The copy's headers come first, the tree's behind them.
  find "$work/part" -name '*.c' -exec "${CC:-cc}" -std=gnu11 -fsyntax-only -w \
    -DHAVE_CONFIG_H -D_GNU_SOURCE "-I$builddir" "-I$work/part/src" "-I$srcdir/src" \
    "-I$builddir/src" {} \; > "$work/out" 2>&1
  report "$([ ! -s "$work/out" ]; echo $?)" "the recipe \"$title\" compiles" "$work/out"
done

finish() {
  echo "1..$count"
  exit 0
}
[ -n "${AQ_WHOLE:-}" ] || finish

# ---- a copy with all five, built ----

inside=${builddir#"$srcdir"/}
if [ "$inside" = "$builddir" ] || ! command -v automake > /dev/null; then
  echo "# not built: it needs automake, and a build folder in the tree"
  finish
fi
mkdir "$work/tree"
(cd "$srcdir" && find . -mindepth 1 -maxdepth 1 ! -name .git \
  ! -exec test -e '{}/config.status' ';' -print) |
  (cd "$srcdir" && xargs cp -a -t "$work/tree")
mkdir -p "$work/tree/$inside"
cp -a "$builddir/." "$work/tree/$inside"
chmod -R u+w "$work/tree"
for patch in "$recipes"/*.patch; do
  patch -s -f -p0 -d "$work/tree" < "$patch" > /dev/null
done
(cd "$work/tree" && automake --foreign Makefile && cd "$inside" &&
  ./config.status Makefile depfiles &&
  make -j2 CFLAGS='-O0' aqueduct libaqueduct.la) > "$work/out" 2>&1
built=$?
tail -n 20 "$work/out" > "$work/tail"
report "$built" "the tree is built with all five" "$work/tail"
[ $built = 0 ] || finish
cd "$work" || exit 1
export AQUEDUCT_STORE="$work/s.db"
aqueduct=$work/tree/$inside/aqueduct

check() { # NAME EXPECTED: of what the file out has
  grep -qE "$2" "$work/out"
  report $? "$1" "$work/out"
}

cat > order.json << 'END'
{"version": 1, "device": "mi300x",
 "kernels": {"a": {"cost": "50us"}, "b": {"cost": "5us"}, "c": {"cost": "5us"}},
 "requests": {"ra": {"steps": [{"kernel": "a"}]}, "rb": {"steps": [{"kernel": "b"}]},
  "rc": {"steps": [{"kernel": "c"}, {"marker": true}]}},
 "clients": [{"request": "ra", "open": {"at": ["0us"]}},
  {"request": "rb", "open": {"at": ["1us"]}},
  {"request": "rc", "open": {"at": ["2us"]}}]}
END
{
  "$aqueduct" run order.json --policy lifo --name lifo
  "$aqueduct" export lifo --format csv -o lifo.csv
  awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    $(at["name"]) ~ /^[abc]$/ { print $(at["start"]), $(at["name"]) }' lifo.csv |
    sort -n | awk '{ printf "%s", $2 } END { print " in order" }'
} > out 2>&1
check "the policy serves the last job first" "^acb in order"

printf '{"interval": "k", "from": %s, "to": %s}\n' 1000 3000 4000 9000 > kernels.txt
{
  "$aqueduct" import kernels.txt --name kernels
  "$aqueduct" list formats
  "$aqueduct" export kernels --format jsonl
} > out 2>&1
check "the importer reads its file" '"name": ?"k".*"end": ?8000000'

"$aqueduct" list formats --total > out 2>&1
check "the option has its effect" '^[0-9]+ formats$'
"$aqueduct" help list > out 2>&1
check "the option is in the help" '^ *--total'

"$aqueduct" show mi300x > out 2>&1
check "the device model has the timing key" '^ *barrier_pause'
for pause in 0us 1ms; do
  "$aqueduct" run order.json --set barrier_pause=$pause --name pause$pause
done > out 2>&1
"$aqueduct" export pause1ms --format csv > slow.csv
"$aqueduct" export pause0us --format csv > fast.csv
cmp fast.csv slow.csv >> out 2>&1
check "the timing key moves the timeline" 'differ'

cc=${AQ_CC:-cc}
$cc -std=gnu11 -I"$work/tree/src" -I"$work/tree/$inside/src" \
  -o opcode "$recipes/opcode.c" -L"$work/tree/$inside/.libs" -laqueduct > out 2>&1 &&
  LD_LIBRARY_PATH=$work/tree/$inside/.libs ./opcode > out 2>&1
check "the opcode is built and printed" 'pause.*42'
finish
