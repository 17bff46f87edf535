# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034 # used by the sourcing scripts
# TAP for the tests of the program. Sourced; the test ends with `finish`.
aqueduct=${AQ_BUILDDIR:-.}/aqueduct
srcdir=${AQ_SRCDIR:-.}
count=0
work=$(mktemp -d "${TMPDIR:-/tmp}/aqcli-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM # some shells end without the trap above
# Files that other programs leave (hipcc, a browser) go with it.
TMPDIR=$work/tmp
export TMPDIR
mkdir "$TMPDIR"
XDG_DATA_HOME=$work/data
export XDG_DATA_HOME
# The caller's settings must not change the tests.
unset AQUEDUCT_STORE AQUEDUCT_DEVICE AQUEDUCT_TRANSPORT AQUEDUCT_SEED \
  AQUEDUCT_NAME AQUEDUCT_JSON AQUEDUCT_OUTPUT AQUEDUCT_QUIET \
  AQUEDUCT_LIBHSA_PATH AQUEDUCT_FAULTS AQUEDUCT_LIVE AQUEDUCT_PACE \
  AQUEDUCT_JOBS AQUEDUCT_TIMEOUT AQUEDUCT_SEMANTICS AQUEDUCT_ISOLATION \
  AQUEDUCT_RUNTIME \
  AQUEDUCT_STRICT_MEMORY NO_COLOR
PYTHONDONTWRITEBYTECODE=1 # in the tree of the sources
export PYTHONDONTWRITEBYTECODE
LC_ALL=C.UTF-8
export LC_ALL

# Runs a command; its output is in $out and $err, its exit status in $status.
try() { # COMMAND…
  "$@" > "$work/out" 2> "$work/err" < /dev/null
  status=$?
  out=$(cat "$work/out")
  err=$(cat "$work/err")
}

check() { # NAME COMMAND…: ok when the command succeeds
  check_name=$1
  shift
  count=$((count + 1))
  if "$@"; then
    echo "ok $count - $check_name"
  else
    echo "not ok $count - $check_name"
    {
      echo "status ${status-}"
      echo "out: ${out-}"
      echo "err: ${err-}"
    } | sed 's/^/# /'
  fi
}

skip() { # NAME WHY
  count=$((count + 1))
  echo "ok $count - $1 # SKIP $2"
}

contains() { # TEXT PART
  case $1 in
  *"$2"*) return 0 ;;
  *) return 1 ;;
  esac
}

# Valid JSON, by whatever tool is there, quick ones first; without one, the
# outer brackets.
is_json() { # FILE
  if command -v json_verify > /dev/null; then
    json_verify -q < "$1"
  elif [ "$(sqlite3 :memory: "SELECT json_valid('{}')" 2> /dev/null)" = 1 ]; then
    iconv -f UTF-8 -t UTF-8 "$1" > /dev/null &&
      [ "$(sqlite3 :memory: \
        "SELECT json_valid(CAST(readfile('$1') AS TEXT))")" = 1 ]
  elif command -v python3 > /dev/null; then
    python3 -m json.tool "$1" > /dev/null
  else
    case $(head -c 1 "$1")$(tail -c 2 "$1") in
    '{}' | '[]') return 0 ;;
    *) return 1 ;;
    esac
  fi
}

finish() {
  echo "1..$count"
}
