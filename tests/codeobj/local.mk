# Tests of src/codeobj.
check_PROGRAMS += tests/codeobj/test_code_object \
	tests/codeobj/test_codeobj tests/codeobj/test_descriptor \
	tests/codeobj/test_lines \
	tests/codeobj/test_metadata_yaml tests/codeobj/test_target
tests_codeobj_test_codeobj_CPPFLAGS = $(AQ_TEST_CPPFLAGS) $(ZSTD_CFLAGS)
tests_codeobj_test_codeobj_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS) $(ZSTD_LIBS)

check_PROGRAMS += tests/codeobj/test_image
tests_codeobj_test_image_SOURCES = tests/codeobj/test_image.c \
	tests/dropin/hsa/object.c tests/dropin/hsa/object.h

dist_check_SCRIPTS += tests/codeobj/test_oracle.sh \
	tests/codeobj/test_version2.sh
EXTRA_DIST += tests/codeobj/oracle.py
