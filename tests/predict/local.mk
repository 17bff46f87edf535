# Tests of src/predict.
check_PROGRAMS += tests/predict/test_family
