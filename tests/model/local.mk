# The reference model of the packet processor, and random programs against it.
check_LIBRARIES += tests/model/libaqmodel.a
tests_model_libaqmodel_a_SOURCES = \
	tests/model/check.c tests/model/check.h \
	tests/model/drive.c \
	tests/model/expect.c \
	tests/model/history.c \
	tests/model/program.c tests/model/program.h \
	tests/model/rules.c \
	tests/model/timeline.h
AQ_MODEL_LDADD = tests/model/libaqmodel.a $(AQ_TEST_LDADD)

check_PROGRAMS += tests/model/test_order
tests_model_test_order_LDADD = $(AQ_MODEL_LDADD)

EXTRA_PROGRAMS += tests/model/soak_order
AQ_SOAKS += tests/model/soak_order
tests_model_soak_order_LDADD = $(AQ_MODEL_LDADD)
