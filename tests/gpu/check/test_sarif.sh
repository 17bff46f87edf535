#!/bin/bash
# SPDX-License-Identifier: MIT
# The SARIF of a check fits the schema of the standard's objects that it has, and
# the standard's own schema where AQ_SARIF_SCHEMA names its file (make check-sarif
# gets it).
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
python3 -c 'import jsonschema' 2> /dev/null ||
  skip_all "Python has no jsonschema"
program_make sites sites -std=c++17 -g -O1 --offload-arch=gfx90a

cat > "$work/fits.py" << 'PY'
import json, sys
import jsonschema
log = json.load(open(sys.argv[2]))
jsonschema.Draft7Validator(json.load(open(sys.argv[1]))).validate(log)
results = log["runs"][0]["results"]
assert len(results) >= int(sys.argv[3]), results
for result in results:
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("sites.hip"), place
PY

fits() { # CASE WAY LEAST
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check \
    --check-report "$work/report" --sarif "$work/$1.sarif" \
    "$work/sites" "$1" "$2" > "$work/out" 2>&1
  python3 "$work/fits.py" "$here/sarif.schema.json" "$work/$1.sarif" "$3" \
    > "$work/why" 2>&1
  result $? "$1, $2: valid, with its results" "$work/why"
}
fits read_before_event bad 1
fits write_past_end bad 1
fits tile_overwritten bad 1
fits write_past_end fixed 0

# The standard's schema, with which ours agrees.
cat > "$work/agrees.py" << 'PY'
import json, sys
import jsonschema
real, ours = (json.load(open(path)) for path in sys.argv[1:3])
assert "2.1.0" in real["title"] + real.get("id", real.get("$id", "")), real["title"]
valid = jsonschema.validators.validator_for(real)(real)
for path in sys.argv[3:]:
    valid.validate(json.load(open(path)))
wrong = json.load(open(sys.argv[3]))
del wrong["runs"][0]["tool"]["driver"]["name"]
assert not valid.is_valid(wrong)
for name, mine in [("", ours), *ours["definitions"].items()]:
    its = real["definitions"][name] if name else real
    assert sorted(mine.get("required", [])) == sorted(its.get("required", [])), name
    assert set(mine["properties"]) <= set(its["properties"]), name
PY
if [ -n "${AQ_SARIF_SCHEMA:-}" ]; then
  timeout 120 "$aqueduct" exec --quiet --timeout 2s --device mi210 --check \
    --check-report "$work/report" --sarif "$work/cut.sarif" \
    sh -c '"$0" tile_overwritten bad; sleep 9' "$work/sites" > "$work/out" 2>&1
  python3 "$work/agrees.py" "$AQ_SARIF_SCHEMA" "$here/sarif.schema.json" \
    "$work"/*.sarif > "$work/why" 2>&1
  result $? "all fit the standard's schema, as ours does" "$work/why"
else
  echo "ok $((number += 1)) - all fit the standard's schema" \
    "# SKIP AQ_SARIF_SCHEMA names no file"
fi

# The schema refuses a line that the standard refuses.
sed 's/"startLine": *[0-9]*/"startLine": 0/' "$work/tile_overwritten.sarif" \
  > "$work/wrong.sarif"
! python3 "$work/fits.py" "$here/sarif.schema.json" "$work/wrong.sarif" 0 \
  > "$work/why" 2>&1
result $? "a line 0 does not fit"
echo "1..$number"
