# make check-fuzz: runs every target for FUZZ_SECONDS; see tests/fuzz/README.md.
# Add a target: its name here, its source tests/fuzz/fuzz_NAME.c, seeds in
# tests/fuzz/corpus/NAME/.
AQ_FUZZ_TARGETS = capture codeobj device_model devices disb dispatch dnn faults gpu_metrics gz isa \
	ireeperf jsonl kineto objects packets perfetto plan program rocpd \
	requests rocprof_v1 rocprofv3_csv rocprofv3_json \
	scenario serving spool suppressions xplane
FUZZ_SECONDS = 10
# Imported formats, with their seeds: FUZZ_MUTANTS mutations of each.
AQ_FUZZ_FORMATS = kineto:kineto rocprofv3-json:rocprofv3_json \
	rocprofv3-csv:rocprofv3_csv rocprof-v1:rocprof_v1 ireeperf:ireeperf \
	jsonl:jsonl rocpd:rocpd rpd:rocpd rocprof-v1-db:rocpd nsys:rocpd xplane:xplane \
	perfetto:perfetto
FUZZ_MUTANTS = 2000

EXTRA_DIST += tests/fuzz/README.md tests/fuzz/run.sh tests/fuzz/driver.c \
	tests/fuzz/shrink.c \
	tests/fuzz/fuzz.h tests/fuzz/fuzz_import.h \
	tests/fuzz/fuzz_workload.h \
	$(AQ_FUZZ_TARGETS:%=tests/fuzz/fuzz_%.c) tests/fuzz/corpus

# Sources of the targets: all of the core, compiled anew.
aq_fuzz_sources = $(libaqcore_a_SOURCES) $(nodist_libaqcore_a_SOURCES)
AQ_FUZZ_CPPFLAGS = $(DEFS) -I. $(AM_CPPFLAGS) -I$(top_srcdir)/tests \
	$(SQLITE_CFLAGS) $(ZLIB_CFLAGS) $(YAJL_CFLAGS) \
	$(ZSTD_CFLAGS)
AQ_FUZZ_LIBS = $(SQLITE_LIBS) $(ZLIB_LIBS) $(YAJL_LIBS) \
	$(ZSTD_LIBS) -lm

.PHONY: check-fuzz
check-fuzz: $(BUILT_SOURCES) $(nodist_libaqcore_a_SOURCES)
	@FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_FORMATS='$(AQ_FUZZ_FORMATS)' \
	  FUZZ_MUTANTS='$(FUZZ_MUTANTS)' CC='$(CC)' CFLAGS='$(CFLAGS)' \
	  FUZZ_CPPFLAGS='$(AQ_FUZZ_CPPFLAGS)' \
	  FUZZ_SOURCES='$(aq_fuzz_sources)' FUZZ_LIBS='$(AQ_FUZZ_LIBS)' \
	  $(SHELL) $(top_srcdir)/tests/fuzz/run.sh '$(top_srcdir)' \
	    $(AQ_FUZZ_TARGETS)
clean-local: clean-fuzz
.PHONY: clean-fuzz
clean-fuzz:
	-rm -rf fuzz-build
