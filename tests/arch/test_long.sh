#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/long.py, on a small tree of its own: runs stale rows, keeps results,
# judges pages by their changes, stops at its hour, continues afterwards. Then the lists
# of tests that run for long.
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
unset LONG_SECONDS AQ_SLICE # of a make long that runs this
for tool in git python3; do
  command -v $tool > /dev/null || {
    echo "1..0 # SKIP $tool is not installed"
    exit 0
  }
done
said() { grep -q "$1" "$work/said"; }

tree=$work/tree
mkdir -p "$tree/tools" "$tree/tests" "$tree/doc" "$tree/src" "$work/build"
cp "$srcdir/tools/long.py" "$tree/tools/"
printf '#!/bin/sh\n' > "$tree/autogen.sh"
printf '#!/bin/sh\nprintf "all:\\n" > Makefile\n' > "$tree/configure"
chmod +x "$tree/autogen.sh" "$tree/configure"
echo page > "$tree/doc/page"
echo source > "$tree/src/file"
echo build > "$tree/.gitignore"
row() { # NAME SLICES MINUTES COVERS JUDGED COMMAND
  printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$@"
}
{
  row two 2 1 src exit 'echo "ok 1 - slice $AQ_SLICE"'
  row page 1 1 doc page 'echo other > ../doc/page'
  row figures 1 1 doc figures 'echo other > ../doc/page'
  row endless 1 90 doc exit true
  row mutants 1 1 doc exit 'echo "9 rows: 7 killed, 2 timed out"'
  row fuzz 1 1 doc exit 'printf "fuzz: %s: 44 runs, nothing found\\n" a b c'
} > "$tree/tests/long.tsv"
git() { command git -C "$tree" -c user.name=a -c user.email=a@b "$@"; }
git init -q
git add -A
git commit -q -m first
long() { # ARGUMENT…: what it printed is in a file, and in $out for a failed check
  (cd "$work" && "$tree/tools/long.py" "$@") > "$work/said" 2>&1
  status=$?
  out=$(cat "$work/said")
  return $status
}

long status "$work/build"
check "nothing has run at first" [ $? = 1 ]
check "every slice is a row" said '^stale  two.2 '
long run "$work/build"
check "a page that differs fails the run" [ $? = 1 ]
check "it is named" said '^changed doc/page page '
check "and how it differs is in its log" grep -q '^+other' "$work/build/long/page.log"
check "a page of figures may differ" said '^green  figures '
check "what does not fit into the hour comes later" said '^later  endless (90 min)'
check "a slice knows its number" grep -q 'slice 2/2' "$work/build/long/two.2.log"
long run "$work/build" endless
check "a target that is named runs, however long it takes" [ $? = 0 ]
long status "$work/build"
check "mutants that died are cases" said '^fresh  mutants .* green, .* 7 cases$'
check "and parsers that held" said '^fresh  fuzz .* green, .* 3 cases$'
check "green ones are fresh" said '^fresh  two.1 .* green, .* 1 cases$'
check "a failed one is stale" said '^stale  page '
echo changed > "$tree/src/file"
git commit -q -am second
long status "$work/build"
check "a change of a file that it covers makes it stale" said '^stale  two.1 '
check "another change does not" said '^fresh  figures '
long run "$work/build" none
check "a name that is not in the table is an error" said 'no target none'

list() { # NAME: its tests in every local.mk, a line each
  find "$srcdir/tests" -name local.mk -exec awk -v name="$1" '
    $1 == name { inside = 1; sub(/^[^=]*=/, "") }
    inside { more = sub(/\\$/, ""); for (i = 1; i <= NF; i++) print $i; inside = more }
  ' {} +
}
(cd "$srcdir" && grep -rl 'aqtest_is_long()' --include='test_*.c' tests) |
  sed 's/\.c$//' | sort > "$work/said"
list AQ_SLICED_TESTS | sort > "$work/listed"
check "each program with parts for AQ_LONG is in AQ_SLICED_TESTS" \
  test -s "$work/said" -a -z "$(comm -23 "$work/said" "$work/listed")"
list AQ_SLOW_TESTS | sort > "$work/said"
list AQ_LONG_TESTS | sort > "$work/listed"
check "each slow test is a long one" \
  test -s "$work/said" -a -z "$(comm -23 "$work/said" "$work/listed")"
finish
