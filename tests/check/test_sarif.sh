#!/bin/bash
# SPDX-License-Identifier: MIT
# The SARIF of a check fits the schema of the standard's objects that it has, and
# the standard's own schema where AQ_SARIF_SCHEMA names its file (make check-sarif
# gets it).
aqueduct=$AQ_BUILDDIR/aqueduct
here=$AQ_SRCDIR/tests/check
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/store.db

case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP TSan needs its program sanitized"; exit 0 ;;
esac
if ! python3 -c 'import jsonschema' 2> /dev/null; then
  echo "1..0 # SKIP Python has no jsonschema"
  exit 0
fi
if ! command -v hipcc > /dev/null ||
  ! hipcc -std=c++17 -g -O1 --offload-arch=gfx90a -o "$work/sites" \
    "$here/sites.hip" > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed, or cannot compile here"
  exit 0
fi

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

number=0
fits() { # CASE WAY LEAST
  local ok="not ok"
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check \
    --check-report "$work/report" --sarif "$work/$1.sarif" \
    "$work/sites" "$1" "$2" > "$work/out" 2>&1
  python3 "$work/fits.py" "$here/sarif.schema.json" "$work/$1.sarif" "$3" \
    > "$work/why" 2>&1 && ok=ok
  echo "$ok $((number += 1)) - $1, $2: valid, with its results"
  [ "$ok" = ok ] || sed 's/^/# /' "$work/why" | tail -20
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
  ok="not ok"
  timeout 120 "$aqueduct" exec --quiet --timeout 2s --device mi210 --check \
    --check-report "$work/report" --sarif "$work/cut.sarif" \
    sh -c '"$0" tile_overwritten bad; sleep 9' "$work/sites" > "$work/out" 2>&1
  python3 "$work/agrees.py" "$AQ_SARIF_SCHEMA" "$here/sarif.schema.json" \
    "$work"/*.sarif > "$work/why" 2>&1 && ok=ok
  echo "$ok $((number += 1)) - all fit the standard's schema, as ours does"
  [ "$ok" = ok ] || sed 's/^/# /' "$work/why" | tail -20
else
  echo "ok $((number += 1)) - all fit the standard's schema" \
    "# SKIP AQ_SARIF_SCHEMA names no file"
fi

# The schema refuses a line that the standard refuses.
ok="not ok"
sed 's/"startLine": *[0-9]*/"startLine": 0/' "$work/tile_overwritten.sarif" \
  > "$work/wrong.sarif"
python3 "$work/fits.py" "$here/sarif.schema.json" "$work/wrong.sarif" 0 \
  > "$work/why" 2>&1 || ok=ok
echo "$ok $((number += 1)) - a line 0 does not fit"
echo "1..$number"
