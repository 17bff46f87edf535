check_PROGRAMS += \
	tests/trace/test_norm

tests_trace_test_norm_SOURCES = tests/trace/test_norm.c
tests_trace_test_norm_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_trace_test_norm_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS)
