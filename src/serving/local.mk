libaqcore_a_SOURCES += \
	src/serving/batcher.c src/serving/batcher.h \
	src/serving/blocks.c src/serving/blocks.h \
	src/serving/import.c src/serving/import.h \
	src/serving/import_csv.c \
	src/serving/import_jsonl.c \
	src/serving/lines.c src/serving/lines.h \
	src/serving/links.c src/serving/links.h \
	src/serving/model.c src/serving/model.h \
	src/serving/model_read.c \
	src/serving/models.h \
	src/serving/requests.c src/serving/requests.h \
	src/serving/scenario_write.c src/serving/scenario_write.h \
	src/serving/serving.c src/serving/serving.h \
	src/serving/serving_priv.h \
	src/serving/serving_read.c \
	src/serving/serving_requests.c \
	src/serving/serving_step.c

# Served models are embedded, so that the program needs no files. Add a model:
# its name here.
AQ_MODELS = \
	src/serving/models/qwen3-8b.json \
	src/serving/models/llama-3.1-70b-fp8.json \
	src/serving/models/llama-3.1-405b-fp8.json
EXTRA_DIST += $(AQ_MODELS) src/serving/models/embed.sh src/serving/gpus.def
nodist_libaqcore_a_SOURCES += src/serving/embedded.c
CLEANFILES += src/serving/embedded.c
src/serving/embedded.c: $(AQ_MODELS) src/serving/models/embed.sh
	$(AM_V_GEN)$(MKDIR_P) src/serving
	$(AM_V_at)(cd $(srcdir) && \
	  $(SHELL) src/serving/models/embed.sh $(AQ_MODELS)) > $@.tmp
	$(AM_V_at)mv -f $@.tmp $@
