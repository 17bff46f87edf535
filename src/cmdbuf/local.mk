# Recorded programs of commands: built, linked, checked, stored, and walked by
# the block processor.
libaqcore_a_SOURCES += \
	src/cmdbuf/builder.c src/cmdbuf/builder.h \
	src/cmdbuf/builder_flow.c src/cmdbuf/builder_priv.h \
	src/cmdbuf/builder_inline.c \
	src/cmdbuf/builder_ops.c \
	src/cmdbuf/builder_values.c \
	src/cmdbuf/builtins.c src/cmdbuf/builtins.h \
	src/cmdbuf/device_step.c \
	src/cmdbuf/device_walk.c src/cmdbuf/device_walk.h \
	src/cmdbuf/link.c src/cmdbuf/link.h \
	src/cmdbuf/link_image.c src/cmdbuf/link_image.h \
	src/cmdbuf/opcodes.c src/cmdbuf/opcodes.def src/cmdbuf/opcodes.h \
	src/cmdbuf/pm4.c src/cmdbuf/pm4.h src/cmdbuf/pm4_priv.h \
	src/cmdbuf/pm4_code.c \
	src/cmdbuf/print.c src/cmdbuf/print.h src/cmdbuf/program_print.h \
	src/cmdbuf/block_processor.c src/cmdbuf/block_processor.h \
	src/cmdbuf/block_processor_flow.c src/cmdbuf/processor_priv.h \
	src/cmdbuf/block_processor_packets.c \
	src/cmdbuf/program.h \
	src/cmdbuf/program_file.c src/cmdbuf/program_file.h \
	src/cmdbuf/validate.c src/cmdbuf/validate.h \
	src/cmdbuf/validate_flow.c src/cmdbuf/validate_priv.h \
	src/cmdbuf/value_check.c src/cmdbuf/value_check.h \
	src/cmdbuf/value_packets.c src/cmdbuf/value_packets.h \
	src/cmdbuf/executables.c \
	src/cmdbuf/kernel_check.c src/cmdbuf/kernel_check.h \
	src/cmdbuf/kernel_occupancy.c

aq_folder_headers += \
	src/cmdbuf/builder.h \
	src/cmdbuf/builtins.h \
	src/cmdbuf/kernel_occupancy.h \
	src/cmdbuf/link.h \
	src/cmdbuf/opcodes.def \
	src/cmdbuf/program.h \
	src/cmdbuf/program_file.h \
	src/cmdbuf/program_print.h \
	src/cmdbuf/validate.h \
	src/cmdbuf/executables.h
