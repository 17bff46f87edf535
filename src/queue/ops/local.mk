# What each operation does: copies, files, host work, marks, commands of PM4.
libaqcore_a_SOURCES += \
	src/queue/ops/context.c \
	src/queue/ops/file.c \
	src/queue/ops/host_work.c src/queue/ops/host_work.h \
	src/queue/ops/on_device.c \
	src/queue/ops/operations.c \
	src/queue/ops/marks.c src/queue/ops/marks.h \
	src/queue/ops/pm4.c src/queue/ops/pm4.h \
	src/queue/ops/pool.c src/queue/ops/pool.h \
	src/queue/ops/staging.c src/queue/ops/staging.h \
	src/queue/ops/times.c src/queue/ops/times.h \
	src/queue/ops/transfer.c \
	src/queue/ops/walk.c src/queue/ops/walk.h
