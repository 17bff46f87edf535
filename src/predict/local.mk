libaqcore_a_SOURCES += \
	src/predict/families.def \
	src/predict/family.c src/predict/family.h \
	src/predict/patterns.def
