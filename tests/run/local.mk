check_PROGRAMS += \
	tests/run/test_jobs \
	tests/run/test_on_sim \
	tests/run/test_policy \
	tests/run/test_probe \
	tests/run/test_published \
	tests/run/test_replay \
	tests/run/test_run \
	tests/run/test_scenario \
	tests/run/test_scenario_dnn

tests_run_test_jobs_SOURCES = tests/run/test_jobs.c
tests_run_test_jobs_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_jobs_LDADD = $(AQ_TEST_LDADD)

tests_run_test_on_sim_SOURCES = tests/run/test_on_sim.c
tests_run_test_on_sim_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_on_sim_LDADD = $(AQ_TEST_LDADD)

tests_run_test_policy_SOURCES = tests/run/test_policy.c
tests_run_test_policy_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_policy_LDADD = $(AQ_TEST_LDADD)

tests_run_test_probe_SOURCES = tests/run/test_probe.c
tests_run_test_probe_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_probe_LDADD = $(AQ_TEST_LDADD)

tests_run_test_published_SOURCES = tests/run/test_published.c
tests_run_test_published_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_published_LDADD = $(AQ_TEST_LDADD)

tests_run_test_replay_SOURCES = tests/run/test_replay.c
tests_run_test_replay_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_replay_LDADD = $(AQ_TEST_LDADD)

tests_run_test_run_SOURCES = tests/run/test_run.c
tests_run_test_run_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_run_LDADD = $(AQ_TEST_LDADD)

tests_run_test_scenario_SOURCES = tests/run/test_scenario.c
tests_run_test_scenario_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_scenario_LDADD = $(AQ_TEST_LDADD)

# The tests compare this page with the code.
EXTRA_DIST += doc/formats/plan.md doc/formats/scenario.md

tests_run_test_scenario_dnn_SOURCES = tests/run/test_scenario_dnn.c
tests_run_test_scenario_dnn_CPPFLAGS = $(AQ_TEST_CPPFLAGS)
tests_run_test_scenario_dnn_LDADD = $(AQ_TEST_LDADD)
