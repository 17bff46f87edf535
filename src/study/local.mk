libaqcore_a_SOURCES += \
	src/study/figures.def \
	src/study/study.c src/study/study.h \
	src/study/study_run.c src/study/study_run.h
