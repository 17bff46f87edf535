check_PROGRAMS += tests/calibrate/test_probe
