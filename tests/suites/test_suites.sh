#!/bin/sh
# SPDX-License-Identifier: MIT
# The scripts that run suites of others: how they judge the output of programs
# that stand for theirs.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
suites=$srcdir/tests/suites
dir=$work/dir
mkdir "$dir"

program() { # FILE, from standard input
  mkdir -p "$(dirname "$dir/$1")"
  { echo '#!/bin/sh' && cat; } > "$dir/$1"
  chmod +x "$dir/$1"
}

suite() { # NAME OPTION…
  script=$1
  shift
  try "$suites/$script" --aqueduct "$aqueduct" -o "$work/tsv" \
    --junit "$work/xml" "$@" "$dir"
}

row() { # ROW without its seconds, fields by commas
  cut -f 1-5,7 "$work/tsv" | tr '\t' ',' | grep -q -x -F "$1"
}

program test_rocrand_basic << 'EOF'
echo '[==========] Running 2 tests from 1 test suite.'
echo '[       OK ] a.one (0 ms)'
echo '[       OK ] a.two (0 ms)'
echo '[  PASSED  ] 2 tests.'
EOF
suite rocrand
check "a program whose tests pass passes" row \
  'rocrand,test_rocrand_basic,pass,2,2,'
check "a program that is missing is not built" row \
  'rocrand,test_rocrand_generate,not built,,,not in DIR'
check "programs that are not built fail no suite" [ "$status" = 0 ]

program test_rocrand_generate << 'EOF'
echo '[==========] Running 2 tests from 1 test suite.'
echo '[       OK ] a.one (0 ms)'
echo '[  FAILED  ] a.two (0 ms)'
echo '[  FAILED  ] 1 test, listed below:'
echo '[  FAILED  ] a.two'
exit 1
EOF
program test_rocrand_mtgp32_prng << 'EOF'
echo '[==========] Running 2 tests from 1 test suite.'
echo '[       OK ] a.one (0 ms)'
echo '[ RUN      ] a.two'
kill -ABRT $$
EOF
program test_rocrand_xorwow_prng << 'EOF'
echo '[==========] Running 2 tests from 1 test suite.'
echo '[       OK ] a.one (0 ms)'
EOF
suite rocrand
check "a test that fails is named" row \
  'rocrand,test_rocrand_generate,fail,1,2,a.two'
check "a program that crashes fails in its test" row \
  'rocrand,test_rocrand_mtgp32_prng,fail,1,2,in a.two: signal 6'
check "a program that ends before its tests do fails" row \
  'rocrand,test_rocrand_xorwow_prng,fail,1,2,ended before its tests did'
check "the suite fails, and counts" [ "$status ${out##*rocrand: }" = \
  "1 1 pass, 3 fail, 20 not built; 5 of 8 tests" ]
check "the JUnit file counts the same" grep -q \
  '<testsuite name="rocrand" tests="24" failures="3" skipped="20"' "$work/xml"
check "the JUnit file has each reason" grep -q \
  '<failure message="in a.two: signal 6"/>' "$work/xml"

program test_rocrand_basic << 'EOF'
sleep 60
EOF
suite rocrand --timeout 1s --only '*basic'
check "a program that hangs fails" contains \
  "$(cat "$work/tsv")" "timeout 1s"
check "a pattern chooses programs" [ "$(wc -l < "$work/tsv")" = 2 ]

rm -r "$dir"
mkdir "$dir"
program a << 'EOF'
echo 'All tests passed (12 assertions in 3 test cases)'
EOF
program b << 'EOF'
echo 'x.cc:12 FAILED: REQUIRE(1 == 2)'
echo 'test cases: 5 | 4 passed | 1 failed'
exit 1
EOF
program c << 'EOF'
echo PASSED!
EOF
suite hip
check "cases of Catch2 are counted" row 'hip,a,pass,3,3,'
check "a case of Catch2 that fails is named" row \
  'hip,b,fail,4,5,x.cc:12 FAILED: REQUIRE(1 == 2)'
check "a sample passes by its status" row 'hip,c,pass,1,1,'

rm -r "$dir"
mkdir "$dir"
program event.query << 'EOF'
case $1 in
--list-test-names-only)
  printf '%s\n' 'Unit_good - int' 'Unit_bad,1' Unit_crash Unit_skip Unit_early \
    Unit_texture
  exit 5
  ;;
'Unit_good - int') echo 'printed, noPassed 1 test case with 3 assertions.' ;;
'Unit_bad\,1')
  echo '/x/query.cc:12: failed: a == b for: 1 == 2'
  echo 'Failed 1 test case, failed 1 assertion.'
  exit 1
  ;;
Unit_crash)
  echo "/x/query.cc:20: failed: fatal error condition with message: 'SIGABRT'"
  kill -ABRT $$
  ;;
Unit_texture)
  echo '/x/query.cc:30: failed: fatal error condition with message'
  echo 'aqueduct: queue 0: packet 2 (kernel dispatch, kernel k): kernel k+0x1c: '"\
image_sample v4, v0: the kernel can reach this instruction, which is not \
simulated" >&2
  kill -ABRT $$
  ;;
Unit_skip)
  echo 'Skipping test. Reason: one device'
  echo HIP_SKIP_THIS_TEST
  echo 'Passed 1 test case (no assertions).'
  ;;
esac
EOF
program event.mute << 'EOF'
EOF
program event.dead << 'EOF'
kill -ABRT $$
EOF
program helper << 'EOF'
exit 1
EOF
echo 'does not compile' > "$dir/graph.clone.why"
echo code > "$dir/kernel.code"
suite hipcatch
check "each case of a program of catch runs by itself" row \
  'hipcatch,event.query:Unit_good - int,pass,1,1,'
check "a case that fails is quoted" row \
  'hipcatch,event.query:Unit_bad,1,fail,0,1,query.cc:12: failed: a == b for: 1 == 2'
check "a case that crashes fails alone" row \
  'hipcatch,event.query:Unit_crash,fail,0,1,query.cc:20: signal 6'
check "a case whose kernel reads textures says so, in short" row \
  'hipcatch,event.query:Unit_texture,fail,0,1,textures: image_sample is not '"\
simulated; query.cc:30: signal 6, queue 0: packet 2: kernel k+0x1c: \
image_sample v4, v0: the kernel can reach this instruction, which is not \
simulated"
check "a case that ends without a verdict fails" row \
  'hipcatch,event.query:Unit_early,fail,0,1,ended before its tests did'
check "a case that leaves itself out counts no test" row \
  'hipcatch,event.query:Unit_skip,pass,0,0,Reason: one device'
check "a program without cases counts no test" row \
  'hipcatch,event.mute,pass,0,0,has no case'
check "a program that cannot list its cases fails" row \
  'hipcatch,event.dead,fail,0,1,ends while it lists its cases'
check "a source that was not built says why" row \
  'hipcatch,graph.clone,not built,,,does not compile'
check "helpers and code objects are no programs" [ "$(wc -l < "$work/tsv")" = 10 ]

rm -r "$dir"
mkdir "$dir"
program hsa_init << 'EOF'
echo '100%: Checks: 5, Failures: 0, Errors: 0'
EOF
program hsa_queue << 'EOF'
echo '25%: Checks: 4, Failures: 2, Errors: 1'
echo '/x/test_queue.c:90:F:queue:test_queue_size:0: Assertion failed: it failed'
echo '/x/test_queue.c:91:F:queue:test_queue_full:0: Assertion failed'
echo '/x/framework.h:9:E:queue:test_queue_crash:0: (after this point) signal 11'
exit 1
EOF
program hsa_memory << 'EOF'
exit 0
EOF
program hsa_code << 'EOF'
echo '25%: Checks: 4, Failures: 3, Errors: 0'
echo '/x/code.c:9:F:c:code_kernarg_alignment:0: status'
echo '/x/code.c:9:F:c:code_other:0: status'
echo '/x/code.c:9:F:c:code_iterate_symbols:0: status'
exit 1
EOF
suite conformance
check "checks are counted" row 'conformance,hsa_init,pass,5,5,'
check "a check that fails is named" row \
  'conformance,hsa_queue,fail,1,4,test_queue_size test_queue_full test_queue_crash'
check "tests with a known reason are counted by it" row \
  'conformance,hsa_code,fail,1,4,2 with kernels in BRIG, for which there is no finalizer; code_other'
check "a program without a count fails" row \
  'conformance,hsa_memory,fail,0,0,ended before its tests did'

rm -r "$dir"
mkdir "$dir"
program rocrtst64 << 'EOF'
case $1 in
*list_tests)
  echo rocrtstFunc.
  echo '  IPC'
  echo '  DISABLED_CU_Masking'
  echo rocrtstNeg.
  echo '  Queue'
  exit
  ;;
esac
echo '[==========] Running 1 test from 1 test case.'
echo "[ RUN      ] ${1#*=}"
[ "$1" = --gtest_filter=rocrtstFunc.IPC ] || exit 1
echo "[       OK ] ${1#*=} (0 ms)"
EOF
suite rocrtst
check "each test of rocrtst runs by itself" row \
  'rocrtst,rocrtstFunc.IPC,pass,1,1,'
check "one that ends the program fails alone" row \
  'rocrtst,rocrtstNeg.Queue,fail,0,1,in rocrtstNeg.Queue: status 1'
check "one that rocrtst disables does not run" row \
  'rocrtst,rocrtstFunc.DISABLED_CU_Masking,not built,,,disabled by rocrtst'

rm -r "$dir"
for name in good bad mute minus exact near; do
  printf 'run: main\n\t./main 7\n' | program $name-hip/Makefile
  sed -i 1d "$dir/$name-hip/Makefile"
done
mkdir "$dir/absent-hip"
printf 'run: main\n\t./main ../data/lost.txt 7\n' | program lost-hip/Makefile
sed -i 1d "$dir/lost-hip/Makefile"
program lost-hip/main << 'EOF'
echo PASS
EOF
program assert-hip/main << 'EOF'
exit 3
EOF
program good-hip/main << 'EOF'
echo "PASS with $*, 0 errors, failed: 0"
[ "$*" = 7 ]
EOF
program bad-hip/main << 'EOF'
echo 'Verification FAIL at 3'
EOF
program mute-hip/main << 'EOF'
echo 'Average time 3 us'
EOF
program exact-hip/main << 'EOF'
echo '   Max output error is 0'
EOF
program near-hip/main << 'EOF'
echo 'Maximum error: 0.25'
EOF
program minus-hip/main << 'EOF'
exit 255
EOF
suite hecbench
check "a status that is no signal is a status" row \
  'hecbench,minus-hip,fail,0,1,status 255'
check "a program gets the arguments of its own make run" row \
  'hecbench,good-hip,pass,1,1,'
check "a verification that fails is quoted" row \
  'hecbench,bad-hip,fail,0,1,Verification FAIL at 3'
check "a largest error of 0 is a verification that passes" row \
  'hecbench,exact-hip,pass,1,1,'
check "another error is none" row \
  'hecbench,near-hip,pass,0,0,ends well, verifies nothing'
check "a program that verifies nothing counts no test" row \
  'hecbench,mute-hip,pass,0,0,ends well, verifies nothing'
check "a folder without a program is not built" row \
  'hecbench,absent-hip,not built,,,no program main'
check "a program without its input is not run" row \
  'hecbench,lost-hip,not built,,,no input ../data/lost.txt'
check "a failure that a GPU has too says so" row \
  'hecbench,assert-hip,fail,0,1,as on a GPU: HIP aborts where the program expects an error code; status 3'

awk -f "$suites/table.awk" "$work/tsv" > "$work/table"
check "the table counts a suite" grep -q -x -F \
  '| hecbench | 4 | 3 | 2 | 2 of 5 |' "$work/table"
check "the table has each reason" grep -q -x -F \
  '| hecbench | bad-hip | Verification FAIL at 3 |' "$work/table"

try "$suites/hip" --aqueduct "$aqueduct" "$work/nowhere"
check "a folder that is none is refused" [ "$status $err" = \
  "2 hip: DIR is no directory: $work/nowhere" ]
try "$suites/hip" --jobs x --aqueduct "$aqueduct" "$dir"
check "a number that is none is refused" [ "$status" = 2 ]
finish
