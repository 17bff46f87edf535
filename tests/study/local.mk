check_PROGRAMS += tests/study/test_study
