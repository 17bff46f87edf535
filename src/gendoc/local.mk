# Man pages and completion are made from the table of commands. gendoc runs
# while building, so a cross build goes without them.
aq_man_pages = \
	aqueduct.1 \
	aqueduct-compare.1 \
	aqueduct-device.1 \
	aqueduct-doctor.1 \
	aqueduct-exec.1 \
	aqueduct-explain.1 \
	aqueduct-export.1 \
	aqueduct-help.1 \
	aqueduct-import.1 \
	aqueduct-launch.1 \
	aqueduct-list.1 \
	aqueduct-mlir.1 \
	aqueduct-replay.1 \
	aqueduct-report.1 \
	aqueduct-run.1 \
	aqueduct-show.1 \
	aqueduct-stats.1 \
	aqueduct-store.1 \
	aqueduct-study.1 \
	aqueduct-sweep.1 \
	aqueduct-whatif.1

if !CROSS_COMPILING
noinst_PROGRAMS += src/gendoc/gendoc
src_gendoc_gendoc_SOURCES = \
	src/gendoc/completion.c src/gendoc/completion.h \
	src/gendoc/gendoc.c \
	src/gendoc/man.c src/gendoc/man.h \
	src/commands/table.c src/commands/table_options.c
src_gendoc_gendoc_LDADD =

nodist_man1_MANS = $(aq_man_pages)
nodist_bashcomp_DATA = src/gendoc/aqueduct
CLEANFILES += $(nodist_man1_MANS) $(nodist_bashcomp_DATA)

$(aq_man_pages): src/gendoc/gendoc$(EXEEXT)
	$(AM_V_GEN)name=`echo $@ | $(SED) 's/^aqueduct-*//; s/\.1$$//'` && \
	  src/gendoc/gendoc man $$name >$@.tmp && mv $@.tmp $@

src/gendoc/aqueduct: src/gendoc/gendoc$(EXEEXT)
	$(AM_V_GEN)src/gendoc/gendoc completion >$@.tmp && mv $@.tmp $@
endif
