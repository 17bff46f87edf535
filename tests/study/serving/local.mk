AQ_LONG_TESTS += tests/study/serving/test_links.sh
check_PROGRAMS += \
	tests/study/serving/test_batcher \
	tests/study/serving/test_import \
	tests/study/serving/test_model \
	tests/study/serving/test_serving
EXTRA_DIST += \
	tests/study/serving/data/batcher.jsonl \
	tests/study/serving/data/batcher_cached.txt \
	tests/study/serving/data/batcher_scarce.txt \
	tests/study/serving/data/batcher_whole.txt
