#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/bare.sh --here: a command runs in a clone of the committed files, with an
# environment of its own; its status is bare.sh's, and nothing stays behind. The
# part that needs root and the network, a new Debian, is make bare-check's.
srcdir=$(cd "${AQ_SRCDIR:-.}" && pwd)
command -v git > /dev/null || {
  echo "1..0 # SKIP git is not installed"
  exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
check() { # NAME CONDITION…
  count=$((count + 1))
  name=$1
  shift
  if "$@"; then
    echo "ok $count - $name"
  else
    echo "not ok $count - $name"
    cat "$work/out" "$work/err" | sed 's/^/# /'
  fi
}
tree=$work/tree
mkdir -p "$tree/tools" "$work/shared" "$work/places"
cp "$srcdir/tools/bare.sh" "$srcdir/tools/packages.sh" "$tree/tools/"
echo committed > "$tree/file"
git -C "$tree" init -q
git -C "$tree" add -A
git -C "$tree" -c user.name=a -c user.email=a@b commit -q -m first
echo changed > "$tree/file"
echo data > "$work/shared/data"
bare() {
  status=0
  AQ_BARE_DIR=$work/places CFLAGS=-O9 "$tree/tools/bare.sh" "$@" \
    > "$work/out" 2> "$work/err" || status=$?
}

bare --here sh -c 'cat file ../shared/data; echo "flags:$CFLAGS"; exit 7'
check "the command's status is its own" [ $status = 7 ]
check "it sees what is committed, and ../shared, not the caller's environment" \
  [ "$(tr '\n' ' ' < "$work/out")" = "committed data flags: " ]
check "it says what is not in the clone" grep -q '^bare: 1 changed files' "$work/err"
check "nothing stays behind" [ -z "$(ls "$work/places")" ]
bare --keep --here true
check "unless it is asked to" [ -e "$work"/places/*/aqueduct/file ]
check "and then it says where" grep -q "^bare: kept: $work/places/" "$work/err"
bare --here
check "a command is needed" [ $status = 2 ]
bare --what true
check "an unknown option is refused" [ $status = 2 ]
check "in one line" [ "$(wc -l < "$work/err")" = 1 ]
echo "1..$count"
