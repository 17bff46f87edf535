# SPDX-License-Identifier: MIT
# The tables of doc/libraries.md from the lines of check_libraries.sh: a summary,
# and a row for each function with its worst result on any device; the types of a
# function (s, d, c, z before its name) are columns.
function worse(a, b) { # of two results
  if (a == "" || b ~ /^(failing|not)/) return b
  if (b == "" || a ~ /^(failing|not)/) return a
  if (a == "equal") return b
  if (b == "equal") return a
  return substr(b, 6) + 0 > substr(a, 6) + 0 ? b : a
}
function cell(result) {
  sub(/^ulps /, "", result)
  return result == "" ? "" : result == "equal" ? "=" : result
}
BEGIN { FS = "\t" }
{
  key = $1 SUBSEP $2
  if (!(key in seen)) {
    seen[key] = 1
    order[++keys] = key
  }
  split($4, words, " ")
  sums[key, words[1]]++
  if (words[1] == "ulps" && words[2] + 0 > most[key] + 0) most[key] = words[2]
  if (!(($1, $3) in results)) functions[$1] = functions[$1] " " $3
  results[$1, $3] = worse(results[$1, $3], $4)
}
END {
  print "| library | device | equal | ulps, at most | failing | not called |"
  print "|---|---|---|---|---|---|"
  for (k = 1; k <= keys; k++) {
    split(order[k], part, SUBSEP)
    printf "| %s | %s | %d | %d, %s | %d | %d |\n", part[1], part[2],
      sums[order[k], "equal"], sums[order[k], "ulps"], most[order[k]] + 0,
      sums[order[k], "failing"], sums[order[k], "not"]
    libraries[part[1]] = 1
  }
  for (library in libraries) {
    count = split(functions[library], names, " ")
    delete rows
    delete typed
    for (i = 1; i <= count; i++) {
      base = substr(names[i], 2)
      letter = substr(names[i], 1, 1)
      # "destroy" is no function of doubles: several types share a base.
      types = 0
      for (k = 1; k <= 4; k++)
        types += (library, substr("sdcz", k, 1) base) in results
      if (letter ~ /[sdcz]/ && types > 1)
        typed[base] = 1
      else
        plain[names[i]] = 1
    }
    print "\n### " library "\n"
    print "| function | s | d | c | z |"
    print "|---|---|---|---|---|"
    for (base in typed)
      printf "| X%s | %s | %s | %s | %s |\n", base,
        cell(results[library, "s" base]), cell(results[library, "d" base]),
        cell(results[library, "c" base]),
        cell(results[library, "z" base]) | "LC_ALL=C sort"
    close("LC_ALL=C sort")
    print "\n| function without a type | |"
    print "|---|---|"
    for (name in plain)
      printf "| %s | %s |\n", name, cell(results[library, name]) | \
        "LC_ALL=C sort"
    close("LC_ALL=C sort")
    delete plain
  }
}
