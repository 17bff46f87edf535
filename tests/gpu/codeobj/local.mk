# Tests of src/gpu/codeobj.
check_PROGRAMS += tests/gpu/codeobj/test_code_object \
	tests/gpu/codeobj/test_codeobj tests/gpu/codeobj/test_descriptor \
	tests/gpu/codeobj/test_dwarf_form tests/gpu/codeobj/test_frames \
	tests/gpu/codeobj/test_lines \
	tests/gpu/codeobj/test_metadata_yaml tests/gpu/codeobj/test_target
tests_gpu_codeobj_test_codeobj_CPPFLAGS = $(AQ_TEST_CPPFLAGS) $(ZSTD_CFLAGS)
tests_gpu_codeobj_test_codeobj_LDADD = $(AQ_TEST_LDADD) $(ZLIB_LIBS) $(ZSTD_LIBS)

check_PROGRAMS += tests/gpu/codeobj/test_image
tests_gpu_codeobj_test_image_SOURCES = tests/gpu/codeobj/test_image.c \
	tests/dropin/hsa/object.c tests/dropin/hsa/object.h

dist_check_SCRIPTS += tests/gpu/codeobj/test_oracle.sh \
	tests/gpu/codeobj/test_version2.sh
EXTRA_DIST += tests/gpu/codeobj/oracle.py
