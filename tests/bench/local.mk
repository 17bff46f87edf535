# make bench: one JSON object a line, each figure beside its floor.
# Add a program: its name to AQ_BENCHES, its sources below.
AQ_BENCHES =

# Each program adds itself here.
AQ_BENCHES += tests/bench/bench_import
tests_bench_bench_import_SOURCES = tests/bench/bench_import.c
tests_bench_bench_import_CPPFLAGS = $(AQ_BENCH_CPPFLAGS) $(YAJL_CFLAGS)
tests_bench_bench_import_LDADD = $(AQ_BENCH_LDADD) $(YAJL_LIBS) $(ZLIB_LIBS)

EXTRA_PROGRAMS += $(AQ_BENCHES)
AQ_BENCH_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
AQ_BENCH_LDADD = tests/bench/libaqbench.la libaqcore.la
EXTRA_LTLIBRARIES = tests/bench/libaqbench.la
tests_bench_libaqbench_la_SOURCES = tests/bench/bench.c tests/bench/bench.h
tests_bench_libaqbench_la_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
CLEANFILES += $(AQ_BENCHES)

.PHONY: bench
bench: $(AQ_BENCHES)
	@for bench in $(AQ_BENCHES); do \
	  AQ_SRCDIR='$(abs_top_srcdir)' ./$$bench || exit 1; \
	done
