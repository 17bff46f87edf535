# SPDX-License-Identifier: MIT
# The tables of doc/tables/libraries.md from the lines of check_libraries.sh: a summary,
# and a row for each function with its worst result on any device; the types of a
# function (s, d, c, z before its name, or S, D, C, Z) are columns.
function rank(result) {
  return index("ulps refused not failing", substr(result, 1, 3))
}
function worse(a, b) { # of two results
  if (a == "") return b
  if (rank(a) == 1 && rank(b) == 1)
    return substr(b, 6) + 0 > substr(a, 6) + 0 ? b : a
  return rank(b) > rank(a) ? b : a
}
function type(library, letter, base) { # of either case
  if ((library, letter base) in results) return letter
  if ((library, toupper(letter) base) in results) return toupper(letter)
  return ""
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
  print "| library | device | equal | ulps, at most | failing | refused |" \
    " not called |"
  print "|---|---|---|---|---|---|---|"
  for (k = 1; k <= keys; k++) {
    split(order[k], part, SUBSEP)
    printf "| %s | %s | %d | %d, %s | %d | %d | %d |\n", part[1], part[2],
      sums[order[k], "equal"], sums[order[k], "ulps"], most[order[k]] + 0,
      sums[order[k], "failing"], sums[order[k], "refused"],
      sums[order[k], "not"]
    if (!(part[1] in listed)) libraries[++count] = part[1]
    listed[part[1]] = 1
  }
  for (l = 1; l <= count; l++) {
    library = libraries[l]
    names_count = split(functions[library], names, " ")
    delete rows
    delete typed
    for (i = 1; i <= names_count; i++) {
      base = substr(names[i], 2)
      letter = substr(names[i], 1, 1)
      # "destroy" is no function of doubles: several types share a base.
      types = 0
      for (k = 1; k <= 4; k++)
        types += type(library, substr("sdcz", k, 1), base) != ""
      if (letter ~ /[sdczSDCZ]/ && types > 1)
        typed[base] = 1
      else
        plain[names[i]] = 1
    }
    print "\n### " library "\n"
    print "| function | s | d | c | z |"
    print "|---|---|---|---|---|"
    for (base in typed) {
      row = "| X" base " |"
      for (k = 1; k <= 4; k++) {
        letter = type(library, substr("sdcz", k, 1), base)
        row = row " " cell(letter == "" ? "" : results[library, letter base]) " |"
      }
      print row | "LC_ALL=C sort"
    }
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
