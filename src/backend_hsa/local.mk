libaqcore_la_SOURCES += src/backend_hsa/probe.c src/backend_hsa/probe.h
