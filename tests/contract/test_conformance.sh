#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/tables/conformance.md has every number, each test in it ran in this `make check`
# and passed, and no contract case cites a number that does not name it there.
page=${AQ_SRCDIR:-.}/doc/tables/conformance.md
logs=${AQ_BUILDDIR:-.}/tests
contract=$logs/contract/test_contract.log
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

if [ -n "$AQ_TRANSPORT" ]; then
  echo "1..0 # SKIP the table is about all transports, not $AQ_TRANSPORT only"
  exit 0
fi

# The rows as NUMBER, SEMANTICS, TEST, one line a test.
rows=$(awk -F ' [|] ' '
  /^[|] [0-9]+ [|]/ {
    sub(/^[|] /, "", $1); sub(/ [|]$/, "", $4)
    n = split($4, tests, "<br>")
    for (i = 1; i <= n; i++) print $1 "\t" $2 "\t" tests[i]
  }' "$page")

# NUMBER, SENTENCE of each contract case that passed on sim, in either mode.
cases=$(sed -n 's/^ok [0-9]* - sim\(,live\)\{0,1\}: \(.*\) (\([0-9, ]*\))$/\3	\2/p' \
  "$contract" | awk -F '\t' '{
    n = split($1, numbers, ", ")
    for (i = 1; i <= n; i++) print numbers[i] "\tcontract: " $2 }' | sort -u)

bad=$(awk 'BEGIN { for (i = 1; i <= 81; i++) if (i != 59 && i != 69) print i }' |
  while read -r number; do
    echo "$rows" | grep -q "^$number	" || echo "$number has no row"
  done
  echo "$rows" | awk -F '\t' '
    $1 > 81 || $1 == 59 || $1 == 69 { print $1 " is no number of the list" }
    $2 !~ /^(both|rocr|foundation)$/ { print $1 ": no semantics " $2 }')
report "$([ -z "$bad" ]; echo $?)" "the table has all numbers from 1 to 81" \
  "$bad"

# The error of one row's test, if any.
test_wrong() { # NUMBER TEST
  case $2 in
  contract:*)
    echo "$cases" | grep -qxF "$1	$2" ||
      echo "$1: no case passed on sim and cites it: $2"
    ;;
  *:*)
    log=$logs/${2%%:*}.log
    grep -q "^ok [0-9]* - ${2##*: }\$" "$log" ||
      echo "$1: did not pass in $log: $2"
    ;;
  *) echo "$1: names no test: $2" ;;
  esac
}

tab=$(printf '\t')
bad=$(echo "$rows" | grep -v "	open\$" |
  while IFS=$tab read -r number _ test; do
    test_wrong "$number" "$test"
  done)
report "$([ -z "$bad" ]; echo $?)" "every test in the table ran and passed" \
  "$bad"

named=$(echo "$rows" | cut -f 1,3)
bad=$(echo "$cases" | while IFS= read -r line; do
  echo "$named" | grep -qxF "$line" || echo "$line"
done)
report "$([ -z "$bad" ]; echo $?)" "every case that cites a number is in its row" \
  "$bad"

# Open rows, as expected failures.
echo "$rows" | awk -F '\t' -v count="$count" '
  $3 == "open" {
    print "not ok " ++count " - number " $1 " (" $2 ") is checked # TODO open"
  }
  END { print "1.." count }'
