bin_PROGRAMS += aqueduct
aqueduct_SOURCES = \
	src/cli/asm_show.c src/cli/asm_show.h \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cmd_compare.c src/cli/commands.h \
	src/cli/cmd_device.c \
	src/cli/cmd_doctor.c \
	src/cli/cmd_exec.c \
	src/cli/cmd_explain.c \
	src/cli/cmd_export.c \
	src/cli/cmd_help.c \
	src/cli/cmd_import.c \
	src/cli/cmd_launch.c \
	src/cli/cmd_list.c \
	src/cli/cmd_replay.c \
	src/cli/cmd_report.c \
	src/cli/cmd_run.c \
	src/cli/cmd_show.c \
	src/cli/cmd_stats.c \
	src/cli/cmd_store.c \
	src/cli/cmd_study.c \
	src/cli/cmd_sweep.c \
	src/cli/code_show.c src/cli/code_show.h \
	src/cli/contain.c src/cli/contain.h \
	src/cli/color.c src/cli/color.h \
	src/cli/compare_print.c src/cli/compare_print.h \
	src/cli/diff_print.c src/cli/diff_print.h \
	src/cli/groups.c src/cli/groups.h \
	src/cli/help.c src/cli/help.h \
	src/cli/main.c \
	src/cli/options.c \
	src/cli/packets_show.c src/cli/packets_show.h \
	src/cli/perform.c src/cli/perform.h \
	src/cli/profile_show.c src/cli/profile_show.h \
	src/cli/program_show.c src/cli/program_show.h \
	src/cli/progress.c src/cli/progress.h \
	src/cli/rows.c src/cli/rows.h \
	src/cli/runs.c src/cli/runs.h \
	src/cli/store_care.c src/cli/store_care.h \
	src/cli/table.c src/cli/table.h \
	src/cli/table_options.c \
	src/cli/topology_show.c src/cli/topology_show.h
aqueduct_CPPFLAGS = $(AM_CPPFLAGS) $(SMARTCOLS_CFLAGS) $(YAJL_CFLAGS)
aqueduct_LINK = $(AQ_LINK) -o $@
aqueduct_LDADD = $(AQ_CORE_LDADD) $(SMARTCOLS_LIBS) $(YAJL_LIBS)

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
	aqueduct-replay.1 \
	aqueduct-report.1 \
	aqueduct-run.1 \
	aqueduct-show.1 \
	aqueduct-stats.1 \
	aqueduct-store.1 \
	aqueduct-study.1 \
	aqueduct-sweep.1

if !CROSS_COMPILING
noinst_PROGRAMS += src/cli/gendoc
src_cli_gendoc_SOURCES = \
	src/cli/completion.c src/cli/completion.h \
	src/cli/gendoc.c \
	src/cli/man.c src/cli/man.h \
	src/cli/table.c src/cli/table_options.c
src_cli_gendoc_LDADD =

nodist_man1_MANS = $(aq_man_pages)
nodist_bashcomp_DATA = src/cli/aqueduct
CLEANFILES += $(nodist_man1_MANS) $(nodist_bashcomp_DATA)

$(aq_man_pages): src/cli/gendoc$(EXEEXT)
	$(AM_V_GEN)name=`echo $@ | $(SED) 's/^aqueduct-*//; s/\.1$$//'` && \
	  src/cli/gendoc man $$name >$@.tmp && mv $@.tmp $@

src/cli/aqueduct: src/cli/gendoc$(EXEEXT)
	$(AM_V_GEN)src/cli/gendoc completion >$@.tmp && mv $@.tmp $@
endif
