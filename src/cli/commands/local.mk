# The commands: arguments read, results printed.
bin_PROGRAMS += aqueduct
aqueduct_SOURCES = \
	src/cli/commands/asm_show.c \
	src/cli/commands/cli.c src/cli/commands/cli.h \
	src/cli/commands/cmd_compare.c src/cli/commands/commands.h \
	src/cli/commands/cmd_device.c \
	src/cli/commands/cmd_doctor.c \
	src/cli/commands/cmd_exec.c \
	src/cli/commands/cmd_explain.c \
	src/cli/commands/cmd_export.c \
	src/cli/commands/cmd_help.c \
	src/cli/commands/cmd_import.c \
	src/cli/commands/import_workload.c \
	src/cli/commands/cmd_launch.c \
	src/cli/commands/cmd_list.c \
	src/cli/commands/cmd_mlir.c \
	src/cli/commands/cmd_replay.c \
	src/cli/commands/cmd_report.c \
	src/cli/commands/cmd_run.c \
	src/cli/commands/cmd_show.c \
	src/cli/commands/cmd_stats.c \
	src/cli/commands/cmd_store.c \
	src/cli/commands/cmd_study.c \
	src/cli/commands/cmd_sweep.c \
	src/cli/commands/cmd_whatif.c \
	src/cli/commands/code_show.c \
	src/cli/commands/contain.c src/cli/commands/contain.h \
	src/cli/commands/color.c src/cli/commands/color.h \
	src/cli/commands/compare_print.c src/cli/commands/compare_print.h \
	src/cli/commands/diff_print.c \
	src/cli/commands/groups.c src/cli/commands/groups.h \
	src/cli/commands/help.c src/cli/commands/help.h \
	src/cli/commands/main.c \
	src/cli/commands/options.c \
	src/cli/commands/packets_show.c src/cli/commands/file_show.h \
	src/cli/commands/perform.c src/cli/commands/perform.h \
	src/cli/commands/profile_show.c src/cli/commands/profile_show.h \
	src/cli/commands/program_show.c \
	src/cli/commands/progress.c src/cli/commands/progress.h \
	src/cli/commands/rows.c src/cli/commands/rows.h \
	src/cli/commands/runs.c src/cli/commands/runs.h \
	src/cli/commands/sweep_cluster.c src/cli/commands/sweep_cluster.h \
	src/cli/commands/store_care.c src/cli/commands/store_care.h \
	src/cli/commands/topology_show.c \
	src/cli/commands/versions_print.c
aqueduct_CPPFLAGS = $(AM_CPPFLAGS) $(SMARTCOLS_CFLAGS) $(YAJL_CFLAGS)
aqueduct_LINK = $(AQ_LINK) -o $@
aqueduct_LDADD = $(AQ_CORE_LDADD) $(SMARTCOLS_LIBS) $(YAJL_LIBS)
