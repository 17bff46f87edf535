# Tests of src/codeobj.
check_PROGRAMS += tests/codeobj/test_codeobj tests/codeobj/test_descriptor \
	tests/codeobj/test_target
tests_codeobj_test_codeobj_SOURCES = tests/codeobj/test_codeobj.c
tests_codeobj_test_codeobj_CPPFLAGS = $(AQ_TEST_CPPFLAGS) $(ZSTD_CFLAGS)
tests_codeobj_test_codeobj_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS) $(ZSTD_LIBS)

tests_codeobj_test_descriptor_SOURCES = tests/codeobj/test_descriptor.c
tests_codeobj_test_descriptor_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_codeobj_test_descriptor_LDADD = $(AQ_TEST_LDADD)

tests_codeobj_test_target_SOURCES = tests/codeobj/test_target.c
tests_codeobj_test_target_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_codeobj_test_target_LDADD = $(AQ_TEST_LDADD)
