#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad plans, workloads of DISB, networks and scenarios: one line that names file
# and place, exit 2, nothing stored.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
cd "$work" || exit 1
case $aqueduct in /*) ;; *) aqueduct=$OLDPWD/$aqueduct ;; esac
case $srcdir in /*) ;; *) srcdir=$OLDPWD/$srcdir ;; esac
cp "$srcdir/tests/cli/clients.json" .
unset AQ_DATA

is_error() { # TEXT
  [ "$status" = 2 ] && [ -z "$out" ] && [ "$(wc -l < err)" = 1 ] &&
    contains "$err" "aqueduct: error: $1"
}

# The document is in FILE; the test runs COMMAND FILE.
refuses() { # COMMAND FILE DOCUMENT TEXT
  printf '%s\n' "$3" > "$2"
  try "$aqueduct" "$1" "$2" --store bad.db
  check "$4" is_error "$4"
}

plan() { # MEMBERS TEXT
  refuses sweep p.json \
    "{\"version\": 1, \"name\": \"x\", \"workloads\": [\"clients.json\"]$1}" "$2"
}
refuses sweep p.json '{"version": 1,' "p.json: line 1: premature EOF"
refuses sweep p.json '{"version": 1, "name": "x", "workloads": ["none.json"]}' \
  "p.json: workloads[0]: none.json: No such file or directory"
plan ', "policies": ["fifo", "nope"]' "p.json: policies[1]: no policy 'nope'"
plan ', "policies": [{"policy": "edf", "settings": {"slotz": [1]}}]' \
  "p.json: policies[0]: policy edf has no setting 'slotz'"
plan ', "seeds": {"count": -1}' "p.json: seeds.count: -1 is out of range"
plan ', "devices": [{"device": "mi300x", "set": {"bogus": 1}}]' \
  "p.json: point 0, device mi300x: edit 'bogus=1': unknown key"
plan ', "parameters": {"rate": ["20us", []]}' "p.json: parameters.rate[1]: "
plan ', "polices": []' "p.json: unknown key \"polices\""

disb() { # MEMBERS OF A LOAD, TEXT
  refuses run d.json "{\"time\": 1, \"tasks\": [{\"id\": \"a\", \"load\": {$1},
    \"client\": {\"model_name\": \"vgg\"}}]}" "$2"
}
disb '"type": "sometimes"' "d.json: tasks[0].load: load \"sometimes\": "
disb '"type": "poisson", "frequency": 0' \
  "d.json: tasks[0].load.frequency: 0 is out of range"
disb '"type": "trace", "trace": [3, 1]' \
  "d.json: tasks[0].load.trace[1]: earlier than the one before it"
disb '"type": "continuous"' \
  "d.json: requests.vgg.model: \"reef:vgg\": such models lie in \$AQ_DATA"
refuses run d.json '{"time": -1, "tasks": []}' \
  "d.json: time: -1 is out of range"
refuses run d.json '{"time": 1, "rt": [{"frequency": 1}]}' \
  "d.json: rt[0]: \"name\" is missing"

# The model, its profile, and the error.
network() { # KERNEL LATENCIES TEXT
  printf '%s\n' "{\"kernels\": [$1]}" > m.json
  printf '%s\n' "{\"kernel_latency\": {\"k\": $2}}" > m.profile.json
  refuses run s.json '{"version": 1, "requests": {"r": {"model": "m.json"}},
    "clients": [{"request": "r", "closed": {}, "requests": 1}]}' "$3"
}
good='{"name": "k", "launch_params": [4, 1, 1, 64, 1, 1]}'
times='{"total_latency": 20, "latency": [18, 20]}'
network '{"name": "k", "launch_params": [4, 1, 1, 64, 1]}' "$times" \
  "m.json: kernels[0].launch_params: 5 elements"
network '{"name": "k", "launch_params": [4, 1, 1, 1024, 2, 1]}' "$times" \
  "m.json: kernels[0].launch_params: more than 1024 work-items"
network '{"name": "q", "launch_params": [4, 1, 1, 64, 1, 1]}' "$times" \
  'm.profile.json: kernel_latency: "q" is missing'
network "$good" '{"total_latency": 20, "latency": []}' \
  "m.profile.json: kernel_latency.k.latency: 0 elements"
network "$good" '{"total_latency": -20, "latency": [1]}' \
  "m.profile.json: kernel_latency.k.total_latency: -20 is out of range"
network '' "$times" "m.json: kernels: 0 elements"

scenario() { # CLIENT TEXT
  refuses run q.json "{\"version\": 1, \"kernels\": {\"k\": {\"cost\": \"1us\"}},
    \"requests\": {\"r\": {\"steps\": [{\"kernel\": \"k\"}]}},
    \"clients\": [{\"request\": \"r\", $1}]}" "$2"
}
scenario '"closed": {}, "open": {}, "requests": 1' \
  'q.json: clients[0]: either "open" or "closed" expected'
scenario '"open": {"poisson": "-3us"}, "requests": 1' \
  'q.json: clients[0].open.poisson: "-3us" is not a time'
scenario '"closed": {}' "q.json: clients[0]: it never ends"
# shellcheck disable=SC2016 # of the scenario
scenario '"closed": {}, "requests": "$n"' 'q.json: line 3: "parameters" has no n'
scenario '"closed": {}, "requests": 1, "weight": 0' \
  "q.json: clients[0].weight: 0 is out of range"

check "none of them stored anything" \
  [ -z "$("$aqueduct" list runs --names --store bad.db 2> /dev/null)" ]
finish
