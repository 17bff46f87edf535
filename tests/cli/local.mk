# Tests of src/cli.
dist_check_SCRIPTS += \
	tests/cli/test_calibrate.sh \
	tests/cli/test_clocks.sh \
	tests/cli/test_fit.sh \
	tests/cli/test_capture.sh \
	tests/cli/test_caveats.sh \
	tests/cli/test_counters.sh \
	tests/cli/test_device_choice.sh \
	tests/cli/test_devices.sh \
	tests/cli/test_compare.sh \
	tests/cli/test_environment.sh \
	tests/cli/test_export.sh \
	tests/cli/test_glossary.sh \
	tests/cli/test_launch_tables.sh \
	tests/cli/test_live.sh \
	tests/cli/test_main_job.sh \
	tests/cli/test_probe_calibrate.sh \
	tests/cli/test_seeds.sh \
	tests/cli/test_show_program.sh \
	tests/cli/test_sweep.sh \
	tests/cli/test_stats.sh \
	tests/cli/test_what_if.sh \
	tests/cli/test_workloads.sh
EXTRA_DIST += tests/cli/busy.json tests/cli/clients.json \
	tests/cli/device-gfx90a.asm tests/cli/lib.sh \
	tests/cli/fit_truth.py tests/cli/objdump.awk tests/cli/occupancy.hip tests/cli/occupancy.py tests/cli/plan.json tests/cli/properties.py \
	tests/cli/small.json \
	tests/cli/two-streams.json

# Runs the program itself.
check_PROGRAMS += tests/cli/test_crash tests/cli/test_findings \
	tests/cli/test_junit
tests_cli_test_findings_CPPFLAGS = $(AQ_STORE_TEST_CPPFLAGS)
tests_cli_test_findings_LDADD = $(AQ_STORE_TEST_LDADD)
AQ_LONG_TESTS += tests/cli/test_asm.sh \
	tests/cli/test_chain.sh tests/cli/test_occupancy.sh \
	tests/cli/test_docs.sh \
	tests/cli/test_errors.sh \
	tests/cli/test_held_out.sh \
	tests/cli/test_hsa.sh \
	tests/cli/test_site.sh \
	tests/cli/test_store.sh \
	tests/cli/test_doc_commands.sh tests/cli/test_launch.sh \
	tests/cli/test_profile.sh \
	tests/cli/test_properties.sh tests/cli/test_readme.sh
