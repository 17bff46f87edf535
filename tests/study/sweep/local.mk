check_PROGRAMS += tests/study/sweep/test_study
dist_check_SCRIPTS += \
	tests/study/sweep/test_clusters.sh \
	tests/study/sweep/test_kept.sh \
	tests/study/sweep/test_tenants.sh
EXTRA_DIST += tests/study/sweep/hold_policy.c
check_DATA += public/stamp
AQ_LONG_TESTS += tests/study/sweep/test_slurm.sh
