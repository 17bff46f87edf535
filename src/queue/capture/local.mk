# Captures of a client's submissions: written, read, printed and replayed.
libaqcore_a_SOURCES += \
	src/queue/capture/capture.c src/queue/capture/capture.h \
	src/queue/capture/capture_file.h src/queue/capture/capture_player.h \
	src/queue/capture/digest.c src/queue/capture/digest.h \
	src/queue/capture/format.h \
	src/queue/capture/memory.c \
	src/queue/capture/operations.c \
	src/queue/capture/packet_memory.c \
	src/queue/capture/packet_memory.h \
	src/queue/capture/packet_events.def src/queue/capture/packet_player.c \
	src/queue/capture/packet_player.h src/queue/capture/packet_bindings.c \
	src/queue/capture/packet_summary.c src/queue/capture/packet_summary.h \
	src/queue/capture/packet_capture.c src/queue/capture/packet_capture.h \
	src/queue/capture/player.c \
	src/queue/capture/player_kernels.c \
	src/queue/capture/player_operations.c \
	src/queue/capture/player_priv.h \
	src/queue/capture/print.c \
	src/queue/capture/reader.c src/queue/capture/reader.h \
	src/queue/capture/recorder.h \
	src/queue/capture/capture_validate.c src/queue/capture/capture_validate.h \
	src/queue/capture/records.def

aq_folder_headers += \
	src/queue/capture/capture.h \
	src/queue/capture/capture_file.h \
	src/queue/capture/capture_player.h
