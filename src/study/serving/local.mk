# A server of language models as a source of jobs: batches, steps, requests.
libaqcore_a_SOURCES += \
	src/study/serving/batcher.c src/study/serving/batcher.h \
	src/study/serving/kv_blocks.c src/study/serving/kv_blocks.h \
	src/study/serving/import.c src/study/serving/import.h \
	src/study/serving/import_csv.c \
	src/study/serving/import_jsonl.c \
	src/study/serving/text_lines.c src/study/serving/text_lines.h \
	src/study/serving/interconnect.c src/study/serving/interconnect.h \
	src/study/serving/model.c src/study/serving/model.h \
	src/study/serving/model_read.c \
	src/study/serving/models.h \
	src/study/serving/requests.c src/study/serving/requests.h \
	src/study/serving/scenario_write.c src/study/serving/scenario_write.h \
	src/study/serving/serving.c src/study/serving/serving.h \
	src/study/serving/serving_priv.h \
	src/study/serving/serving_read.c \
	src/study/serving/serving_requests.c \
	src/study/serving/serving_step.c

# Served models are embedded, so that the program needs no files. Add a model:
# its name here.
AQ_MODELS = \
	src/study/serving/models/qwen3-8b.json \
	src/study/serving/models/llama-3.1-70b-fp8.json \
	src/study/serving/models/llama-3.1-405b-fp8.json
EXTRA_DIST += $(AQ_MODELS) src/study/serving/models/embed.sh src/study/serving/gpus.def
nodist_libaqcore_a_SOURCES += src/study/serving/embedded.c
CLEANFILES += src/study/serving/embedded.c
src/study/serving/embedded.c: $(AQ_MODELS) src/study/serving/models/embed.sh
	$(AM_V_GEN)$(MKDIR_P) src/study/serving
	$(AM_V_at)(cd $(srcdir) && \
	  $(SHELL) src/study/serving/models/embed.sh $(AQ_MODELS)) > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@
