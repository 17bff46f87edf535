#!/bin/sh
# SPDX-License-Identifier: MIT
# Plug-ins: a transport outside of the tree, built against an installed tree
# that was moved, found by name, by path and by AQUEDUCT_PLUGIN_PATH; and the
# errors for files that are none.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
builddir=${AQ_BUILDDIR:-.}
unset AQUEDUCT_PLUGIN_PATH AQUEDUCT_FAULTS MAKEFLAGS MFLAGS MAKELEVEL
scenario=$srcdir/traces/scenarios/two-queue-pipeline.json

if [ ! -e "$builddir/.libs/libaqueduct.so" ]; then
  echo "1..0 # SKIP this build has no shared library"
  exit 0
fi
if ! command -v pkg-config > /dev/null; then
  echo "1..0 # SKIP pkg-config is not there"
  exit 0
fi

make -s -C "$builddir" install DESTDIR="$work/root" > "$work/log" 2>&1
status=$?
out=$(tail -n 5 "$work/log") err=
check "make install works below another root" [ "$status" = 0 ]
pc=$(find "$work/root" -name aqueduct.pc)
libdir=$(dirname "$(dirname "$pc")")
prefix=$(dirname "$libdir")
installed=$(find "$prefix" -path '*/bin/aqueduct' | head -n 1)
plugins=$libdir/aqueduct/transports

# Everything that a stranger has: headers, library, pkg-config file.
PKG_CONFIG_PATH=$(dirname "$pc")
PKG_CONFIG_SYSROOT_DIR=$work/root
LD_LIBRARY_PATH=$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR LD_LIBRARY_PATH
mkdir "$work/example"
cp "$srcdir"/doc/examples/transport/* "$work/example"
try make -s -C "$work/example" CC="${AQ_CC:-cc}" CFLAGS='-Wall -Wextra -Werror'
check "the example builds with what is installed" [ "$status" = 0 ]

# By path, in the build tree and in the installed one.
for program in "$aqueduct" "$installed"; do
  try "$program" run "$scenario" --transport "$work/example/fixed.so,ns=500" \
    --quiet
  check "$(basename "$(dirname "$program")")/aqueduct runs it by its path" \
    [ "$status" = 0 ]
done
try "$aqueduct" show latest --json
check "the run is stored under its name" contains "$out" '"fixed"'
try "$aqueduct" run "$scenario" --transport "fault,seed=3+$work/example/fixed.so"
check "wrappers wrap it" contains "$err$status" 0

# By name: beside the installed program, wherever that lies.
try "$installed" run "$scenario" --transport fixed
check "an unknown name says where it was searched" \
  contains "$err" "as fixed.so in $plugins, "
check "and ends with 2" [ "$status" = 2 ]
mkdir -p "$plugins"
cp "$work/example/fixed.so" "$plugins"
try "$installed" run "$scenario" --transport fixed --quiet
check "a plug-in in the installed tree is found by its name" [ "$status" = 0 ]
try "$installed" list transports --json
check "list transports tells its kind" contains "$out" '"plug-in"'
check "and what it can do" \
  contains "$out" "virtual time, records, host kernels, copies"
check "and where it lies" contains "$out" "$plugins/fixed.so"
check "and of wrappers that they are" contains "$out" '"wrapper"'
try "$installed" list transports --names
check "names are those to be given" \
  [ "$out" = "$(printf 'sim\nnull\nhsa\nfault\nfixed')" ]

# By AQUEDUCT_PLUGIN_PATH, before the others.
mkdir -p "$work/more/transports"
cp "$work/example/fixed.so" "$work/more/transports/mine.so"
AQUEDUCT_PLUGIN_PATH=/nowhere:$work/more
export AQUEDUCT_PLUGIN_PATH
try "$aqueduct" run "$scenario" --transport mine,ns=1 --quiet
check "AQUEDUCT_PLUGIN_PATH is searched" [ "$status" = 0 ]
try "$aqueduct" run "$scenario" --transport mine,ns=x
check "the settings of a plug-in are its own to refuse" \
  contains "$err" "fixed: 'ns=x'; expected ns=N"

# Files that are none.
plugin() { # NAME SOURCE
  printf '%s\n' '#include <aqueduct/transport.h>' "$2" > "$work/$1.c"
  # shellcheck disable=SC2046 # a list of options
  ${AQ_CC:-cc} -shared -fPIC -o "$work/more/transports/$1.so" "$work/$1.c" \
    $(pkg-config --cflags aqueduct)
}
table() { # FIELDS…
  echo "static const aq_transport_ops t = { $* };
    const aq_transport_ops *aq_transport_plugin(void) { return &t; }"
}
plugin empty 'int nothing;'
plugin none \
  'const aq_transport_ops *aq_transport_plugin(void) { return 0; }'
plugin abi "$(table '.abi = 99, .size = sizeof t, .name = "abi"')"
plugin small "$(table '.abi = AQ_TRANSPORT_ABI, .size = 64, .name = "small"')"
plugin hollow "$(table '.abi = AQ_TRANSPORT_ABI, .size = sizeof t,' \
  '.name = "hollow", .summary = "nothing in it"')"
echo text > "$work/more/transports/text.so"

refuse() { # NAME WORDS
  try "$aqueduct" run "$scenario" --transport "$1"
  check "$1.so is refused: $2" contains "$err" "$2"
  check "$1.so is told in one line, with 2" \
    [ "$status $(echo "$err" | wc -l)" = "2 1" ]
}
refuse empty "it has no aq_transport_plugin"
refuse none "aq_transport_plugin gives no table"
refuse abi "made for version 99 of the transport interface; this program has"
refuse small "its table has 64 bytes, at least"
refuse hollow "transport hollow: operation 0 of its table is not filled"
refuse text "text.so: "
try "$aqueduct" list transports
check "list transports tells of them too" contains "$out" "unusable: "
check "and does not end there" [ "$status" = 0 ]

# The suite that every transport must pass.
suite=$builddir/tests/contract/test_contract
if [ -x "$suite" ]; then
  AQ_TRANSPORT="$work/example/fixed.so fault+$work/example/fixed.so"
  export AQ_TRANSPORT
  try "$suite"
  bad=$(echo "$out" | grep '^not ok')
  out=$bad
  check "the example keeps the contract, wrapped and not" \
    [ "$status$bad" = 0 ]
else
  skip "the example keeps the contract" "Check is not there"
fi
finish
