dist_check_SCRIPTS += tests/serving/test_links.sh
check_PROGRAMS += \
	tests/serving/test_batcher \
	tests/serving/test_import \
	tests/serving/test_model \
	tests/serving/test_serving
EXTRA_DIST += \
	tests/serving/data/batcher.jsonl \
	tests/serving/data/batcher_cached.txt \
	tests/serving/data/batcher_scarce.txt \
	tests/serving/data/batcher_whole.txt
