#!/bin/sh
# SPDX-License-Identifier: MIT
# CMake's module and pytest's plug-in, on programs of the host: names, limits, JUnit
# and errors. doc/tutorials/suites.md runs them on a GPU.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
srcdir=$(cd "$srcdir" && pwd)
builddir=$(cd "${AQ_BUILDDIR:-.}" && pwd)
version=$(sed -n 's/^VERSION = //p' "$builddir/Makefile")
# As installed: a prefix.
prefix=$work/prefix
mkdir -p "$prefix/bin" "$prefix/share/cmake/Aqueduct" \
  "$prefix/python/aqueduct-$version.dist-info"
ln -s "$builddir/aqueduct" "$prefix/bin/aqueduct"
ln -s "$srcdir"/cmake/*.cmake "$builddir"/cmake/*.cmake "$prefix/share/cmake/Aqueduct"
ln -s "$srcdir/python/metadata/entry_points.txt" "$builddir/python/metadata/METADATA" \
  "$prefix/python/aqueduct-$version.dist-info"
ln -s "$srcdir/python/aqueduct_pytest.py" "$prefix/python"
AQUEDUCT_PLUGIN_PATH=$builddir/.libs PATH=$prefix/bin:$PATH
export AQUEDUCT_PLUGIN_PATH PATH
unset MAKEFLAGS MAKELEVEL MFLAGS

project() { # OPTION...: a project of the host with the lines of standard input
  rm -rf "$work/project"
  mkdir "$work/project"
  {
    echo 'cmake_minimum_required(VERSION 3.22)'
    echo 'project(host LANGUAGES NONE)'
    echo 'enable_testing()'
    cat
  } > "$work/project/CMakeLists.txt"
  try cmake -S "$work/project" -B "$work/project/build" "$@" \
    -DCMAKE_PREFIX_PATH="$prefix"
}
refused() { # TEXT ARGUMENT...: the call ends with this text
  expected=$1
  shift
  project << EOF
find_package(Aqueduct REQUIRED)
aqueduct_add_gpu_test($*)
EOF
  # CMake breaks lines.
  [ "$status" != 0 ] && contains "$(echo "$err" | tr -s '\n ' '  ')" "$expected"
}

if command -v cmake > /dev/null; then
  project << 'EOF'
find_package(Aqueduct 0.1 REQUIRED)
aqueduct_add_gpu_test(NAME good COMMAND true DEVICES mi210 mi300x*2 HOST_ONLY
                      LABELS quick TIMEOUT 20 PROCESSORS 2 LOCK port)
aqueduct_add_gpu_test(NAME bad COMMAND false)
aqueduct_add_gpu_test(NAME "semi;[colon" COMMAND true HOST_ONLY)
aqueduct_add_gpu_test(NAME cpu COMMAND true)
aqueduct_add_gpu_test(NAME endless COMMAND sleep 50 DEVICES mi210 TIMEOUT 1)
aqueduct_add_gpu_test(NAME killed COMMAND sleep 50 DEVICES mi210)
set_tests_properties(killed.mi210 PROPERTIES TIMEOUT 1)
aqueduct_add_gpu_test(NAME variable COMMAND sh -c "test \"$VALUE\" = 7" HOST_ONLY
                      ENVIRONMENT VALUE=7 WORKING_DIRECTORY /)
EOF
  check "the module is found and makes tests" [ "$status" = 0 ]
  build=$work/project/build
  try ctest --test-dir "$build" -j4
  check "a failure, a test without a GPU and two timeouts fail" sh -c '
    for name in bad cpu endless.mi210 killed.mi210; do
      grep -q "$name.*\(Failed\|Timeout\)" "$1" || exit 1
    done
    [ "$(grep -c "\*\*\*" "$1")" = 4 ]' sh "$work/out"
  check "each device has a test" sh -c '
    grep -q "good.mi210 .*Passed" "$1" && grep -q "good.mi300x\*2 .*Passed" "$1"' \
    sh "$work/out"
  try ctest --test-dir "$build" -N -L mi300x
  check "a device is a label; the JUnit steps come along" contains "$out" "Total Tests: 3"
  try ctest --test-dir "$build" -N -L quick
  check "and further labels are there" contains "$out" "Total Tests: 4"
  junit=$build/aqueduct/junit.xml
  check "the merged JUnit file has each test once, the killed one too" sh -c '
    [ "$(grep -c "<testcase" "$1")" = 8 ] &&
      [ "$(grep -o "classname=\"[^\"]*\"" "$1" | sort | uniq -d)" = "" ] &&
      grep -q "classname=\"aqueduct\" name=\"killed_mi210\"" "$1"' sh "$junit"
  if command -v xmllint > /dev/null; then
    check "and is XML" xmllint --noout "$junit"
  else
    skip "and is XML" "no xmllint"
  fi
  check "a missing name is an error" refused "expected NAME and COMMAND" COMMAND true
  check "an unknown word is an error" refused "extra: expected" \
    NAME a extra COMMAND true
  check "a time that is no number is an error" refused \
    "TIMEOUT 5s: expected a whole number" NAME a COMMAND true TIMEOUT 5s
  project << 'EOF'
find_package(Aqueduct 9.9 REQUIRED)
EOF
  check "another version is refused" [ "$status" != 0 ]

  project -DAQUEDUCT_EMULATOR_DEVICE=mi210 << 'EOF'
find_package(Aqueduct REQUIRED)
file(WRITE "${CMAKE_BINARY_DIR}/emulator" "${CMAKE_CROSSCOMPILING_EMULATOR}")
EOF
  check "one variable makes the device the emulator of all tests" contains \
    "$(cat "$work/project/build/emulator")" \
    "aqueduct;exec;--host-only;allow;--device;mi210;--"
else
  skip "CMake's module" "no cmake"
fi

if command -v pytest > /dev/null; then
  mkdir "$work/tests"
  cat > "$work/tests/test_it.py" << 'EOF'
import os, pytest
def test_host(): pass
@pytest.mark.gpu
def test_gpu(aqueduct_device): assert aqueduct_device == "mi210"
def test_wrong(): assert not os.environ.get("WRONG")
EOF
  cd "$work/tests" || exit 1
  PYTHONPATH=$prefix/python PYTHONDONTWRITEBYTECODE=1
  export PYTHONPATH PYTHONDONTWRITEBYTECODE
  try pytest -q -p no:cacheprovider
  check "without a device GPU tests are skipped" contains "$out" "2 passed, 1 skipped"
  try pytest -q -p no:cacheprovider --aqueduct-device mi210
  check "with one they run below exec" contains "$out" "3 passed"
  try env WRONG=1 pytest -q -p no:cacheprovider --aqueduct-device mi210
  check "a failure is the status" [ "$status" = 1 ]
  try pytest -q -p no:cacheprovider --aqueduct-device nothing
  check "an unknown device is exec's error" sh -c '
    [ "$1" = 125 ] && grep -q nothing "$2"' sh "$status" "$work/err"
  try pytest -q -p no:cacheprovider --aqueduct-check race
  check "a check needs a device" sh -c '
    [ "$1" = 4 ] && grep -q "aqueduct-check without --aqueduct-device" "$2"' \
    sh "$status" "$work/err"
  try env AQUEDUCT=/nowhere pytest -q -p no:cacheprovider --aqueduct-device mi210
  check "a missing command is told" sh -c '
    [ "$1" = 4 ] && grep -q "/nowhere: No such file" "$2"' sh "$status" "$work/err"
  cd / || exit 1
else
  skip "pytest's plug-in" "no pytest"
fi

# The steps of the action and of both templates.
lines() { # FILE COMMENT: commands behind it
  awk -v name="$2" '
    /^ *# / { inside = $0 ~ "# " name "$"; next }
    !/^    - / { inside = 0 }
    inside { print substr($0, 7) }' "$srcdir/doc/examples/ci/$1"
}
lines gitlab-suite.yml test > "$work/gitlab"
awk '/name: test$/ { inside = 1; next } /^      - / { inside = 0 }
  inside && /^          / { print substr($0, 11) }' \
  "$srcdir/doc/examples/ci/github-suite.yml" > "$work/github"
check "both templates run the same tests" sh -c '
  [ -s "$1" ] && cmp "$1" "$2"' sh "$work/gitlab" "$work/github"
awk '/^      run: \|$/ { inside = 1; next } !/^        / { inside = 0 }
  inside { print substr($0, 9) }' "$srcdir/action.yml" > "$work/action"
check "the action's step is a script" sh -c '[ -s "$1" ] && sh -n "$1"' sh "$work/action"
finish
