# Finds and runs compilers of GPU code, and manages the folder of their output.
libaqcore_a_SOURCES += \
	src/gpu/compile/child.c src/gpu/compile/child.h \
	src/gpu/compile/compile.c src/gpu/compile/compile.h \
	src/gpu/compile/emit.c src/gpu/compile/emit.h \
	src/gpu/compile/folder.c src/gpu/compile/folder.h \
	src/gpu/compile/lower.c src/gpu/compile/lower.h \
	src/gpu/compile/objects.c src/gpu/compile/objects.h \
	src/gpu/compile/runner.c src/gpu/compile/runner.h \
	src/gpu/compile/tools.c src/gpu/compile/tools.h \
	src/gpu/compile/tools.def
