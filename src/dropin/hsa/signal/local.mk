# Signals, their doorbells and waits.
src_dropin_hsa_libaqdropin_a_SOURCES += \
	src/dropin/hsa/signal/doorbells.c \
	src/dropin/hsa/signal/events.c \
	src/dropin/hsa/signal/shared_signals.c \
	src/dropin/hsa/signal/signals.c \
	src/dropin/hsa/signal/waits.c
