# SPDX-License-Identifier: MIT
# A table of suites from the results files of their scripts: a row a suite, then
# each program that fails, with its reason, and how many were not built by reason.
BEGIN {
  FS = "\t"
  print "| suite | pass | fail | not built | tests that pass |"
  print "|---|---|---|---|---|"
}
FNR == 1 { next }
{
  if (!($1 in seen)) {
    seen[$1] = 1
    order[++suites] = $1
  }
  result[$1, $3]++
  passed[$1] += $4
  tests[$1] += $5
  if ($3 == "fail") {
    gsub(/\|/, "\\|", $7)
    failing[++fails] = "| " $1 " | " $2 " | " $7 " |"
  }
  if ($3 == "not built") {
    key = $1 SUBSEP $7
    if (!(key in absent)) keys[++reasons] = key
    absent[key]++
  }
}
END {
  for (i = 1; i <= suites; i++) {
    s = order[i]
    printf "| %s | %d | %d | %d | %d of %d |\n", s, result[s, "pass"],
      result[s, "fail"], result[s, "not built"], passed[s], tests[s]
  }
  if (fails) {
    print "\n| suite | program that fails | reason |"
    print "|---|---|---|"
    for (i = 1; i <= fails; i++) print failing[i]
  }
  if (reasons) {
    print "\n| suite | not built | programs |"
    print "|---|---|---|"
    for (i = 1; i <= reasons; i++) {
      split(keys[i], part, SUBSEP)
      printf "| %s | %s | %d |\n", part[1], part[2], absent[keys[i]]
    }
  }
}
