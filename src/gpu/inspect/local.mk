# The composition of a kernel's code, for views and reports: blocks, costs,
# profiles.
libaqcore_a_SOURCES += \
	src/gpu/inspect/counters.c src/gpu/inspect/counters.h \
	src/gpu/inspect/counters.def \
	src/gpu/inspect/disassembly.c src/gpu/inspect/disassembly.h \
	src/gpu/inspect/profile.c src/gpu/inspect/profile.h \
	src/gpu/inspect/reachability.c src/gpu/inspect/reachability.h
