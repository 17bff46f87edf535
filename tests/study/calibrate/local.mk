check_PROGRAMS += tests/study/calibrate/test_part_fit tests/study/calibrate/test_probe
