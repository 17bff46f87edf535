#!/bin/sh
# SPDX-License-Identifier: MIT
# Several devices: scenarios place clients, replays keep devices apart.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

cat > "$work/two.json" << 'END'
{"version": 1,
 "kernels": {"k": {"grid": 64, "workgroup": 64, "cost": "10us"}},
 "requests": {"ask": {"steps": [{"kernel": "k", "repeat": 2}]}},
 "clients": [
   {"request": "ask", "closed": {"think": "1ms"}, "requests": 3, "device": 0},
   {"request": "ask", "closed": {"think": "1ms"}, "requests": 3, "device": 1}]}
END

model_of() { # RUN
  "$aqueduct" show "$1" --json 2> /dev/null | tr -d ' \n' |
    sed 's/.*"device_model":"\([^"]*\)".*/\1/'
}


try "$aqueduct" run "$work/two.json" --device 'mi300x*2' --name both
check "clients run on two devices" [ "$status" = 0 ]
check "the run's model is the list" [ "$(model_of both)" = 'mi300x*2' ]
try "$aqueduct" replay both --name again
check "a replay chooses as many devices" [ "$(model_of again)" = 'mi300x*2' ]
check "and says so" contains "$err" 'device model mi300x*2'
try "$aqueduct" replay both --device mi300x --name folded
check "a replay on one device shares it" \
  contains "$err" "1 device of the workload not simulated"
try "$aqueduct" run "$work/two.json" --device 'mi300x,mi300x-rocm7.14' --live
check "models may differ, in live mode" [ "$status" = 0 ]
try "$aqueduct" run "$work/two.json" --device 'x*2' --transport null
check "the null transport has as many as named" [ "$status" = 0 ]
try "$aqueduct" run "$work/two.json" --device 'mi300x*2' \
  --set '1:signal_write=1us' --name edited
check "an edit of one device is an edit" [ "$status" = 0 ]
check "and changes the digest" \
  [ "$("$aqueduct" show edited | grep hash)" != "$("$aqueduct" show both | grep hash)" ]
try "$aqueduct" run "$work/two.json" --device 'mi300x*2' --set '2:cus=1'
check "an edit of a device that is not there is refused" [ "$status" = 2 ]
check "the line says which there are" \
  contains "$err" 'device 2; expected less than 2'
try "$aqueduct" show 'mi300x*2' --json
check "show tells engines and links of several devices" contains \
  "$(echo "$out" | tr -d ' \n')" \
  '{"a":0,"b":1,"type":"xGMI","hops":1,"latency_ps":700000,"bandwidth":64000000000}'
try "$aqueduct" show 'mi300x,mi300x-rocm7.14'
check "in tables as well" contains "$(echo "$out" | tr -s ' ')" "0 host PCIe 1 700 64.0"
try "$aqueduct" run "$work/two.json" --device 'mi300x*x'
check "a bad list is refused" [ "$status" = 2 ]
finish
