# SPDX-License-Identifier: MIT
# shellcheck shell=bash disable=SC2034 # the tests use the variables
# Sourced by the tests of exec --check: a folder with a store, HIP programs of
# this folder, and TAP results. Sanitizers that need the whole program sanitized
# cannot run them.
aqueduct=$AQ_BUILDDIR/aqueduct
here=$AQ_SRCDIR/tests/gpu/check
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/store.db
# exec --check keeps values of the caller.
unset GPU_MAX_HW_QUEUES ROC_ENABLE_LARGE_BAR
number=0

skip_all() { # REASON
  echo "1..0 # SKIP $1"
  exit 0
}

case ${AQ_SANITIZERS:-} in
*thread*) skip_all "TSan needs its program sanitized" ;;
*address*)
  # The search for leaks crashes in programs that began without AddressSanitizer.
  export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0"
  ;;
esac

# Compiles $here/SOURCE.hip into $work/NAME, or skips the whole test.
program_make() { # NAME SOURCE OPTION…
  local name=$1 source=$2
  shift 2
  command -v hipcc > /dev/null || skip_all "hipcc is not installed"
  hipcc "$@" -o "$work/$name" "$here/$source.hip" > "$work/log" 2>&1 ||
    skip_all "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
}

# Prints a result; of a failure, the files that show it as well.
result() { # STATUS NAME FILE…
  local status=$1 name=$2
  shift 2
  number=$((number + 1))
  if [ "$status" -eq 0 ]; then
    echo "ok $number - $name"
  else
    echo "not ok $number - $name"
    sed 's/^/# /' "$@" 2> /dev/null | head -40
  fi
}
