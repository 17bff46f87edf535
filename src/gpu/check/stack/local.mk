# Objects on the stacks of work-items.
libaqcore_a_SOURCES += \
	src/gpu/check/stack/stack.h \
	src/gpu/check/stack/stack_access.c \
	src/gpu/check/stack/stack_frames.c \
	src/gpu/check/stack/stack_tags.c
