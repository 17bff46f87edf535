#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/skips.sh: a skip that the table does not permit fails, as does one that
# occurs more often than it permits; and the table names no reason twice.
srcdir=${AQ_SRCDIR:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tests/room"
count=0

expect() { # STATUS NAME [TEXT IN THE OUTPUT]
  count=$((count + 1))
  status=0
  said=$("$srcdir/tests/skips.sh" "$work/table" "$work" 2>&1) || status=$?
  case $status/$said in
  "$1"/*"${3-}"*) echo "ok $count - $2" ;;
  *)
    echo "not ok $count - $2"
    echo "status $status, said: $said" | sed 's/^/# /'
    ;;
  esac
}

printf '# a comment\n2\tno GPU (here|there)\thardware\n' > "$work/table"
cat > "$work/tests/room/test_a.log" << 'END'
ok 1 - a pass
ok 2 - a queue # SKIP no GPU here
END
echo '1..0 # SKIP no GPU there' > "$work/tests/room/test_b.log"
expect 0 "as many as are permitted"
# The suite's own log repeats the logs of the tests.
cp "$work/tests/room/test_a.log" "$work/tests/test-suite.log"
expect 0 "the log of all tests counts nothing"
echo 'ok 3 - another # SKIP no GPU here' >> "$work/tests/room/test_a.log"
expect 1 "one more fails" "3 times no GPU (here|there): at most 2"
echo 'ok 1 - a compiler # SKIP no compiler' > "$work/tests/room/test_a.log"
expect 1 "a reason that is not listed fails" "no compiler  <- not in"
echo 'ok 1 - a GPU # SKIP no GPU here at all' > "$work/tests/room/test_a.log"
expect 1 "a reason matches as a whole" "no GPU here at all  <- not in"

count=$((count + 1))
twice=$(grep -v '^#' "$srcdir/tests/skips.tsv" | cut -f 2 | sort | uniq -d)
if [ -z "$twice" ]; then
  echo "ok $count - tests/skips.tsv has each reason once"
else
  echo "not ok $count - tests/skips.tsv has each reason once"
  echo "$twice" | sed 's/^/# /'
fi
echo "1..$count"
