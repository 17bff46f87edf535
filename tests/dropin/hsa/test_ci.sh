#!/bin/sh
# SPDX-License-Identifier: MIT
# The recipes of doc/ci.md: runs the commands in the files, except the ones that
# install packages and aqueduct: it uses the aqueduct of this build.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
examples=$srcdir/doc/examples/ci
builddir=$(cd "${AQ_BUILDDIR:-.}" && pwd)

github_step() { # NAME: the lines of its run block
  awk -v name="$1" '
    /^      - / { inside = $0 == "      - name: " name; next }
    inside && /^          / { print substr($0, 11) }' "$examples/github.yml"
}
gitlab_step() { # NAME: the lines behind its comment
  awk -v name="$1" '
    /^    # / { inside = $0 == "    # " name; next }
    !/^    - / { inside = 0 }
    inside && $0 != "    - cd .." { print substr($0, 7) }' "$examples/gitlab.yml"
}
for step in packages aqueduct build test; do
  github_step "$step" > "$work/$step"
  gitlab_step "$step" > "$work/$step.gitlab"
  check "$step: both recipes give the same commands, which a shell can read" \
    sh -c '[ -s "$1" ] && cmp "$1" "$1.gitlab" && sh -n "$1"' sh "$work/$step"
done

# The packages are the build's and HIP's; its libraries are for tests alone.
# shellcheck disable=SC1091
. "$srcdir/tools/packages.sh"
needed=$(echo "$aq_needs$aq_hip_needs" | cut -d'|' -f2 |
  grep -v -e smartcols -e zstd -e rocrand -e rocprim | sort -u)
lacking=
for package in $needed; do
  grep -q " $package\( \|\$\)" "$work/packages" || lacking="$lacking $package"
done
check "the packages are all that the build asks for, and those of HIP" \
  [ -z "$lacking" ]
check "each page of the recipes is in doc/ci.md" sh -c '
  grep -q examples/ci/github.yml "$1" && grep -q examples/ci/gitlab.yml "$1"' \
  sh "$srcdir/doc/ci.md"

runs="the commands of the recipe build and run a HIP program"
if ! command -v hipcc > /dev/null || ! command -v rocminfo > /dev/null; then
  skip "$runs" "hipcc or rocminfo is not installed"
  finish
  exit 0
fi
mkdir "$work/project" "$work/bin"
cp "$examples/vadd.hip" "$work/project"
ln -s "$builddir/aqueduct" "$work/bin/aqueduct"
# As installed, the drop-in lies where aqueduct looks for it.
AQUEDUCT_PLUGIN_PATH=$builddir/.libs
PATH=$work/bin:$PATH
export AQUEDUCT_PLUGIN_PATH PATH
cd "$work/project" || exit 1
try sh -e "$work/build"
check "build: the program" [ "$status" = 0 ]
try sh -e "$work/test"
check "$runs" sh -c '[ "$1" = 0 ] && grep -q "Name: *gfx90a" "$2" &&
  grep -q "^vadd: [0-9.]* us" "$2" && grep -q "device model *mi210" "$2"' \
  sh "$status" "$work/out"
check "the trace that is kept is JSON" is_json vadd-trace.json
cd / || exit 1
finish
