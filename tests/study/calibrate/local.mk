check_PROGRAMS += tests/study/calibrate/test_part_fit tests/study/calibrate/test_probe

# Where memory runs out.
check_PROGRAMS += tests/study/calibrate/test_usual_fit
tests_study_calibrate_test_usual_fit_SOURCES = \
	tests/study/calibrate/test_usual_fit.c \
	tests/queue/shortage.c tests/queue/shortage.h
tests_study_calibrate_test_usual_fit_LDFLAGS = $(aq_shortage_ldflags)
