#!/bin/sh
# SPDX-License-Identifier: MIT
# The layer rule of doc/ARCHITECTURE.md: who may include whom, who owns which
# foreign header, and that every header compiles alone. layers.tsv is the table.
srcdir=${AQ_SRCDIR:-.}
builddir=${AQ_BUILDDIR:-.}
table=$srcdir/tests/arch/layers.tsv
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

# Project headers that FOLDER includes from a folder it may not use.
forbidden_includes() { # FOLDER ALLOWED
  grep -Hn '^#include "' "$srcdir/src/$1"/*.[ch] 2>/dev/null |
    while IFS= read -r line; do
      header=$(echo "$line" | sed 's/.*#include "\([^"]*\)".*/\1/')
      case $header in
      */*) folder=${header%%/*} ;;
      *) continue ;; # beside the file, or config.h
      esac
      case " $1 $2 " in
      *" $folder "*) ;;
      *) echo "$line" ;;
      esac
    done
}

# Foreign headers that only the folders whose rows name them may include.
stolen_headers() { # HEADER…
  for header; do
    owners=$(awk -F '\t' -v header="$header" '
      !/^#/ && index(" " $4 " ", " " header " ") { print $1 }' "$table")
    grep -Hn "^#include <$header>" "$srcdir"/src/*/*.[ch] |
      while IFS= read -r line; do
        folder=${line#"$srcdir"/src/}
        echo "$owners" | grep -qx "${folder%%/*}" || echo "$line"
      done
  done
}

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
for folder in "$srcdir"/src/*/; do
  name=$(basename "$folder")
  grep -q "^$name$tab" "$table" || unlisted="$unlisted $name"
done
report "$([ -z "$unlisted" ]; echo $?)" "every folder of src/ has a row" \
  "$unlisted"

# A process a processor: there are hundreds of headers.
bad=$(for header in "$srcdir"/src/*/*.h; do
  echo "${header#"$srcdir"/src/}"
done | xargs -P "$(nproc)" -I '{}' sh -c '
  printf "#include \"%s\"\n" "$1" |
    ${AQ_CC:-cc} -std=gnu11 -D_GNU_SOURCE -fsyntax-only -I"$2" -I"$3" \
      -x c - || echo "$1"' - '{}' "$srcdir/src" "$builddir/src" 2>&1)
report "$([ -z "$bad" ]; echo $?)" "every header compiles alone" "$bad"

echo "1..$count"
