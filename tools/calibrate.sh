#!/bin/sh
# SPDX-License-Identifier: MIT
# Fits the constants of the shipped device models to the published traces again
# (traces/calibration.tsv), beside the models' values. Ends with 1 when one
# differs by more than a step of the GPU's timestamps, or 5 us for unmap_after,
# near which few launches lie. Needs the traces in DATA/raw and jq. usage:
# calibrate.sh AQUEDUCT DATA [MODEL]
set -eu
aqueduct=$1
data=$2
only=${3-}
list=$(dirname "$0")/../traces/calibration.tsv
command -v jq > /dev/null || { echo "calibrate: needs jq" >&2; exit 2; }
[ -d "$data/raw" ] || { echo "calibrate: no traces in $data/raw" >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
AQUEDUCT_STORE=$dir/runs.db
AQUEDUCT_QUIET=1
export AQUEDUCT_STORE AQUEDUCT_QUIET

ps='def ps: capture("^(?<n>[0-9.]+) ?(?<u>[a-z]*)$") |
  (.n | tonumber) * {"": 1, "ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9}[.u];'
tab=$(printf '\t')
off=0
printf '%s\t%s\t%s\t%s\t%s\n' model constant shipped fitted verdict
while IFS=$tab read -r model keys files; do
  case $model in '#'* | '') continue ;; esac
  [ "$model" = "${only:-$model}" ] || continue
  runs=
  for file in $files; do
    "$aqueduct" show "$file" > /dev/null 2>&1 ||
      "$aqueduct" import "$data/raw/$file" --name "$file" > /dev/null
    runs="$runs $file"
  done
  "$aqueduct" show "$model" --json > "$dir/model"
  set --
  for key in idle_ramp remap_ramp; do # the model's, unless a fit gives them
    case " $keys " in *" $key "*) continue ;; esac
    set -- "$@" --set "$key=$(jq -r --arg key "$key" '.values[] |
      select(.key == $key) | .value + .unit' "$dir/model")"
  done
  # shellcheck disable=SC2086 # a list of words
  "$aqueduct" device calibrate $runs --device "$model" --json "$@" > "$dir/fit"
  for key in $keys; do
    jq -rn --arg model "$model" --arg key "$key" \
      --slurpfile fit "$dir/fit" --slurpfile shown "$dir/model" "$ps"'
      ($fit[0].fits[] | select(.key == $key)) as $new |
      ($shown[0].values | map({(.key): (.value + " " + .unit | rtrimstr(" "))})
        | add) as $has |
      (if $new.fitted | not then "not fitted"
       elif (($new.value | ps) - ($has[$key] | ps) | fabs)
         <= (if $key == "unmap_after" then 5e6 else $has.timestamp_step | ps end)
       then "same" else "differs" end) as $verdict |
      [$model, $key, $has[$key], $new.value, $verdict] | @tsv' > "$dir/line"
    cat "$dir/line"
    grep -q "same$" "$dir/line" || off=1
  done
done < "$list"
exit $off
