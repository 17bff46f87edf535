#!/bin/sh
# SPDX-License-Identifier: MIT
# The layer rule of doc/ARCHITECTURE.md: the allowed includes, the owner of each
# foreign header, and that every header compiles alone. layers.tsv is the table.
srcdir=${AQ_SRCDIR:-.}
builddir=${AQ_BUILDDIR:-.}
table=$srcdir/tests/arch/layers.tsv
count=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

report() { # STATUS NAME DETAILS
  count=$((count + 1))
  if [ "$1" = 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    echo "$3" | sed 's/^/# /'
  fi
}

# Project headers that FOLDER includes from a folder it may not use. A header
# without a folder is config.h. The row of a room speaks of all files below it,
# the row of a sub-room (ROOM/SUB-ROOM) of its own; there, another room stands
# for all of it, and the room itself for the files beside its sub-rooms.
forbidden_includes() { # FOLDER ALLOWED
  depth=1
  [ "${1#*/}" != "$1" ] || depth=99
  # shellcheck disable=SC2046 # a list of files
  awk -v folder="$1" -v allowed=" $1 $2 " '
    BEGIN { split(folder, parts, "/") }
    /^#include "[^"]*\// {
      name = $0
      sub(/^#include "/, "", name)
      sub(/\/[^\/"]*".*/, "", name)
      room = name
      sub(/\/.*/, "", room)
      whole = room != parts[1] || folder == room
      if (!index(allowed, " " name " ") &&
          !(whole && index(allowed, " " room " ")))
        print FILENAME ":" FNR ": " $0
    }' $(find "$srcdir/src/$1" -maxdepth $depth -name '*.[ch]') /dev/null
}

# Foreign headers that only the folders whose rows name them may include, with
# what lies below them.
stolen_headers() { # HEADER…
  for header; do
    owners=$(awk -F '\t' -v header="$header" '
      !/^#/ && index(" " $4 " ", " " header " ") {
        printf "%s ", $1 }' "$table")
    grep -F "#include <$header>" "$work/foreign" |
      awk -v skip="$srcdir/src/" -v owners="$owners" '
        BEGIN { count = split(owners, owner, " ") }
        {
          path = substr($0, length(skip) + 1)
          for (i = 1; i <= count; i++)
            if (index(path, owner[i] "/") == 1)
              next
          print
        }'
  done
}

# Every include of a foreign header, read once.
grep -rHn --include='*.[ch]' '^#include <' "$srcdir/src" > "$work/foreign"

tab=$(printf '\t')
while IFS=$tab read -r folder _ allowed owned; do
  case $folder in '#'* | '') continue ;; esac
  [ -d "$srcdir/src/$folder" ] || continue
  [ "$allowed" = - ] && allowed=
  bad=$(forbidden_includes "$folder" "$allowed")
  report "$([ -z "$bad" ]; echo $?)" \
    "src/$folder includes only: ${allowed:-itself}" "$bad"
  if [ "$owned" != - ]; then
    # shellcheck disable=SC2086 # a list of headers
    bad=$(stolen_headers $owned)
    report "$([ -z "$bad" ]; echo $?)" \
      "only owners as src/$folder include $owned" "$bad"
  fi
done < "$table"

unlisted=
for folder in $(find "$srcdir/src" -name '*.[ch]' ! -path '*/device/*' |
  sed 's,/[^/]*$,,' | sort -u); do
  name=${folder#"$srcdir/src/"}
  grep -q "^$name$tab" "$table" || unlisted="$unlisted $name"
done
report "$([ -z "$unlisted" ]; echo $?)" \
  "every folder of src/ that has sources has a row" "$unlisted"

# The build compiles each header that a .c file includes right behind config.h.
# For the others: a file that includes nothing else.
find "$srcdir/src" -path '*/device' -prune -o -name '*.c' -exec awk '
  FNR == 1 { quoted = 0 }
  /^#include "/ && ++quoted == 2 { print substr($2, 2, length($2) - 2) }' {} + |
  sort -u > "$work/built"
(cd "$srcdir/src" && find . -name '*.h') | sed 's#^\./##' | sort > "$work/headers"
comm -23 "$work/headers" "$work/built" | awk -v work="$work" '{
  name = $0
  gsub("/", "-", name)
  name = work "/" name ".c"
  printf "#include \"%s\"\n", $0 > name
  close(name)
}'
# shellcheck disable=SC2086 # a compiler may be several words
bad=$(find "$work" -name '*.c' -print0 |
  xargs -0 -P "$(nproc)" -n 50 ${AQ_CC:-cc} -std=gnu11 -D_GNU_SOURCE \
    -fsyntax-only -I"$srcdir/src" -I"$builddir/src" 2>&1) || bad="$bad failed"
report "$([ -z "$bad" ]; echo $?)" "every header compiles alone" "$bad"

# A script without the bit ends a `make check` that runs it with an error.
plain=$(find "$srcdir/tests" -name 'test_*.sh' ! -perm -u+x)
report "$([ -z "$plain" ]; echo $?)" "every test script can be executed" \
  "$plain"

# Without config.h the features that configure found are silently compiled out.
# The device library is compiled for GPUs, without a configured tree.
late=$(find "$srcdir/src" -path '*/device' -prune -o -name '*.c' -exec awk '
  FNR == 1 { seen = 0 }
  !seen && /^#/ {
    seen = 1
    if ($0 != "#include \"config.h\"")
      print FILENAME ":" FNR ": " $0
  }' {} +)
report "$([ -z "$late" ]; echo $?)" "every .c file includes config.h first" \
  "$late"

echo "1..$count"
