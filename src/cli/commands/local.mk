# The commands: arguments read, results printed.
bin_PROGRAMS += aqueduct
aqueduct_SOURCES = \
	src/cli/commands/show_asm.c \
	src/cli/commands/cli.c src/cli/commands/cli.h \
	src/cli/commands/cmd_chain.c \
	src/cli/commands/cmd_compare.c src/cli/commands/commands.h \
	src/cli/commands/cmd_device.c \
	src/cli/commands/cmd_doctor.c \
	src/cli/commands/cmd_exec.c \
	src/cli/commands/cmd_explain.c \
	src/cli/commands/cmd_export.c \
	src/cli/commands/cmd_help.c \
	src/cli/commands/cmd_import.c \
	src/cli/commands/import_ranks.c src/cli/commands/import_trace.h \
	src/cli/commands/import_workload.c \
	src/cli/commands/cmd_launch.c \
	src/cli/commands/cmd_list.c \
	src/cli/commands/cmd_mlir.c \
	src/cli/commands/cmd_replay.c \
	src/cli/commands/cmd_report.c \
	src/cli/commands/cmd_run.c \
	src/cli/commands/cmd_show.c \
	src/cli/commands/cmd_stats.c \
	src/cli/commands/stats_context.c src/cli/commands/stats_context.h \
	src/cli/commands/stats_memory.c \
	src/cli/commands/cmd_store.c \
	src/cli/commands/cmd_study.c \
	src/cli/commands/cmd_sweep.c \
	src/cli/commands/cmd_whatif.c \
	src/cli/commands/show_code.c \
	src/cli/commands/show_occupancy.c \
	src/cli/commands/policy_process.c src/cli/commands/policy_process.h \
	src/cli/commands/window.c src/cli/commands/window.h \
	src/cli/commands/color.c src/cli/commands/color.h \
	src/cli/commands/compare_print.c src/cli/commands/compare_print.h \
	src/cli/commands/diff_print.c \
	src/cli/commands/group_by.c src/cli/commands/group_by.h \
	src/cli/commands/help.c src/cli/commands/help.h \
	src/cli/commands/main.c \
	src/cli/commands/options.c \
	src/cli/commands/show_packets.c src/cli/commands/show_file.h \
	src/cli/commands/run_options.c src/cli/commands/run_options.h \
	src/cli/commands/show_profile.c src/cli/commands/show_profile.h \
	src/cli/commands/show_program.c \
	src/cli/commands/progress.c src/cli/commands/progress.h \
	src/cli/commands/table_output.c src/cli/commands/table_output.h \
	src/cli/commands/runs.c src/cli/commands/runs.h \
	src/cli/commands/sweep_cluster.c src/cli/commands/sweep_cluster.h \
	src/cli/commands/store_maintenance.c src/cli/commands/store_maintenance.h \
	src/cli/commands/show_topology.c \
	src/cli/commands/versions_print.c
aqueduct_CPPFLAGS = $(AM_CPPFLAGS) $(SMARTCOLS_CFLAGS) $(YAJL_CFLAGS)
aqueduct_LINK = $(AQ_LINK) -o $@
aqueduct_LDADD = $(AQ_CORE_LDADD) $(SMARTCOLS_LIBS) $(YAJL_LIBS)
