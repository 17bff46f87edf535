# Host threads that share a dispatch's workgroups.
libaqcore_a_SOURCES += \
	src/gpu/wave/threads/thread_pool.c src/gpu/wave/threads/thread_pool.h \
	src/gpu/wave/threads/thread_context.c src/gpu/wave/threads/thread_context.h \
	src/gpu/wave/threads/pool.c src/gpu/wave/threads/pool.h
