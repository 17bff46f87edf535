check_PROGRAMS += tests/doctor/test_doctor
