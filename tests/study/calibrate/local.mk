check_PROGRAMS += tests/study/calibrate/test_probe
