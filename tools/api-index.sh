#!/bin/sh
# SPDX-License-Identifier: MIT
# The index of doc/api.md: for each public header below DIR/aqueduct its first
# sentence and the functions and tables that it declares.
set -eu
cd "$1/aqueduct"
echo '| header | purpose | functions and tables |'
echo '|---|---|---|'
for header in *.h; do
  awk -v header="$header" '
    /^ \*/ && !purpose_done && !names {
      line = $0
      sub(/^ \* ?/, "", line)
      if (line == "" && purpose != "") {
        sub(/:$/, "", purpose)
        purpose_done = 1
        next
      }
      purpose = purpose (purpose == "" ? "" : " ") line
      if (match(purpose, /\.( |$)/)) {
        purpose = substr(purpose, 1, RSTART - 1)
        purpose_done = 1
      }
    }
    /^\/\* [A-Z]/ && !/SPDX/ && !purpose_done { # a comment of one line
      line = $0
      sub(/^\/\* /, "", line)
      sub(/\. *\*\/.*|\..*/, "", line)
      purpose = line
      purpose_done = 1
    }
    /^AQ_API/ { open = 1; text = "" }
    open {
      text = text " " $0
      if (!/;/) next
      open = 0
      sub(/ *[([].*/, "", text)
      sub(/.*[ *]/, "", text)
      names = names (names == "" ? "" : ", ") "`" text "`"
    }
    END { printf "| `%s` | %s | %s |\n", header, purpose, names }' "$header"
done
