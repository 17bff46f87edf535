# Man pages and completion are made from the table of commands. gendoc runs
# while building, so a cross build goes without them.
aq_man_pages = \
	aqueduct.1 \
	aqueduct-chain.1 \
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
noinst_PROGRAMS += src/cli/gendoc/gendoc
src_cli_gendoc_gendoc_SOURCES = \
	src/cli/gendoc/completion.c src/cli/gendoc/completion.h \
	src/cli/gendoc/gendoc.c \
	src/cli/gendoc/man.c src/cli/gendoc/man.h \
	src/cli/table/table.c src/cli/table/table_options.c
src_cli_gendoc_gendoc_LDADD =

nodist_man1_MANS = $(aq_man_pages)
nodist_bashcomp_DATA = src/cli/gendoc/aqueduct
CLEANFILES += $(nodist_man1_MANS) $(nodist_bashcomp_DATA)

$(aq_man_pages): src/cli/gendoc/gendoc$(EXEEXT)
	$(AM_V_GEN)name=`echo $@ | $(SED) 's/^aqueduct-*//; s/\.1$$//'` && \
	  src/cli/gendoc/gendoc man $$name >$@.tmp && mv $@.tmp $@

src/cli/gendoc/aqueduct: src/cli/gendoc/gendoc$(EXEEXT)
	$(AM_V_GEN)src/cli/gendoc/gendoc completion >$@.tmp && mv $@.tmp $@
endif
