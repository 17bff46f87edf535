#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands of the README print the outputs that it shows.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

sed -n '/<!-- outputs:begin/,/<!-- outputs:end/p' "$srcdir/README.md" |
  sed '1,2d;$d' | sed '$d' > "$work/readme"
case ${AQ_SANITIZERS:-} in
*thread*) reason="TSan needs its program sanitized" ;;
*) reason="there is no hipcc, or it does not compile for gfx90a" ;;
esac
if [ "${reason#TSan}" = "$reason" ] && command -v hipcc > /dev/null &&
  hipcc --offload-arch=gfx90a -O2 -o "$work/vadd" \
    "$srcdir/doc/examples/ci/vadd.hip" 2> "$work/err"; then
  "$srcdir/tools/readme-outputs.sh" "$aqueduct" "$work/vadd" > "$work/out"
  # A program's own times depend on how long the host takes.
  for text in readme out; do
    sed -i '1,/^```$/s/[0-9][0-9. ]*/N /g' "$work/$text"
  done
  check "the README shows the outputs of its commands" \
    cmp -s "$work/readme" "$work/out"
  diff "$work/readme" "$work/out" | sed 's/^/# /'
else
  skip "the README shows the outputs of its commands" "$reason"
fi
if command -v python3 > /dev/null; then
  mkdir "$work/pictures"
  "$srcdir/tools/pictures.sh" "$aqueduct" "$work/pictures" terminal
  check "its terminal picture shows what the commands print" \
    cmp "$work/pictures/terminal.svg" "$srcdir/doc/pictures/terminal.svg"
else
  skip "its terminal picture shows what the commands print" "there is no python3"
fi
words=$(sed '/^```/,/^```/d;/<!--/d' "$srcdir/README.md" | wc -w)
check "its prose has at most 400 words" [ "$words" -le 400 ]
finish
