check_PROGRAMS += tests/cli/doctor/test_doctor
