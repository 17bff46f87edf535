# The record of a program, for exec: rows, captures, contents, exactness.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/record/capture.c src/dropin/hsa/record/capture.h \
	src/dropin/hsa/record/capture_writer.h \
	src/dropin/hsa/record/capture_signals.c \
	src/dropin/hsa/record/capture_transport.c \
	src/dropin/hsa/record/capture_memory.c src/dropin/hsa/record/capture_memory.h \
	src/dropin/hsa/record/extract.c src/dropin/hsa/record/extract.h \
	src/dropin/hsa/record/fidelity.c \
	src/dropin/hsa/record/profiling.c \
	src/dropin/hsa/record/recording.c
