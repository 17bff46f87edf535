# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# The checked-in objects of a room are what its source compiles to, by the release of
# clang that made them (each object names its linker). Other releases make the same
# bytes in two folders. Sourced, with the room's folder in $room, the lines of its
# targets.tsv in $targets, and in $some the targets that each run compiles.
# shellcheck disable=SC2154 # the caller's variables
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
made=$(strings "$room/objects/gfx942.hsaco" |
  sed -n 's/.*LLD \([0-9.]*\).*/\1/p')
[ -n "$made" ] || {
  echo "Bail out! no linker's name in $room/objects/gfx942.hsaco (strings)"
  exit 1
}
count=0
result() { # NAME, status
  count=$((count + 1))
  if [ "$2" = 0 ]; then
    echo "ok $count - $1"
  else
    echo "not ok $count - $1"
    sed 's/^/# /' "$work/log"
  fi
}
skip() {
  count=$((count + 1))
  echo "ok $count # SKIP $1"
}
# Prints the release of clang and its linker, "22 22.1.8", or nothing.
release() {
  major=$(echo __clang_major__ | "$1" -E -P - 2> /dev/null) || return
  linker=$("$1" --target=amdgcn-amd-amdhsa -print-prog-name=ld.lld)
  linker=$("$linker" --version 2> /dev/null |
    sed -n 's/.*LLD \([0-9.]*\).*/\1/p')
  [ -z "$linker" ] || echo "$major $linker"
}
# AMD's runtime of ROCm 5.2 finds kernels by that section alone.
: > "$work/log"
for object in "$room"/objects/*.hsaco; do
  strings -a "$object" | grep -qx '\.symtab' || echo "$object" >> "$work/log"
done
result "each object has a .symtab" "$([ -s "$work/log" ] && echo 1 || echo 0)"
compared=false
mkdir "$work/other"
cp -r src "$work/other/src"
for clang in clang-22 clang-21 clang-20 clang-19 clang; do
  found=$(release $clang)
  major=${found%% *}
  if [ -z "$found" ] || [ "$major" -lt 19 ]; then
    continue
  fi
  echo "$targets" > "$work/map"
  while IFS="$(printf '\t')" read -r target _ _ since; do
    [ "$major" -ge "$since" ] || continue
    if [ "${found##* }" = "$made" ]; then
      $compared && continue
      # Some of them; make check-whole compiles all.
      case " $some " in
      *" $target "*) ;;
      *) [ -n "${AQ_WHOLE:-}" ] || continue ;;
      esac
      sh "$room/compile.sh" $clang "$target" "$work/o" 2> "$work/log" &&
        cmp "$work/o" "$room/objects/$target.hsaco" >> "$work/log" 2>&1
      result "$target compiles to its checked-in object" $?
    elif [ "$target" = gfx90a ] || [ "$target" = "${some##* }" ]; then
      sh "$room/compile.sh" $clang "$target" "$work/o" 2> "$work/log" &&
        (cd "$work/other" &&
          sh "$room/compile.sh" $clang "$target" ../p 2>> ../log) &&
        cmp "$work/o" "$work/p" >> "$work/log" 2>&1
      result "$clang makes the same bytes of $target in two folders" $?
    fi
  done < "$work/map"
  [ "${found##* }" != "$made" ] || compared=true
done
$compared || skip "clang and ld.lld $made, which made the objects, are not here"
echo "1..$count"
