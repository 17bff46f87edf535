# The record of a program, for exec: rows, captures, contents, exactness.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/record/capture.c src/dropin/hsa/record/capture.h \
	src/dropin/hsa/record/capture_lines.h \
	src/dropin/hsa/record/capture_signals.c \
	src/dropin/hsa/record/capture_table.c \
	src/dropin/hsa/record/contents.c src/dropin/hsa/record/contents.h \
	src/dropin/hsa/record/extract.c src/dropin/hsa/record/extract.h \
	src/dropin/hsa/record/fidelity.c \
	src/dropin/hsa/record/profiling.c \
	src/dropin/hsa/record/recording.c
