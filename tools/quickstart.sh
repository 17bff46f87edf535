#!/bin/sh
# SPDX-License-Identifier: MIT
# From a fresh checkout to a measured GPU trace beside its simulation. Installs
# missing packages (Debian, Ubuntu), builds in build-quickstart/, then imports
# the trace that ships in traces/, replays it and compares the two.
set -eu
if [ $# -gt 0 ]; then
  echo "quickstart: $1: expected no arguments" >&2
  exit 2
fi
cd "$(dirname "$0")/.."
root=$PWD
. tools/packages.sh
aq_install "$aq_needs"

build=$root/build-quickstart
log=$build/build.log
# Anew each time: objects do not know their headers here, which saves time.
rm -rf "$build"
mkdir -p "$build"
echo "building in build-quickstart/ (log: build-quickstart/build.log)" >&2
{
  { [ -x configure ] || ./autogen.sh; } &&
    cd "$build" &&
    # Only the command.
    ../configure --with-host-levels=base --disable-dependency-tracking \
      CFLAGS='-O1 -pipe' &&
    make -j"$(nproc)" quick
} > "$log" 2>&1 || {
  tail -n 30 "$log" >&2
  echo "quickstart: the build failed; the whole log is $log" >&2
  exit 1
}

cd "$root"
store=$build/quickstart.db
rm -f "$store" "$store-wal" "$store-shm"
show() { # prints a command as a user would type it, then runs it
  echo
  echo "\$ aqueduct $*"
  "$build/aqueduct" "$@"
}
export AQUEDUCT_STORE="$store"
show import traces/mi300x-resnet18-excerpt.jsonl.gz --name measured
show replay measured --device mi300x --name simulated
show compare simulated
show list runs
echo
echo "This build is a quick one: kernels execute more slowly in it than after"
echo "./configure && make. The runs are in $store; try:"
echo "  $build/aqueduct --help"
echo "  $build/aqueduct compare simulated --worst 5 --store $store"
