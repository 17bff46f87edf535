# make bench: one JSON object a line, each figure beside its floor.
# Add a program: its name to AQ_BENCHES, its sources below.
AQ_BENCHES = \
	tests/bench/bench_calendar \
	tests/bench/bench_doorbell \
	tests/bench/bench_live \
	tests/bench/bench_packets
AQ_BENCHES += tests/bench/bench_store
AQ_BENCHES += tests/bench/bench_import
AQ_BENCHES += tests/bench/bench_isa
AQ_BENCHES += tests/bench/bench_cmdbuf
AQ_BENCHES += tests/bench/bench_queue
AQ_BENCHES += tests/bench/bench_chain
AQ_BENCHES += tests/bench/bench_policy
AQ_BENCHES += tests/bench/bench_record
AQ_BENCHES += tests/bench/bench_replay
AQ_BENCHES += tests/bench/bench_sweep
EXTRA_PROGRAMS += $(AQ_BENCHES)
AQ_BENCH_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir)/tests
AQ_BENCH_LDADD = tests/bench/libaqbench.a $(AQ_CORE_LDADD)
EXTRA_LIBRARIES = tests/bench/libaqbench.a
tests_bench_libaqbench_a_SOURCES = tests/bench/bench.c tests/bench/bench.h \
	tests/bench/hsa_client.h
tests_bench_libaqbench_a_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
CLEANFILES += $(AQ_BENCHES)

tests_bench_bench_cmdbuf_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_cmdbuf_LDADD = $(AQ_BENCH_LDADD)

tests_bench_bench_import_CPPFLAGS = $(AQ_BENCH_CPPFLAGS) $(YAJL_CFLAGS)
tests_bench_bench_import_LDADD = $(AQ_BENCH_LDADD) $(YAJL_LIBS) $(ZLIB_LIBS)

tests_bench_bench_isa_SOURCES = tests/bench/bench_isa.c \
	tests/bench/bench_isa_cases.c tests/bench/bench_isa_host.c \
	tests/bench/bench_isa.h
tests_bench_bench_isa_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_isa_LDADD = $(AQ_BENCH_LDADD)
EXTRA_DIST += tests/bench/isa/kernels.c tests/bench/isa/kernels.hsaco \
	tests/bench/yardsticks.tsv tools/speed-table.sh

# Compiles the kernels of bench_isa anew (clang-22, ld.lld-22).
.PHONY: regenerate-bench
regenerate-bench:
	cd $(srcdir)/tests/bench/isa && \
	clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -O2 \
	  -ffp-contract=off -Wl,-s -x c kernels.c -o kernels.hsaco && \
	chmod 644 kernels.hsaco

tests_bench_bench_calendar_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_calendar_LDADD = $(AQ_BENCH_LDADD)

tests_bench_bench_doorbell_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_doorbell_LDADD = tests/bench/libaqbench.a \
	.libs/libhsa-runtime64.so $(AQ_CORE_LDADD)

tests_bench_bench_live_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_live_LDADD = $(AQ_BENCH_LDADD)

tests_bench_bench_packets_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_packets_LDADD = $(AQ_BENCH_LDADD)

tests_bench_bench_chain_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_chain_LDADD = $(AQ_BENCH_LDADD)

tests_bench_bench_queue_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_queue_LDADD = $(AQ_BENCH_LDADD)

tests_bench_bench_policy_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_policy_LDADD = $(AQ_BENCH_LDADD)

tests_bench_bench_record_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_record_LDADD = tests/bench/libaqbench.a \
	.libs/libhsa-runtime64.so $(AQ_CORE_LDADD)

tests_bench_bench_replay_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_replay_LDADD = $(AQ_BENCH_LDADD)

tests_bench_bench_store_CPPFLAGS = $(AQ_BENCH_CPPFLAGS) $(SQLITE_CFLAGS)
tests_bench_bench_store_LDADD = $(AQ_BENCH_LDADD) $(SQLITE_LIBS)

tests_bench_bench_sweep_CPPFLAGS = $(AQ_BENCH_CPPFLAGS)
tests_bench_bench_sweep_LDADD = $(AQ_BENCH_LDADD)
EXTRA_DIST += tests/bench/sweep.json

.PHONY: bench
bench: $(AQ_BENCHES) aqueduct
	@for bench in $(AQ_BENCHES); do \
	  AQ_SRCDIR='$(abs_top_srcdir)' ./$$bench || exit 1; \
	done
