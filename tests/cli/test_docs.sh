#!/bin/sh
# SPDX-License-Identifier: MIT
# Help, man pages, completion and the accepted options agree.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
builddir=${AQ_BUILDDIR:-.}
completion=$builddir/src/cli/gendoc/aqueduct

if [ ! -e "$completion" ]; then
  echo "1..0 # SKIP cross build: no man pages and no completion"
  exit 0
fi

help_options() { # COMMAND…
  "$aqueduct" "$@" --help |
    sed -n 's/^  *\(-[a-zA-Z], \)\{0,1\}--\([a-z-]*\).*/\2/p' | sort
}

man_options() { # PAGE: the options that head a paragraph
  sed -n '/^\.TP$/{n;s/\\-/-/g;s/^\(\\fB-[a-zA-Z]\\fR, \)\{0,1\}\\fB--\([a-z-]*\)\\fR.*/\2/p;}' \
    "$1" | sort
}

# What pressing tab after the words offers.
offered() { # WORD…
  bash -c '. "$1"; shift
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _aqueduct "$0"
    printf "%s\n" "${COMPREPLY[@]}"' "$aqueduct" "$completion" aqueduct "$@"
}

commands=$("$aqueduct" --help |
  sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
check "help lists commands" [ "$(echo "$commands" | wc -l)" -ge 9 ]

if command -v bash > /dev/null; then
  have_bash=yes
  check "the completion is valid bash" bash -n "$completion"
else
  have_bash=no
fi

takes_option() { # COMMAND OPTION, with the command's help in $help
  case $help in
  *"--$2 "[!' ']*)
    "$aqueduct" "$1" "--$2" "$work/value" --help > /dev/null 2>&1 ;;
  *) "$aqueduct" "$1" "--$2" --help > /dev/null 2>&1 ;;
  esac
}

takes_all() { # COMMAND OPTION…
  takes_command=$1
  shift
  help=$("$aqueduct" "$takes_command" --help)
  for option; do
    takes_option "$takes_command" "$option" || return 1
  done
}

for command in $commands; do
  page=$builddir/aqueduct-$command.1
  options=$(help_options "$command")
  check "$command: help and man page have the same options" \
    [ "$options" = "$(man_options "$page")" ]
  if [ $have_bash = yes ]; then
    check "$command: help and completion have the same options" \
      [ "$options" = "$(offered "$command" -- | sed 's/^--//' | sort)" ]
  fi
  # shellcheck disable=SC2086 # words
  check "$command: every option is accepted" takes_all "$command" $options
  variables=$("$aqueduct" "$command" --help | tr '\n' ' ' |
    grep -o '\[AQUEDUCT_[A-Z_]*\]' | tr -d '[]' | sort)
  check "$command: help and man page have the same variables" \
    [ "$variables" = "$(sed -n 's/^\.B \(AQUEDUCT_[A-Z_]*\)$/\1/p' "$page" |
      sort)" ]
  check "$command: the man page names its file" \
    grep -q "^aqueduct.-$command" "$page"
done

check "the program: help and man page have the same options" \
  [ "$(help_options)" = "$(man_options "$builddir/aqueduct.1")" ]
for command in $commands; do
  grep -q "^\.BR aqueduct.-$command (1)" "$builddir/aqueduct.1" || break
done
check "the program's man page names every command" \
  grep -q "^\.BR aqueduct.-$command (1)" "$builddir/aqueduct.1"

if command -v groff > /dev/null; then
  warnings=$(groff -man -ww -z -Tutf8 "$builddir"/aqueduct*.1 2>&1)
  err=$warnings
  check "groff reads the man pages without a warning" [ -z "$warnings" ]
else
  skip "groff reads the man pages without a warning" "no groff"
fi

try "$aqueduct" help replay
cp "$work/out" "$work/help"
try "$aqueduct" replay --help
check "help COMMAND is COMMAND --help" cmp -s "$work/out" "$work/help"
check "help goes to standard output" [ "$status$err" = 0 ]
try "$aqueduct" --version
check "--version tells the version" contains "$out" "aqueduct 0."

if [ $have_bash = no ]; then
  skip "completion in bash" "no bash"
  finish
  exit 0
fi
check "commands are completed" [ "$(offered repl)" = replay ]
check "subjects of list are completed" [ "$(offered list dev)" = devices ]
check "device models are completed" \
  [ "$(offered show mi300x-rocm6)" = mi300x-rocm6.4-vf ]
check "device models are completed as a value" \
  [ "$(offered replay m --device mi300x-rocm6)" = mi300x-rocm6.4-vf ]
check "also after an equals sign" \
  [ "$(offered replay m --device = mi300x-rocm6)" = mi300x-rocm6.4-vf ]
check "metrics are completed" \
  [ "$(offered compare s --fail-above queued.end.me | sort | tr '\n' ' ')" = \
    'queued.end.mean= queued.end.median= ' ]
"$aqueduct" import -q "$srcdir/tests/cli/small.json" --name resnet \
  --store "$work/a b.db" > /dev/null
"$aqueduct" import -q "$srcdir/tests/cli/small.json" --store "$work/a b.db" \
  --name "\$(touch $work/pwned)" > /dev/null
check "runs of the store on the command line are completed" \
  [ "$(offered --store "$work/a b.db" replay res)" = resnet ]
offered --store "$work/a b.db" replay '' > /dev/null
check "names of runs are never executed" [ ! -e "$work/pwned" ]

# Published experiments: each rule has the date on which it was set, and no
# result of a formula is under "simulated".
undated=$(grep '^| R' "$srcdir/doc/tables/reproductions.md" |
  grep -vcE '\| 20[0-9]{2}-[0-9]{2}-[0-9]{2} \| (pass|\*\*fail\*\*|—) \|$')
check "rules of published experiments have their dates" [ "$undated" = 0 ]
check "rows of formulas have a table of their own" \
  [ "$(sed '/^## Formulas/,$d' "$srcdir/doc/tables/reproductions.md" |
    grep '^| R1' | grep -vc resets)" = 0 ]
finish
