check_PROGRAMS += \
	tests/cmdbuf/test_builder \
	tests/cmdbuf/test_processor

tests_cmdbuf_test_builder_SOURCES = tests/cmdbuf/test_builder.c
tests_cmdbuf_test_builder_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_cmdbuf_test_builder_LDADD = $(AQ_TEST_LDADD)

tests_cmdbuf_test_processor_SOURCES = tests/cmdbuf/test_processor.c
tests_cmdbuf_test_processor_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_cmdbuf_test_processor_LDADD = $(AQ_TEST_LDADD)

# The tests compare this page with the code.
EXTRA_DIST += doc/formats/program.md
