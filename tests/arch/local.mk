# Rules of the tree, tested.
dist_check_SCRIPTS += \
	tests/arch/test_bare.sh \
	tests/arch/test_circles.sh \
	tests/arch/test_defects.sh \
	tests/arch/test_driver.sh \
	tests/arch/test_layers.sh \
	tests/arch/test_long.sh \
	tests/arch/test_options.sh \
	tests/arch/test_recipes.sh \
	tests/arch/test_sizes.sh \
	tests/arch/test_skips.sh \
	tests/arch/test_spdx.sh
AQ_LONG_TESTS += tests/arch/test_clang.sh tests/arch/test_install.sh \
	tests/arch/test_mutants.sh tests/arch/test_symbols.sh
EXTRA_DIST += tests/arch/circles.py tests/arch/circles.tsv tests/arch/defects.tsv \
	tests/arch/layers.tsv tests/arch/options.tsv tests/arch/sizes.tsv \
	tests/arch/recipes/importer.patch tests/arch/recipes/opcode.c \
	tests/arch/recipes/opcode.patch tests/arch/recipes/option.patch \
	tests/arch/recipes/policy.patch tests/arch/recipes/timing-key.patch \
	tools/defects.py tools/statics.py
