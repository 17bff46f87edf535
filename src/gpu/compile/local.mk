# Finds and runs compilers of GPU code, and manages the folder of their output.
libaqcore_a_SOURCES += \
	src/gpu/compile/subprocess.c src/gpu/compile/subprocess.h \
	src/gpu/compile/compile.c src/gpu/compile/compile.h \
	src/gpu/compile/mlir_emit.c src/gpu/compile/mlir_emit.h \
	src/gpu/compile/temp_dir.c src/gpu/compile/temp_dir.h \
	src/gpu/compile/mlir_lower.c src/gpu/compile/mlir_lower.h \
	src/gpu/compile/mlir_objects.c src/gpu/compile/mlir_objects.h \
	src/gpu/compile/mlir_runner.c src/gpu/compile/mlir_runner.h \
	src/gpu/compile/tools.c src/gpu/compile/tools.h \
	src/gpu/compile/tools.def
