# Tests of the Python module.
dist_check_SCRIPTS += tests/python/test_module.sh
EXTRA_DIST += tests/python/use_module.py
