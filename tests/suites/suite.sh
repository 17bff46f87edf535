# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Runs the built programs of another project's suite under `aqueduct exec`, one
# after the other, and reports each: pass, fail, or not built. A script a suite
# sources this, says which programs there are and how to read their output:
#
#   suite_begin NAME "$@"       reads the options and DIR
#   suite_run PROGRAM VERDICT COMMAND…
#                               runs it in $suite_dir (or $suite_in); VERDICT is a
#                               function that reads $suite_log and $suite_status
#                               and calls suite_result
#   suite_result RESULT PASSED TOTAL REASON
#   suite_absent PROGRAM REASON not built
#   suite_end                   prints the sums; 1 if a program failed
#
# A results file has a line a program: suite, program, result, tests that passed,
# tests, seconds, reason; its first line names the columns.
# shellcheck disable=SC2034 # the scripts read these

suite_usage() {
  cat << EOF
Usage: tests/suites/$suite_name [OPTION]... DIR
Runs the programs in DIR on the simulator and reports what passes.

  --aqueduct FILE   the program to run them with (aqueduct)
  --device MODEL    the device model (mi250x)
  --set KEY=VALUE   a constant of it
  --timeout T       of each program (300s)
  --only PATTERN    programs whose names fit the shell pattern
  --jobs N          programs at once (1)
  -o FILE           write the results, tab-separated
  --junit FILE      write the results as JUnit does

Exit status: 0 all that is built passes, 1 something fails, 2 usage.
EOF
}

suite_die() {
  echo "$suite_name: $1" >&2
  exit 2
}

suite_begin() { # NAME ARGUMENT…
  suite_name=$1
  shift
  suite_aqueduct=aqueduct suite_device=mi250x suite_timeout=300s suite_set=''
  suite_only='*' suite_jobs=1 suite_output='' suite_junit='' suite_dir=''
  while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
      suite_usage
      exit 0
      ;;
    --aqueduct | --device | --set | --timeout | --only | --jobs | --junit | -o)
      [ $# -gt 1 ] || suite_die "$1 needs a value"
      case $1 in
      --aqueduct) suite_aqueduct=$2 ;;
      --device) suite_device=$2 ;;
      --set) suite_set=$2 ;;
      --timeout) suite_timeout=$2 ;;
      --only) suite_only=$2 ;;
      --jobs) suite_jobs=$2 ;;
      --junit) suite_junit=$2 ;;
      -o) suite_output=$2 ;;
      esac
      shift 2
      ;;
    -*) suite_die "unknown option $1" ;;
    *)
      [ -z "$suite_dir" ] || suite_die "more than one DIR"
      suite_dir=$1
      shift
      ;;
    esac
  done
  [ -d "$suite_dir" ] || suite_die "DIR is no directory: ${suite_dir:-none given}"
  suite_dir=$(cd "$suite_dir" && pwd)
  suite_aqueduct=$(command -v "$suite_aqueduct") ||
    suite_die "aqueduct is not found; --aqueduct names it"
  suite_aqueduct=$(cd "$(dirname "$suite_aqueduct")" && pwd)/$(basename \
    "$suite_aqueduct")
  case $suite_jobs in
  '' | *[!0-9]* | 0) suite_die "--jobs is no number: $suite_jobs" ;;
  esac
  suite_tmp=$(mktemp -d "${TMPDIR:-/tmp}/aqsuite-XXXXXX") || exit 2
  trap 'rm -rf "$suite_tmp"' EXIT
  trap 'exit 1' HUP INT TERM
  mkdir "$suite_tmp/rows"
  suite_in=$suite_dir
  suite_running=0
}

# 1 when --only leaves the program out.
suite_wanted() { # PROGRAM
  # shellcheck disable=SC2254 # the pattern is one
  case $1 in
  $suite_only) return 0 ;;
  *) return 1 ;;
  esac
}

suite_result() { # RESULT PASSED TOTAL REASON
  suite_row "$suite_program" "$1" "$2" "$3" "$suite_seconds" "$4"
}

suite_row() { # PROGRAM RESULT PASSED TOTAL SECONDS REASON
  suite_reason=$(printf %s "$6" | tr '\t\n' '  ' | cut -c 1-200 | sed 's/ *$//')
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$suite_name" "$1" "$2" "$3" "$4" \
    "$5" "$suite_reason" > "$suite_tmp/rows/$1"
  printf '%-9s %s%s%s\n' "$2" "$1" "${4:+ ($3 of $4)}" \
    "${suite_reason:+: $suite_reason}"
}

suite_absent() { # PROGRAM REASON
  suite_wanted "$1" || return 0
  suite_row "$1" "not built" '' '' '' "$2"
}

# What exec says of the end, if it says something.
suite_why() {
  grep -h '^aqueduct: ' "$suite_log.err" | grep -v -e '^aqueduct: run' \
    -e '^aqueduct: recorded' -e '^aqueduct: device' -e 'never called hsa_init' \
    -e ': ended by signal [0-9]* (SIG' |
    tail -n 1 |
    sed 's/^aqueduct: //; s/^error: //
      s/ packet \([0-9]*\) (.*): kernel / packet \1: kernel /'
}

# A verb of aqueduct with what all programs of the suite get.
suite_verb() { # VERB ARGUMENT…
  suite_verb_name=$1
  shift
  "$suite_aqueduct" "$suite_verb_name" --store "$suite_log.db" --record none \
    --timeout "$suite_timeout" --device "$suite_device" \
    ${suite_set:+--set "$suite_set"} "$@"
}

# Starts a program; a suite that is not of programs has its own.
suite_launch() { # COMMAND…
  suite_verb exec -- "$@"
}

# In a subshell: the program, then what its output says.
suite_execute() { # PROGRAM VERDICT COMMAND…
  suite_program=$1
  suite_verdict=$2
  shift 2
  suite_log=$suite_tmp/$suite_program
  suite_start=$(date +%s)
  (cd "$suite_in" && suite_launch "$@") > "$suite_log" 2> "$suite_log.err" \
    < /dev/null
  suite_status=$?
  suite_seconds=$(($(date +%s) - suite_start))
  # A program of host code alone is none of exec's business, and no failure.
  if [ "$suite_status" = 125 ] && grep -q 'never called hsa_init' \
    "$suite_log.err"; then
    suite_status=0
  fi
  $suite_verdict
  rm -rf "$suite_log" "$suite_log.err" "$suite_log.db"*
}

suite_run() { # PROGRAM VERDICT COMMAND…
  suite_wanted "$1" || return 0
  if [ "$suite_jobs" = 1 ]; then
    (suite_execute "$@")
    return
  fi
  if [ "$suite_running" -ge "$suite_jobs" ]; then
    wait # for all: the shells of Debian wait for no single one
    suite_running=0
  fi
  (suite_execute "$@") &
  suite_running=$((suite_running + 1))
}

# ---- what frameworks print ----

# The status alone.
suite_by_status() {
  if [ "$suite_status" = 0 ]; then
    suite_result pass 1 1 ''
  else
    suite_result fail 0 1 "$(suite_ended)"
  fi
}

# How a program ended that did not end well.
suite_ended() {
  suite_because=$(suite_why)
  if [ "$suite_status" = 0 ]; then
    echo "ended before its tests did"
  elif [ "$suite_status" -gt 128 ] && [ "$suite_status" -le 192 ]; then
    echo "signal $((suite_status - 128))${suite_because:+, $suite_because}"
  else
    echo "${suite_because:-status $suite_status}"
  fi
}

# GoogleTest: how many ran, how many passed, which failed.
suite_by_gtest() {
  suite_total=$(sed -n 's/^\[==========\] Running \([0-9]*\) test.*/\1/p' \
    "$suite_log" | head -n 1)
  suite_passed=$(grep -c '^\[       OK \]' "$suite_log")
  suite_skipped=$(grep -c '^\[  SKIPPED \] .* ms)$' "$suite_log")
  suite_total=$((${suite_total:-0} - suite_skipped))
  suite_failed=$(sed -n 's/^\[  FAILED  \] \([^ ,]*[./][^ ,]*\).*/\1/p' \
    "$suite_log" | sort -u)
  if [ "$suite_status" = 0 ] && [ -z "$suite_failed" ] &&
    [ "$suite_passed" = "$suite_total" ]; then
    [ "$suite_skipped" = 0 ] && suite_skipped= ||
      suite_skipped="$suite_skipped more skip themselves"
    suite_result pass "$suite_passed" "$suite_total" "$suite_skipped"
  elif [ -n "$suite_failed" ]; then
    suite_result fail "$suite_passed" "$suite_total" \
      "$(echo "$suite_failed" | tr "\n" " ")"
  else
    suite_at=$(sed -n 's/^\[ RUN      \] //p' "$suite_log" | tail -n 1)
    suite_result fail "$suite_passed" "$suite_total" \
      "${suite_at:+in $suite_at: }$(suite_ended)"
  fi
}

# ---- the end ----

suite_write_junit() {
  awk -F '\t' -v suite="$suite_name" '
    function text(s) {
      gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s)
      gsub(/"/, "\\&quot;", s); gsub(/[\001-\037]/, " ", s)
      return s
    }
    {
      seconds += $6
      failures += $3 == "fail"
      skipped += $3 == "not built"
      cases = cases sprintf("  <testcase classname=\"%s\" name=\"%s\" " \
        "time=\"%d\">", text(suite), text($2), $6)
      if ($3 == "fail")
        cases = cases "<failure message=\"" text($7) "\"/>"
      else if ($3 == "not built")
        cases = cases "<skipped message=\"" text($7) "\"/>"
      cases = cases "</testcase>\n"
    }
    END {
      print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      printf "<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" " \
        "skipped=\"%d\" time=\"%d\">\n%s</testsuite>\n", text(suite), NR,
        failures, skipped, seconds, cases
    }' "$suite_tmp/all" > "$suite_junit"
}

suite_end() {
  wait
  find "$suite_tmp/rows" -type f | LC_ALL=C sort | while read -r row; do
    cat "$row"
  done > "$suite_tmp/all"
  [ -z "$suite_output" ] || {
    printf 'suite\tprogram\tresult\tpassed\ttests\tseconds\treason\n'
    cat "$suite_tmp/all"
  } > "$suite_output"
  [ -z "$suite_junit" ] || suite_write_junit
  awk -F '\t' -v suite="$suite_name" '
    { result[$3]++; passed += $4; tests += $5 }
    END {
      printf "%s: %d pass, %d fail, %d not built; %d of %d tests\n", suite,
        result["pass"], result["fail"], result["not built"], passed, tests
      exit NR == 0 ? 2 : result["fail"] > 0
    }' "$suite_tmp/all"
}
