# Rules of the tree, tested.
dist_check_SCRIPTS += \
	tests/arch/test_bare.sh \
	tests/arch/test_circles.sh \
	tests/arch/test_defects.sh \
	tests/arch/test_driver.sh \
	tests/arch/test_layers.sh \
	tests/arch/test_long.sh \
	tests/arch/test_sizes.sh \
	tests/arch/test_skips.sh \
	tests/arch/test_spdx.sh
AQ_LONG_TESTS += tests/arch/test_clang.sh tests/arch/test_install.sh \
	tests/arch/test_symbols.sh
EXTRA_DIST += tests/arch/circles.py tests/arch/circles.tsv tests/arch/defects.tsv \
	tests/arch/layers.tsv tools/defects.py
