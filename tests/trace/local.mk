AQ_TRACE_TESTS = \
	tests/trace/test_csv \
	tests/trace/test_damage \
	tests/trace/test_edges \
	tests/trace/test_formats \
	tests/trace/test_ireeperf \
	tests/trace/test_join \
	tests/trace/test_json_scan \
	tests/trace/test_jsonl \
	tests/trace/test_kineto \
	tests/trace/test_mutations \
	tests/trace/test_norm \
	tests/trace/test_number \
	tests/trace/test_perfetto \
	tests/trace/test_reader \
	tests/trace/test_rocprof_v1 \
	tests/trace/test_rocprofv3_csv \
	tests/trace/test_rocprofv3_json \
	tests/trace/test_timeline \
	tests/trace/test_xplane
check_PROGRAMS += $(AQ_TRACE_TESTS)

AQ_TRACE_FIXTURE = tests/trace/fixture.c tests/trace/fixture.h

tests_trace_test_formats_SOURCES = tests/trace/test_formats.c \
	$(AQ_TRACE_FIXTURE)
tests_trace_test_formats_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS)

tests_trace_test_damage_SOURCES = tests/trace/test_damage.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_ireeperf_SOURCES = tests/trace/test_ireeperf.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_jsonl_SOURCES = tests/trace/test_jsonl.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_kineto_SOURCES = tests/trace/test_kineto.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_mutations_SOURCES = tests/trace/test_mutations.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_norm_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS)

tests_trace_test_perfetto_SOURCES = tests/trace/test_perfetto.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_reader_CPPFLAGS = $(AQ_TEST_CPPFLAGS) $(ZSTD_CFLAGS)
tests_trace_test_reader_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS) $(ZSTD_LIBS)

tests_trace_test_rocprof_v1_SOURCES = tests/trace/test_rocprof_v1.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_rocprofv3_csv_SOURCES = tests/trace/test_rocprofv3_csv.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_rocprofv3_json_SOURCES = tests/trace/test_rocprofv3_json.c \
	$(AQ_TRACE_FIXTURE)

EXTRA_DIST += \
	tests/trace/data/ireeperf.jsonl \
	tests/trace/data/jax.xplane.pb \
	tests/trace/data/kineto.json \
	tests/trace/data/kineto_ranks.json \
	tests/trace/data/perfetto.proto \
	tests/trace/data/rocprof_v1.csv \
	tests/trace/data/rocprofv3.json \
	tests/trace/data/rocprofv3.pftrace \
	tests/trace/data/rocprofv3_set/node7/4242_agent_info.csv \
	tests/trace/data/rocprofv3_set/node7/4242_hip_api_stats.csv \
	tests/trace/data/rocprofv3_set/node7/4242_hip_api_trace.csv \
	tests/trace/data/rocprofv3_set/node7/4242_kernel_trace.csv \
	tests/trace/data/rocprofv3_set/node7/4242_memory_copy_trace.csv

tests_trace_test_timeline_SOURCES = tests/trace/test_timeline.c \
	$(AQ_TRACE_FIXTURE)

tests_trace_test_xplane_SOURCES = tests/trace/test_xplane.c \
	$(AQ_TRACE_FIXTURE)

dist_check_SCRIPTS += tests/trace/test_agreement.sh \
	tests/trace/test_perfetto_errors.sh \
	tests/trace/test_perfetto_rows.sh tests/trace/test_reports.sh
AQ_LONG_TESTS += tests/trace/test_agreement_all.sh
EXTRA_DIST += tests/trace/damage.py tests/trace/independent.py \
	tests/trace/perfetto.py tests/trace/perfetto_check.py tests/trace/reports.c tests/trace/reports.py
