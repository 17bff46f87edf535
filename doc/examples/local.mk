# Examples, built as users build them: public headers and libaqueduct only.
# Installed headers lie in one folder, so they do not name any.
public/stamp: $(pkginclude_HEADERS) $(aq_folder_headers)
	$(AM_V_GEN)$(MKDIR_P) public/aqueduct
	$(AM_V_at)for header in $(pkginclude_HEADERS) $(aq_folder_headers); do \
	  sed 's,^#include ".*/\(.*\)"$$,#include "\1",' $(srcdir)/$$header \
	    > public/aqueduct/$${header##*/} || exit 1; done
	$(AM_V_at)touch $@
CLEANFILES += public/stamp public/aqueduct/*
EXTRA_DIST += $(aq_folder_headers)
install-data-local: public/stamp
	$(MKDIR_P) '$(DESTDIR)$(pkgincludedir)'
	for header in $(aq_folder_headers); do \
	  $(INSTALL_DATA) public/aqueduct/$${header##*/} \
	    '$(DESTDIR)$(pkgincludedir)' || exit 1; done
uninstall-local:
	for header in $(aq_folder_headers); do \
	  rm -f '$(DESTDIR)$(pkgincludedir)'/$${header##*/}; done

check_PROGRAMS += doc/examples/unit_test
doc_examples_unit_test_SOURCES = doc/examples/unit_test.c
doc_examples_unit_test_CPPFLAGS = -Ipublic
doc_examples_unit_test_LDADD = .libs/libaqueduct.so
doc/examples/unit_test-unit_test.$(OBJEXT): public/stamp

check_PROGRAMS += doc/examples/capture
doc_examples_capture_SOURCES = doc/examples/capture.c
doc_examples_capture_CPPFLAGS = -Ipublic
doc_examples_capture_LDADD = .libs/libaqueduct.so
doc/examples/capture-capture.$(OBJEXT): public/stamp

check_PROGRAMS += doc/examples/command_buffer
doc_examples_command_buffer_SOURCES = doc/examples/command_buffer.c
doc_examples_command_buffer_CPPFLAGS = -Ipublic
doc_examples_command_buffer_LDADD = .libs/libaqueduct.so
doc/examples/command_buffer-command_buffer.$(OBJEXT): public/stamp

check_PROGRAMS += doc/examples/two_queues
doc_examples_two_queues_SOURCES = doc/examples/two_queues.c
doc_examples_two_queues_CPPFLAGS = -Ipublic
doc_examples_two_queues_LDADD = .libs/libaqueduct.so
doc/examples/two_queues-two_queues.$(OBJEXT): public/stamp

check_PROGRAMS += doc/examples/vector_add
doc_examples_vector_add_SOURCES = doc/examples/vector_add.c
doc_examples_vector_add_CPPFLAGS = -Ipublic
doc_examples_vector_add_LDADD = .libs/libaqueduct.so
doc/examples/vector_add-vector_add.$(OBJEXT): public/stamp
