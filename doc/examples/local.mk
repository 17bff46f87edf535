# Examples, built as users build them: public headers and libaqueduct only.
public/stamp: $(pkginclude_HEADERS)
	$(AM_V_GEN)$(MKDIR_P) public/aqueduct
	$(AM_V_at)for header in $(pkginclude_HEADERS); do \
	  cp -f $(srcdir)/$$header public/aqueduct/ || exit 1; done
	$(AM_V_at)touch $@
CLEANFILES += public/stamp public/aqueduct/*

check_PROGRAMS += doc/examples/unit_test
doc_examples_unit_test_SOURCES = doc/examples/unit_test.c
doc_examples_unit_test_CPPFLAGS = -Ipublic
doc_examples_unit_test_LDADD = libaqueduct.la
doc/examples/unit_test-unit_test.$(OBJEXT): public/stamp
