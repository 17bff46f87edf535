#!/bin/sh
# SPDX-License-Identifier: MIT
# Servers on two devices exchange bytes over the links of the device models.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

cat > "$work/r.csv" << 'CSV'
# aqueduct requests 1, hash block 0 of prompts
arrival_ns,prompt,output,session,tool_ns,hashes
0,1000,20,,,
1000000000,1000,20,,,
2000000000,1000,20,,,
CSV
scenario() { # FILE DEVICES SERVERS
  echo "{\"version\": 2, \"device\": \"$2\", \"serving\": {\"servers\": [$3]}}" \
    > "$work/$1.json"
}
common='"model": "qwen3-8b", "blocks": 4096'
requests='"requests": {"file": "r.csv"}'
scenario together 'mi300x*2' \
  "{\"name\": \"s\", $common, $requests, \"devices\": [0, 1]}"
scenario apart 'mi300x*2' \
  "{\"name\": \"p\", $common, $requests, \"role\": \"prefill\", \"to\": \"d\"},
   {\"name\": \"d\", $common, \"role\": \"decode\", \"devices\": [1]}"
scenario far 'mi300x*9' \
  "{\"name\": \"s\", $common, $requests, \"devices\": [0, 8]}"
scenario mixed 'mi300x,mi355x' \
  "{\"name\": \"s\", $common, $requests, \"devices\": [0, 1]}"

tpot() { # SCENARIO OPTION...: its mean, in us
  scenario=$1
  shift
  "$aqueduct" run "$work/$scenario.json" --store "$work/runs.db" -q "$@" \
    > "$work/id" || exit 1
  "$aqueduct" study "$(cat "$work/id")" --store "$work/runs.db" --warmup none \
    --json | sed -n '/"tpot"/{n;s/ *"mean": \([0-9]*\).*/\1/p;}'
}

fast=$(tpot together)
slow=$(tpot together --set peer_link_bandwidth=1GB/s)
late=$(tpot together --set peer_link_latency=100us)
check "reductions follow the bandwidth of the links" [ "$slow" -gt "$fast" ]
# Two a layer, of 36 layers, each with its way once.
more=$((late - fast))
check "and their latency" [ $((more > 7100 && more < 7200)) = 1 ]
check "devices of two groups go over the host" \
  [ "$(tpot far)" -gt "$(tpot together --set peer_link_latency=1us)" ]

near=$(tpot apart)
# 1000 tokens of 147,456 bytes take 147 ms at 1 GB/s and 2 ms at 64 GB/s; there
# are 19 tokens to come.
more=$(($(tpot apart --set peer_link_bandwidth=1GB/s) - near))
check "a cache takes its time over the link" \
  [ $((more > 7600 && more < 7700)) = 1 ]
more=$(($(tpot apart --set peer_link_latency=19ms) - near))
check "and its latency" [ $((more > 990 && more < 1010)) = 1 ]

try "$aqueduct" run "$work/mixed.json" --store "$work/runs.db"
check "a model on two kinds of GPU is refused" [ "$status" = 2 ]
check "with its devices" contains "$err" "devices 0 and 1 differ"
finish
