dist_check_SCRIPTS += tests/packaging/test_suites.sh
