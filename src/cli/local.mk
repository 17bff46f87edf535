bin_PROGRAMS += aqueduct
aqueduct_SOURCES = \
	src/cli/asm_show.c \
	src/cli/cli.c src/cli/cli.h \
	src/cli/cmd_compare.c src/cli/commands.h \
	src/cli/cmd_device.c \
	src/cli/cmd_doctor.c \
	src/cli/cmd_exec.c \
	src/cli/cmd_explain.c \
	src/cli/cmd_export.c \
	src/cli/cmd_help.c \
	src/cli/cmd_import.c \
	src/cli/import_workload.c \
	src/cli/cmd_launch.c \
	src/cli/cmd_list.c \
	src/cli/cmd_mlir.c \
	src/cli/cmd_replay.c \
	src/cli/cmd_report.c \
	src/cli/cmd_run.c \
	src/cli/cmd_show.c \
	src/cli/cmd_stats.c \
	src/cli/cmd_store.c \
	src/cli/cmd_study.c \
	src/cli/cmd_sweep.c \
	src/cli/cmd_whatif.c \
	src/cli/code_show.c \
	src/cli/contain.c src/cli/contain.h \
	src/cli/color.c src/cli/color.h \
	src/cli/compare_print.c src/cli/compare_print.h \
	src/cli/diff_print.c \
	src/cli/groups.c src/cli/groups.h \
	src/cli/help.c src/cli/help.h \
	src/cli/main.c \
	src/cli/options.c \
	src/cli/packets_show.c src/cli/file_show.h \
	src/cli/perform.c src/cli/perform.h \
	src/cli/profile_show.c src/cli/profile_show.h \
	src/cli/program_show.c \
	src/cli/progress.c src/cli/progress.h \
	src/cli/rows.c src/cli/rows.h \
	src/cli/runs.c src/cli/runs.h \
	src/cli/sweep_cluster.c src/cli/sweep_cluster.h \
	src/cli/store_care.c src/cli/store_care.h \
	src/cli/topology_show.c \
	src/cli/versions_print.c
aqueduct_CPPFLAGS = $(AM_CPPFLAGS) $(SMARTCOLS_CFLAGS) $(YAJL_CFLAGS)
aqueduct_LINK = $(AQ_LINK) -o $@
aqueduct_LDADD = $(AQ_CORE_LDADD) $(SMARTCOLS_LIBS) $(YAJL_LIBS)
