#!/bin/sh
# SPDX-License-Identifier: MIT
# Every source file, script and page of code names its licence at its head.
# Data, pages and pictures are under LICENSE.
srcdir=${AQ_SRCDIR:-.}
files=$(find "$srcdir/src" "$srcdir/tests" "$srcdir/tools" "$srcdir/python" \
  "$srcdir/cmake" \
  "$srcdir/doc/examples" "$srcdir/autogen.sh" -type f \( -name '*.[ch]' \
  -o -name '*.cpp' -o -name '*.hip' -o -name '*.inc' -o -name '*.def' \
  -o -name '*.cmake' -o -name '*.py' -o -name '*.sh' -o -name '*.js' -o -name '*.css' \))
count=$(echo "$files" | wc -l)
# shellcheck disable=SC2086 # a list of files
without=$(awk -v skip=$((${#srcdir} + 2)) '
  function end_file() { if (file != "" && !found) print substr(file, skip) }
  FNR == 1 { end_file(); file = FILENAME; found = 0 }
  FNR <= 4 && /SPDX-License-Identifier: MIT/ { found = 1 }
  FNR == 4 { nextfile }
  END { end_file() }' $files | sed 's/^/ /' | tr -d '\n')
ok=ok
[ -z "$without" ] || ok="not ok"
echo "$ok 1 - $count source files name their licence$without"
ok=ok
[ "$count" -gt 500 ] || ok="not ok"
echo "$ok 2 - there are more than 500"
echo "1..2"
