libaqcore_a_SOURCES += \
	src/capture/capture.c src/capture/capture.h \
	src/capture/capture_file.h src/capture/capture_player.h \
	src/capture/digest.c src/capture/digest.h \
	src/capture/format.h \
	src/capture/memory.c \
	src/capture/operations.c \
	src/capture/packet_contents.c src/capture/packet_contents.h \
	src/capture/packet_events.def src/capture/packet_player.c \
	src/capture/packet_player.h src/capture/packet_refer.c \
	src/capture/packet_summary.c src/capture/packet_summary.h \
	src/capture/packets.c src/capture/packets.h \
	src/capture/player.c \
	src/capture/player_kernels.c \
	src/capture/player_operations.c \
	src/capture/player_priv.h \
	src/capture/print.c \
	src/capture/reader.c src/capture/reader.h \
	src/capture/recorder.h \
	src/capture/record_check.c src/capture/record_check.h \
	src/capture/records.def

aq_folder_headers += \
	src/capture/capture.h \
	src/capture/capture_file.h \
	src/capture/capture_player.h
