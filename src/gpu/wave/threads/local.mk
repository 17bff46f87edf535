# Host threads that share a dispatch's workgroups.
libaqcore_a_SOURCES += \
	src/gpu/wave/threads/crew.c src/gpu/wave/threads/crew.h \
	src/gpu/wave/threads/hand.c src/gpu/wave/threads/hand.h \
	src/gpu/wave/threads/pool.c src/gpu/wave/threads/pool.h
