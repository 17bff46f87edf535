check_PROGRAMS += tests/study/test_study
dist_check_SCRIPTS += \
	tests/study/test_clusters.sh \
	tests/study/test_kept.sh \
	tests/study/test_slurm.sh \
	tests/study/test_tenants.sh
EXTRA_DIST += tests/study/hold_policy.c
check_DATA += public/stamp
