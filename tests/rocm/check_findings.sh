#!/bin/sh
# SPDX-License-Identifier: MIT
# The programs of this folder under `exec --check=all,leak`: prints the table of
# doc/tables/libraries.md. Fails where a finding is not in known_findings.tsv.
#
#   check_findings.sh AQUEDUCT [TYPES]     letters of sdcz, of rocSPARSE's types
set -eu
aqueduct=$1
types=${2:-sdcz}
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/aqfound-XXXXXX")
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE="$work/runs.db"

run() { # NAME PROGRAM ARGUMENT…
  name=$1
  shift
  "$aqueduct" exec -q --device mi210 --check=all,leak --json \
    --check-report "$work/$name.json" -- "$@" > "$work/out" || true
  rm -rf "$work"/runs.db*
}

set --
for library in rocrand rocprim rocsparse; do
  hipcc -std=c++17 -O1 --offload-arch=gfx90a -o "$work/$library" \
    "$folder/$library.hip" -lrocrand -lrocsparse
  run "$library" "$work/$library"
  set -- "$@" "$library=$work/$library.json"
done
${CXX:-c++} -std=c++17 -O1 -D__HIP_PLATFORM_AMD__ -o "$work/sparse" \
  -Wno-deprecated-declarations "$folder"/sparse/*.cpp \
  "$folder"/sparse_common/*.cpp -lrocsparse -lamdhip64
for type in $(echo "$types" | sed 's/./& /g'); do
  run "sparse-$type" "$work/sparse" "$type"
  set -- "$@" "rocsparse=$work/sparse-$type.json"
done
python3 "$folder/findings.py" "$folder/known_findings.tsv" "$@"
