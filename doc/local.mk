# Documentation and its generated parts.
EXTRA_DIST += \
	doc/ARCHITECTURE.md \
	doc/HACKING.md \
	doc/README.md \
	doc/abi.md \
	doc/accuracy.md \
	doc/api.md \
	doc/benchmarks.md \
	doc/calibrate.md \
	doc/ci.md \
	doc/glossary.md \
	doc/checker.md \
	doc/execution.md \
	doc/features.md \
	doc/kernels.md \
	doc/modules.md \
	doc/libraries.md \
	doc/limits.md \
	doc/policies.md \
	doc/queue.md \
	doc/recording.md \
	doc/replay.md \
	doc/serving.md \
	doc/studies.md \
	doc/topology.md \
	doc/transports.md \
	doc/formats/capture.md doc/formats/dispatch.md doc/formats/faults.md \
	doc/formats/packets.md doc/formats/requests.md doc/formats/spool.md \
	doc/adr doc/examples/questions.ipynb doc/tables doc/tutorials \
	tools/api-index.sh tools/mlir-times.sh \
	doc/examples/Makefile \
	doc/examples/code_object.c doc/examples/hottest.cpp \
	doc/examples/operations.c doc/examples/what_if.cpp \
	doc/examples/ci/github.yml doc/examples/ci/gitlab.yml \
	doc/examples/ci/github-suite.yml doc/examples/ci/gitlab-suite.yml \
	doc/examples/ci/suites/CMakeLists.txt doc/examples/ci/suites/Makefile \
	doc/examples/ci/suites/meson.build doc/examples/ci/suites/test_vadd.py \
	doc/examples/ci/suites/vadd.cpp \
	doc/examples/ci/vadd.hip \
	doc/examples/kernels/Makefile doc/examples/kernels/device.c \
	doc/examples/kernels/device-gfx90a.hsaco \
	doc/examples/kernels/kernels.c \
	doc/examples/study/Snakefile doc/examples/study/clients.json \
	doc/examples/study/plan.json \
	doc/examples/study/tenants.json doc/pictures/serving-ttft.svg \
	doc/pictures/report.png doc/pictures/terminal.svg \
	tools/pictures.sh tools/readme-outputs.sh tools/terminal.py \
	doc/examples/policy/Makefile doc/examples/policy/batch.c \
	doc/examples/transport/Makefile doc/examples/transport/engine.c \
	doc/examples/transport/fixed.c doc/examples/transport/fixed.h \
	doc/examples/transport/queues.c \
	traces/README.md traces/accuracy.tsv traces/calibration.tsv \
	traces/mi300x-resnet18-excerpt.jsonl.gz

# The README's outputs and its pictures are made, never typed.
.PHONY: readme-docs pictures site
# The docs as HTML, in site/ of the build folder.
site:
	$(srcdir)/tools/site.sh site
EXTRA_DIST += doc/site.css doc/site.yml tools/site.sh
# Hand-written words by page, without tables, generated blocks and code, as
# test_readme.sh counts the words of the README.
.PHONY: doc-words
doc-words:
	@cd $(srcdir) && find doc -name '*.md' ! -path 'doc/tables/*' | \
	  while read -r page; do \
	    echo "$$(sed '/<!-- [a-z-]*: *begin/,/<!-- [a-z-]*: *end/d; \
	      /^```/,/^```/d' "$$page" | wc -w) $$page"; \
	  done | sort -rn | $(AWK) '{ print; sum += $$1 } END { print sum, "words" }'
readme-docs: aqueduct
	hipcc --offload-arch=gfx90a -O2 -o vadd.tmp \
	  $(srcdir)/doc/examples/ci/vadd.hip
	$(srcdir)/tools/readme-outputs.sh ./aqueduct ./vadd.tmp > outputs.md
	$(srcdir)/tools/doc-block.sh outputs < outputs.md
	@rm -f vadd.tmp
CLEANFILES += outputs.md vadd.tmp
pictures: aqueduct
	$(srcdir)/tools/pictures.sh ./aqueduct $(srcdir)/doc/pictures

# The outputs of the tutorials; test_doc_commands.sh runs all pages.
.PHONY: tutorials
tutorials: all
	$(srcdir)/tools/doc-commands.py . --write $(srcdir)/doc/tutorials/*.md
EXTRA_DIST += tools/doc-commands.py

# The screens of the report that test_timeline.sh compares: look at each.
.PHONY: screens
screens: aqueduct
	AQ_SRCDIR=$(abs_srcdir) AQ_BUILDDIR=$(abs_builddir) AQ_WRITE_SCREENS=1 \
	  $(srcdir)/tests/report/test_timeline.sh

# Where tests look for published traces, too.
aq_measured = $${AQ_DATA:-$(abs_top_srcdir)/../shared/data}/measured
# The index of the C API, from the headers; test_install.sh compares it.
.PHONY: api-docs
api-docs: public/stamp
	$(srcdir)/tools/api-index.sh public | \
	  $(srcdir)/tools/doc-block.sh api doc/api.md

# The page of defects, from their table and the history; a test compares it.
.PHONY: defects-docs
defects-docs:
	python3 $(srcdir)/tools/defects.py $(srcdir) > defects.md
	$(srcdir)/tools/doc-block.sh defects doc/tables/defects.md < defects.md
	@rm -f defects.md

# The page of instructions, from the code; a test compares it.
.PHONY: isa-docs
isa-docs: tests/gpu/wave/test_table
	AQ_SRCDIR=$(srcdir) AQ_WRITE_DOCS=1 CK_FORK=no tests/gpu/wave/test_table

# The page of the driver's calls, from the code; a test compares it.
.PHONY: driver-docs
driver-docs: tests/dropin/kfd/test_tables
	AQ_SRCDIR=$(srcdir) AQ_WRITE_DOCS=1 CK_FORK=no tests/dropin/kfd/test_tables

# Prints dispatches over the simulated driver, in wall time.
.PHONY: driver-bench
driver-bench: aqueduct$(EXEEXT) tests/dropin/kfd/drive_door$(EXEEXT)
	AQ_SRCDIR=$(srcdir) AQ_BUILDDIR=. sh $(srcdir)/tests/dropin/kfd/measure_door.sh

.PHONY: accuracy bench-table calibrate reproductions schema-docs
# The tables of record.md, store.md and counters.md, from the code; a test
# compares them.
schema-docs: tests/store/test_schema
	AQ_SRCDIR=$(srcdir) AQ_WRITE_DOCS=1 CK_FORK=no tests/store/test_schema
# Fits the shipped device models again; fails where one differs.
calibrate: aqueduct
	$(srcdir)/tools/calibrate.sh ./aqueduct "$(aq_measured)"

# Errors of durations predicted from another GPU's, on published pairs: peaks of
# the data sheets in TFLOP/s of matrices and of vectors, and TB/s.
EXTRA_PROGRAMS += tests/gpu/duration/score_transfer
tests_gpu_duration_score_transfer_SOURCES = tests/gpu/duration/score_transfer.c
tests_gpu_duration_score_transfer_LDADD = libaqcore.a -lm
.PHONY: score-transfer
aq_score = data=$${AQ_DATA:-$(srcdir)/../shared/data} && \
	pair() { printf '@%s' "$$1"; shift; printf '\t%s' "$$@"; echo; } && \
	kernels() { $${PYTHON:-python3} $(srcdir)/tools/duration_pairs.py "$$@"; } && \
	each() { \
	  pair 'H100 SXM to MI300X (TraceLens)' 0 989.4 66.9 3.35 1307.4 163.4 5.3; \
	  kernels $$data ops; \
	  pair 'gfx942, 304 CUs, to gfx950 (aiter)' 1 2614.9 163.4 5.3 5033.2 157.3 8; \
	  kernels $$data gemm304; \
	  pair 'gfx942, 80 CUs, to gfx950 (aiter)' 1 688 43 5.3 5033.2 157.3 8; \
	  kernels $$data gemm80; \
	  pair 'gfx942, 304 CUs, to gfx942, 80 CUs (aiter)' 1 2614.9 163.4 5.3 688 43 5.3; \
	  kernels $$data gemm304to80; \
	  pair 'gfx908 to gfx90a, 110 CUs (rocBLAS)' 1 184.6 23.1 1.23 191.5 23.9 1.64; \
	  kernels $(srcdir)/traces/rocblas-gfx908-gfx90a.tsv table; \
	}
score-transfer: tests/gpu/duration/score_transfer$(EXEEXT)
	@$(aq_score) && set -e && each > score-transfer.tmp && { \
	  echo '| pair | family | kernels | median | p90 | in the 90 % interval | median width | constant: median | p90 | peaks: median | p90 |'; \
	  echo '|---|---|---|---|---|---|---|---|---|---|---|'; \
	  tests/gpu/duration/score_transfer < score-transfer.tmp 2> /dev/null; echo; \
	  echo '| pair | kernels | clusters | in the 90 % interval | cluster bootstrap, 5 to 95 % | contains 90 % | median width | score | quantiles of all durations | of the quotients |'; \
	  echo '|---|---|---|---|---|---|---|---|---|---|'; \
	  tests/gpu/duration/score_transfer --intervals < score-transfer.tmp; \
	} > score-transfer.md && \
	  $(srcdir)/tools/doc-block.sh transfer doc/tables/durations.md < score-transfer.md; \
	rm score-transfer.tmp score-transfer.md
CLEANFILES += tests/gpu/duration/score_transfer
EXTRA_DIST += tools/duration_pairs.py traces/rocblas-gfx908-gfx90a.tsv

# What counting costs: on an idle machine (hipcc).
.PHONY: cost-times
cost-times: all
	@$${PYTHON:-python3} $(srcdir)/tools/cost_times.py ./aqueduct \
	  $(srcdir)/tests/gpu/duration/costs.hip
EXTRA_DIST += tools/cost_times.py tests/gpu/duration/costs.hip

# Constants of predicted durations and their scores, from published tables.
.PHONY: fit-durations
fit-durations:
	data=$${AQ_DATA:-$(srcdir)/../shared/data} && \
	  $${PYTHON:-python3} $(srcdir)/tools/fit_gemm.py $$data/gemm/visible.csv.gz \
	  --table $(srcdir)/src/gpu/duration/gemm.def \
	  --page $(srcdir)/doc/tables/durations.md \
	  --vectors $(srcdir)/tests/gpu/duration/gemm_vectors.tsv
EXTRA_DIST += doc/durations.md tools/fit_gemm.py

# Constants for the counted work of executed code, and their scores.
.PHONY: fit-executed
fit-executed:
	data=$${AQ_DATA:-$(srcdir)/../shared/data} && \
	  $${PYTHON:-python3} $(srcdir)/tools/fit_executed.py \
	  $(srcdir)/traces/mi300a-counts.tsv $$data/mi300a/visible.csv \
	  $(srcdir)/src/backend_sim/model/devices --write \
	  --page $(srcdir)/doc/tables/durations.md --plots $(srcdir)/doc/pictures \
	  --vectors $(srcdir)/tests/gpu/duration/executed_vectors.tsv
EXTRA_DIST += tools/fit_executed.py traces/mi300a-counts.tsv \
	doc/pictures/durations-bitonicsort.svg \
	doc/pictures/durations-matrixmultiplication.svg

# The served model, from the published traces of its steps.
.PHONY: fit-serving
fit-serving:
	data=$${AQ_DATA:-$(srcdir)/../shared/data} && \
	  $${PYTHON:-python3} $(srcdir)/tools/fit_serving.py $$data \
	  $(srcdir)/src/study/serving/models
EXTRA_DIST += tools/fit_serving.py

# Figures of published traces, in doc/tables/whatif.md. AQ_DATA as of fit-durations.
.PHONY: whatif-docs
whatif-docs: aqueduct
	set -e; raw=$${AQ_DATA:-$(srcdir)/../shared/data}/measured/raw; \
	figures() { \
	  $${PYTHON:-python3} $(srcdir)/tools/whatif_docs.py ./aqueduct "$$raw" \
	    "$$@" > whatif-docs.tmp; \
	  $(srcdir)/tools/doc-block.sh "whatif$$block" doc/tables/whatif.md \
	    < whatif-docs.tmp; \
	  rm whatif-docs.tmp; \
	}; \
	block=; figures table mi300x_resnet18 mi300x_sglang_prefill mi300x_qwen05b; \
	block=-ranks; figures collectives mixrank_resnet_train_4rank; \
	block=-graphs; figures graphs
EXTRA_DIST += tools/whatif_docs.py

# The cost of the block processor on the device, in doc/queue.md (valgrind).
.PHONY: walk-docs
walk-docs: tests/cmdbuf/test_device_walk
	$(srcdir)/tools/walk_docs.sh ./tests/cmdbuf/test_device_walk > walk-docs.tmp
	$(srcdir)/tools/doc-block.sh walk doc/queue.md < walk-docs.tmp
	rm walk-docs.tmp
EXTRA_DIST += tools/walk_docs.sh

# Chains of kernels by device model, the table and plot of doc/tables/chains.md.
.PHONY: chain-docs
chain-docs: aqueduct
	$${PYTHON:-python3} $(srcdir)/tools/chain_docs.py ./aqueduct > chains.tmp
	$(srcdir)/tools/doc-block.sh chains doc/tables/chains.md < chains.tmp
	./aqueduct chain --format svg -o $(srcdir)/doc/pictures/chains.svg
	rm chains.tmp
EXTRA_DIST += tools/chain_docs.py doc/pictures/chains.svg

# The tables of doc/scale.md, from its measurements.
.PHONY: scale-docs
scale-docs:
	$${PYTHON:-python3} $(srcdir)/tools/scale.py page $(srcdir)/traces/scale.tsv \
	  $(srcdir)/doc/scale.md
EXTRA_DIST += tools/scale.py doc/scale.md traces/scale.tsv

# The tables of doc/tables/serving.md. AQ_WORKLOADS: the folder of request traces.
.PHONY: serving-docs serving-measure
serving-measure: aqueduct
	$${PYTHON:-python3} $(srcdir)/tools/serving_study.py measure ./aqueduct \
	  $(srcdir) "$$AQ_WORKLOADS" > serving.tsv
	$${PYTHON:-python3} $(srcdir)/tools/serving_study.py published ./aqueduct \
	  $(srcdir) >> serving.tsv
	mv serving.tsv $(srcdir)/traces/serving.tsv
serving-docs:
	$${PYTHON:-python3} $(srcdir)/tools/serving_study.py page \
	  $(srcdir)/traces/serving.tsv $(srcdir)/doc/tables/serving.md
EXTRA_DIST += tools/serving_study.py traces/serving.tsv \
	traces/serving-published.tsv

accuracy: aqueduct
	$(srcdir)/tools/accuracy.sh ./aqueduct "$(aq_measured)" > accuracy.md
	$(srcdir)/tools/doc-block.sh accuracy doc/tables/accuracy.md < accuracy.md
	@cat accuracy.md
# The same with each source left out of the fit; the second table of the page.
.PHONY: held-out
held-out: aqueduct
	$${PYTHON:-python3} $(srcdir)/tools/held_out.py ./aqueduct $(srcdir) \
	  "$(aq_measured)" > held-out.md
	$(srcdir)/tools/doc-block.sh held-out doc/tables/accuracy.md < held-out.md
CLEANFILES += held-out.md
# The same with constants fitted to the beginning of each trace.
.PHONY: fit-table
fit-table: aqueduct
	$${PYTHON:-python3} $(srcdir)/tools/fit_table.py ./aqueduct $(srcdir) \
	  "$(aq_measured)" > fit-table.md
	$(srcdir)/tools/doc-block.sh fit-table doc/tables/accuracy.md < fit-table.md
CLEANFILES += fit-table.md
EXTRA_DIST += tools/fit_table.py
# What these tables say, in sentences.
.PHONY: accuracy-summary
accuracy-summary:
	for part in summary intervals; do \
	  $${PYTHON:-python3} $(srcdir)/tools/accuracy_summary.py \
	    $(srcdir)/doc/tables/accuracy.md $$part | \
	    $(srcdir)/tools/doc-block.sh accuracy-$$part doc/accuracy.md || exit 1; done
EXTRA_DIST += tools/accuracy_summary.py
# Times of launches and returns in the same traces; the page's third table.
.PHONY: launches
launches: aqueduct
	$${PYTHON:-python3} $(srcdir)/tools/launch_tables.py ./aqueduct $(srcdir) \
	  "$(aq_measured)" > launches.md
	$(srcdir)/tools/doc-block.sh launches doc/tables/accuracy.md < launches.md
CLEANFILES += launches.md
EXTRA_DIST += tools/launches.py tools/launch_tables.py
EXTRA_DIST += tools/held_out.py traces/sources.tsv traces/halves.tsv
# Public traces beyond these. AQ_PUBLIC: a folder of copies of the files that
# traces/public-sources.tsv names.
.PHONY: public-docs public-measure
public-measure: aqueduct
	$${PYTHON:-python3} $(srcdir)/tools/public_traces.py measure ./aqueduct \
	  $(srcdir) "$$AQ_PUBLIC" > public.tsv
	mv public.tsv $(srcdir)/traces/public.tsv
public-docs:
	$${PYTHON:-python3} $(srcdir)/tools/public_traces.py table $(srcdir) \
	  > public.md
	$(srcdir)/tools/doc-block.sh public-traces doc/tables/accuracy.md < public.md
CLEANFILES += public.md
EXTRA_DIST += tools/public_traces.py traces/public-sources.tsv \
	traces/public.tsv
bench-table: $(AQ_BENCHES) aqueduct
	$(MAKE) -s bench > bench.jsonl
	$(srcdir)/tools/bench-table.sh < bench.jsonl > bench.md
	$(srcdir)/tools/doc-block.sh bench doc/tables/benchmarks.md < bench.md
	@cat bench.md
	$(srcdir)/tools/speed-table.sh $(srcdir)/tests/bench/yardsticks.tsv \
	  < bench.jsonl > speed.md
	$(srcdir)/tools/doc-block.sh speed doc/tables/benchmarks.md < speed.md
	@cat speed.md
CLEANFILES += accuracy.md bench.jsonl bench.md speed.md

# Published experiments; doc/tables/reproductions.md is made, never typed.
EXTRA_DIST += \
	traces/reproduce/deadlines.json traces/reproduce/four.json \
	traces/reproduce/head.md traces/reproduce/hybrid.json \
	traces/reproduce/long.json traces/reproduce/model.json \
	traces/reproduce/preempted.json \
	traces/reproduce/r1.json traces/reproduce/r1.sh \
	traces/reproduce/r2.json traces/reproduce/r2.sh \
	traces/reproduce/r3.json traces/reproduce/r3.sh \
	traces/reproduce/r4.json traces/reproduce/r4.sh \
	traces/reproduce/r5.json traces/reproduce/r5.sh \
	traces/reproduce/r6.json traces/reproduce/r6.sh \
	traces/reproduce/r7.json traces/reproduce/r7.sh \
	traces/reproduce/reproduce.py traces/reproduce/two.json

reproductions: aqueduct
	$(AM_V_at)python3 $(srcdir)/traces/reproduce/reproduce.py ./aqueduct \
	  '$(abs_top_srcdir)/../shared/data' > reproductions.tmp
	$(AM_V_at)cat $(srcdir)/traces/reproduce/head.md reproductions.tmp \
	  > $(srcdir)/doc/tables/reproductions.md
	$(AM_V_at)rm -f reproductions.tmp

# The table of doc/modules.md, of MLIR's test vecadd.mlir.
MLIR_TESTS = mlir/test/Integration/GPU/ROCM
.PHONY: mlir-docs
mlir-docs: aqueduct$(EXEEXT) libaqueduct_mlir_runtime.la
	$(srcdir)/tools/mlir-times.sh ./aqueduct $(MLIR_TESTS)/vecadd.mlir

# The tables of doc/tables/memory-model.md, from the tests; they compare it.
.PHONY: memory-model-docs
memory-model-docs: tests/gpu/check/test_memory_model tests/gpu/check/test_litmus
	AQ_SRCDIR=$(abs_srcdir) AQ_WRITE_DOCS=1 CK_FORK=no \
	  tests/gpu/check/test_memory_model
	AQ_SRCDIR=$(abs_srcdir) AQ_WRITE_DOCS=1 CK_FORK=no AQ_LONG=1 \
	  tests/gpu/check/test_litmus

# The slowdowns of doc/checker.md (hipcc).
.PHONY: check-times
check-times: aqueduct$(EXEEXT) libaqueduct.la libhsa-runtime64.la
	$(srcdir)/tests/gpu/check/cost.sh ./aqueduct > check-times.md
	$(srcdir)/tools/doc-block.sh check-times doc/checker.md < check-times.md
CLEANFILES += check-times.md
