# Tests of src/gpu/duration.
check_PROGRAMS += \
	tests/gpu/duration/test_executed \
	tests/gpu/duration/test_family \
	tests/gpu/duration/test_gemm \
	tests/gpu/duration/test_transfer
EXTRA_DIST += tests/gpu/duration/counted.hip \
	tests/gpu/duration/executed_vectors.tsv \
	tests/gpu/duration/gemm_vectors.tsv
dist_check_SCRIPTS += tests/gpu/duration/test_predict.sh
AQ_LONG_TESTS += tests/gpu/duration/test_cost.sh
