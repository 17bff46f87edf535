# Tests of src/predict.
check_PROGRAMS += \
	tests/predict/test_executed \
	tests/predict/test_family \
	tests/predict/test_gemm \
	tests/predict/test_transfer
EXTRA_DIST += tests/predict/counted.hip \
	tests/predict/executed_vectors.tsv tests/predict/gemm_vectors.tsv
dist_check_SCRIPTS += tests/predict/test_predict.sh
AQ_LONG_TESTS += tests/predict/test_cost.sh
