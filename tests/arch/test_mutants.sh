#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/mutants/mutants.py, on a small tree of its own: the five verdicts, the order of
# the tests, the long cases, the parts that are built, and results that are kept for as long as
# the sources are the same.
# shellcheck disable=SC2016 # the generated scripts expand it
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
unset AQ_SLICE CC CFLAGS LDFLAGS
for tool in git python3 make; do
  command -v $tool > /dev/null || {
    echo "1..0 # SKIP $tool is not installed"
    exit 0
  }
done
said() { grep -q -- "$1" "$work/said"; }

# Programs are copies of the source: shells that judge themselves.
tree=$work/tree
mkdir -p "$tree/src" "$tree/tests/mutants" "$work/build"
cp "$srcdir/tests/mutants/mutants.py" "$tree/tests/mutants/"
printf '#!/bin/sh\n' > "$tree/autogen.sh"
cat > "$tree/configure" << 'end'
#!/bin/sh
mkdir -p tests
mkdir -p src/.deps
echo 'src/libaqcore_a-core.o: ../src/core.c' > src/.deps/libaqcore_a-core.Po
cat > Makefile << 'rules'
AQ_CORE_LDADD = libaqcore.a $(AQ_CORE_LIBS)
all: installed aqueduct
check-data:
	: > data
installed: ../src/file libaqcore.a
	cat $^ > $@ && echo installed >> ../../made
src/libaqcore_a-core.o: ../src/core.c
	! grep broken $< && cp $< $@
libaqcore.a: src/libaqcore_a-core.o
	cp $< $@ && echo archive >> ../../made
aqueduct tests/linked: libaqcore.a ../tests/linked.in
	echo '#!/bin/sh' > $@
	cat $(AQ_CORE_LDADD) ../tests/linked.in >> $@
	chmod +x $@ && echo $@ >> ../../made
tests/%: ../src/file ../tests/%.in
	cat $^ > $@ && chmod +x $@ && echo $@ >> ../../made
rules
end
cat > "$tree/src/file" << 'end'
#!/bin/sh
first=1
second=1
third=1
fourth=1
fifth=1
end
# Of two objects that set the same, the first one counts.
printf ': "${core=1}"\n: "${other=1}"\n' > "$tree/src/core.c"
judged() { # NAME CONDITION
  printf 'echo "# $%s"\n%s || { echo "not ok 1 - %s"; exit 1; }\n' "$1" "$2" "$1"
}
judged first '[ $first = 1 ]' > "$tree/tests/first.in"
judged second '[ -z "$AQ_LONG" ] || [ $second = 1 ]' > "$tree/tests/second.in"
{
  echo '[ $third = 1 ] || { echo "# file:1:"; echo "# Test timeout expired"; }'
  echo '[ $third = 1 ] || { echo "not ok 1 - third"; exit 1; }'
} > "$tree/tests/third.in"
# It fails, then it would run for ever, and a part of it in a group of its own.
cat > "$tree/tests/group.py" << 'end'
import os
os.setpgid(0, 0)
os.execvp("sleep", ["sleep", "123456"])
end
{
  echo '[ $fourth = 1 ] || python3 $AQ_SRCDIR/tests/group.py &'
  judged fourth '[ $fourth = 1 ]' | sed 's/exit 1/wait/'
} > "$tree/tests/fourth.in"
judged wrong false > "$tree/tests/wrong.in"
echo 'echo "1..0 # SKIP no device"' > "$tree/tests/none.in"
{
  echo '#!/bin/sh'
  echo '. "$AQ_BUILDDIR/installed"'
  judged fifth '[ $fifth = 1 ]'
} > "$tree/tests/fifth.sh"
judged core '[ $core = 1 ]' > "$tree/tests/linked.in"
{
  echo '#!/bin/sh'
  echo '. "$AQ_BUILDDIR/aqueduct"'
} > "$tree/tests/command.sh"
{
  echo '#!/bin/sh'
  echo '. "$AQ_BUILDDIR/installed"'
  judged other '[ $other = 1 ]'
} > "$tree/tests/library.sh"
chmod +x "$tree/autogen.sh" "$tree/configure" "$tree"/tests/*.sh
row() { # NAME TEXT REPLACEMENT TESTS
  printf '%s\tsrc/file\t%s\t%s\t%s\n' "$@" >> "$tree/tests/mutants/mutants.tsv"
}
row of-first first=1 first=2 'tests/fifth.sh tests/first'
row of-second second=1 second=2 tests/second
row of-third third=1 third=2 tests/third
row of-fourth fourth=1 fourth=2 'tests/fourth tests/third'
row of-fifth fifth=1 fifth=2 'tests/fifth.sh tests/first'
row of-nobody fifth=1 fifth=2 'tests/first tests/second'
row of-none first=1 first=2 tests/none
row of-wrong first=1 first=2 tests/wrong
row moved sixth=1 sixth=2 tests/first
row twice th=1 th=2 tests/first
row unbuilt first=1 broken=1 tests/missing
core() { # NAME TEXT REPLACEMENT TESTS
  printf '%s\tsrc/core.c\t%s\t%s\t%s\n' "$@" >> "$tree/tests/mutants/mutants.tsv"
}
core of-program core=1 core=2 tests/linked
core of-command core=1 core=2 tests/command.sh
core of-library other=1 other=2 'tests/linked tests/library.sh'
core of-object core=1 broken=1 tests/linked
git() { command git -C "$tree" -c user.name=a -c user.email=a@b "$@"; }
git init -q
git add -A
git commit -q -m first
mutants() {
  (cd "$work" && timeout 100 python3 "$tree/tests/mutants/mutants.py" "$tree" build "$@") \
    > "$work/said" 2>&1
  status=$?
  out=$(cat "$work/said")
  return $status
}

mutants of-first of-second of-fourth of-fifth of-none
check "nothing but killed and skipped rows is a success" [ $? = 0 ]
check "they are counted" \
  said '^5 rows: 4 killed, 0 timed out, 0 SURVIVED, 0 HANGS, 0 STALE, 1 skipped; 0 judged earlier'
check "a program kills before a script" said '^killed *of-first *tests/first '
check "long cases kill what the short ones do not" \
  said '^killed *of-second *tests/second '
check "a test ends at its first failure" said '^killed *of-fourth *tests/fourth '
check "with all that it began" sh -c '! pgrep -f "^sleep 123456$" > /dev/null'
check "a script has what is installed" said '^killed *of-fifth *tests/fifth.sh '
check "a row whose tests have nothing to run on is skipped" \
  said '^skipped *of-none *no device '

rm -f "$work/build/mutants/made"
mutants of-first of-second of-fourth of-fifth
check "killed rows are kept" said '; 4 judged earlier, '
check "nothing was made for them" [ ! -e "$work/build/mutants/made" ]

mutants of-first of-second of-third of-fourth of-fifth of-nobody of-none of-wrong \
  moved twice unbuilt
check "anything else is a failure" [ $? = 1 ]
check "only the time limit failed" said '^timed out of-third '
check "nothing failed" said '^SURVIVED *of-nobody '
check "the text is gone" said '^STALE *moved *0 times in src/file '
check "the text is not alone" said '^STALE *twice *2 times in src/file '
check "the result does not compile" said '^STALE *unbuilt *does not compile: '
check "the test fails without the bug" \
  said '^STALE *of-wrong *tests/wrong without any mutant: killed with its short cases'
check "each row is counted once" \
  said '^11 rows: 4 killed, 1 timed out, 1 SURVIVED, 0 HANGS, 4 STALE, 1 skipped; 4 judged earlier, '
mutants of-nobody of-wrong
check "only killed rows are kept" said '^2 rows: 0 killed, 0 timed out, 1 SURVIVED, 0 HANGS, 1 STALE'

mutants moved # builds what the runs before changed
rm -f "$work/build/mutants/made"
mutants of-program
check "an object of the core is linked into the program" \
  said '^killed *of-program *tests/linked '
check "the archive is made to verify only, and nothing that is installed" \
  [ "$(grep -vc linked "$work/build/mutants/made")" = 1 ]
mutants of-command
check "for scripts, into the command" said '^killed *of-command *tests/command.sh '
mutants of-library
check "what nothing notices so is built into all that is installed" [ $? = 0 ]
check "where another test notices it" said '^killed *of-library *tests/library.sh '
mutants of-object
check "an object that does not compile is none" said '^STALE *of-object *does not compile'

CFLAGS=-O2 mutants src
check "other flags make them stale" said '; 0 judged earlier, '
check "and the copies are configured anew" \
  grep -q 'CFLAGS=-O2' "$work/build/mutants/0/made-with"

echo '# another' >> "$tree/tests/first.in"
mutants src
check "a change of any file makes them stale" said '; 0 judged earlier, '
check "the tree is what it was" [ "$(git status --porcelain)" = ' M tests/first.in' ]
mutants other
check "a name that is neither row nor folder is an error" said 'no row is called other'

cat > "$work/once.py" << 'end'
import sys
sys.path.insert(0, sys.argv[1] + "/tests/mutants")
import mutants
wrong = 0
for row in mutants.table(sys.argv[1] + "/" + mutants.TABLE):
    with open(f"{sys.argv[1]}/{row['file']}", encoding="utf-8") as text:
        count = text.read().count(row["text"])
    if count != 1:
        print(f"{row['name']}: its text occurs {count} times in {row['file']}")
        wrong = 1
sys.exit(wrong)
end
check "the text of each row of the table occurs once in its file" \
  env PYTHONDONTWRITEBYTECODE=1 python3 "$work/once.py" "$srcdir"
finish
