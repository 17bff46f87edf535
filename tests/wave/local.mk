# Tests of src/wave.
aq_wave_bed = tests/wave/bed.c tests/wave/bed.h \
	tests/wave/assembler.c tests/wave/assembler.h
check_PROGRAMS += tests/wave/test_opcodes
AQ_SLICED_TESTS += tests/wave/test_opcodes
tests_wave_test_opcodes_SOURCES = tests/wave/test_opcodes.c \
	$(aq_wave_bed) tests/wave/seen.h \
	tests/wave/variant.c tests/wave/variant.h tests/wave/variant_lane.c \
	tests/wave/opcodes.h tests/wave/opcodes_half.c tests/wave/opcodes_rdna.c \
	tests/wave/opcodes_scalar.c tests/wave/opcodes_special.c \
	tests/wave/opcodes_vector.c
tests_wave_test_opcodes_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) \
	-frounding-math -ffp-contract=off
check_PROGRAMS += tests/wave/test_generated
AQ_SLICED_TESTS += tests/wave/test_generated
tests_wave_test_generated_SOURCES = tests/wave/test_generated.c \
	tests/wave/run.h tests/wave/seen.h
EXTRA_DIST += tests/wave/generated.h
check_PROGRAMS += tests/wave/test_csmith
tests_wave_test_csmith_SOURCES = tests/wave/test_csmith.c \
	tests/wave/run.h tests/wave/seen.h
EXTRA_DIST += tests/wave/csmith.h
check_PROGRAMS += tests/wave/test_small
tests_wave_test_small_SOURCES = tests/wave/test_small.c \
	tests/wave/run.h tests/wave/seen.h
EXTRA_DIST += tests/wave/small.cpp tests/wave/hip/hip_fp16.h \
	tests/wave/hip/hip_runtime.h
# With AQ_ORACLES=all they compare everything; a part of it in make check.
aq_wave_oracles = tests/wave/test_opcodes tests/wave/test_generated \
	tests/wave/test_csmith tests/wave/test_small
# These and the ones above execute every instruction that is simulated.
aq_wave_vectors = tests/wave/test_opcodes tests/wave/test_moves \
	tests/wave/test_pairs tests/wave/test_accesses \
	tests/wave/test_convert tests/wave/test_lds tests/wave/test_typed \
	tests/wave/test_images \
	tests/wave/test_matrix tests/wave/test_matrix_sums tests/wave/test_wmma \
	tests/wave/test_rdna tests/wave/test_generated tests/wave/test_csmith \
	tests/wave/test_small \
	tests/wave/test_kernels tests/wave/test_groups tests/wave/test_gfx1250

# Fails if a row of isa.md that executes is in none of the tests above.
check-vectors: $(aq_wave_vectors)
	$(AM_V_at)rm -f vectors.seen
	$(AM_V_at)for test in $(aq_wave_vectors); do \
	  AQ_ORACLES=all AQ_SEEN=vectors.seen AQ_SRCDIR='$(abs_top_srcdir)' \
	    CK_TIMEOUT_MULTIPLIER=20 $$test || exit 1; \
	done
	$(AM_V_at)$(SHELL) $(srcdir)/tests/wave/seen.sh vectors.seen \
	  $(srcdir)/doc/tables/isa.md
	$(AM_V_at)rm -f vectors.seen
EXTRA_DIST += tests/wave/seen.sh

# Compiled code against the same results: every vector and generated kernel,
# and random programs against the interpreter.
aq_wave_compiled = tests/wave/test_kernels tests/wave/test_groups \
	tests/wave/test_generated tests/wave/test_csmith tests/wave/test_small \
	tests/wave/test_matrix tests/wave/test_native
check-compiled: $(aq_wave_compiled)
	$(AM_V_at)for test in $(aq_wave_compiled); do \
	  AQ_NATIVE=always AQ_ORACLES=all AQ_SRCDIR='$(abs_top_srcdir)' \
	    AQUEDUCT_CACHE='$(abs_builddir)/compiled.cache' \
	    CK_TIMEOUT_MULTIPLIER=40 $$test || exit 1; \
	done
	$(AM_V_at)rm -rf compiled.cache

check_PROGRAMS += tests/wave/test_kernels tests/wave/test_groups
tests_wave_test_kernels_SOURCES = tests/wave/test_kernels.c \
	tests/wave/kernels.h tests/wave/run.h tests/wave/seen.h
tests_wave_test_groups_SOURCES = tests/wave/test_groups.c
AQ_SLICED_TESTS += tests/wave/test_kernels tests/wave/test_groups
EXTRA_DIST += tests/wave/kernels.c tests/wave/kernels_forms.c \
	tests/wave/groups.c

check_PROGRAMS += tests/wave/test_counting
tests_wave_test_counting_SOURCES = tests/wave/test_counting.c \
	tests/wave/kernels.h tests/wave/run.h tests/wave/seen.h
EXTRA_DIST += tests/wave/counting.c

check_PROGRAMS += tests/wave/test_matrix
tests_wave_test_matrix_SOURCES = tests/wave/test_matrix.c \
	tests/wave/seen.h
EXTRA_DIST += tests/wave/matrix_kernels.c

check_PROGRAMS += tests/wave/test_matrix_sums
tests_wave_test_matrix_sums_SOURCES = tests/wave/test_matrix_sums.c \
	$(aq_wave_bed) tests/wave/seen.h

check_PROGRAMS += tests/wave/test_rdna
tests_wave_test_rdna_SOURCES = tests/wave/test_rdna.c \
	$(aq_wave_bed) tests/wave/seen.h

check_PROGRAMS += tests/wave/test_published
tests_wave_test_published_SOURCES = tests/wave/test_published.c \
	tests/wave/bed.h tests/wave/seen.h

check_PROGRAMS += tests/wave/test_wmma
tests_wave_test_wmma_SOURCES = tests/wave/test_wmma.c \
	$(aq_wave_bed) tests/wave/seen.h

check_PROGRAMS += tests/wave/test_convert
tests_wave_test_convert_SOURCES = tests/wave/test_convert.c \
	$(aq_wave_bed) tests/wave/seen.h

check_PROGRAMS += tests/wave/test_moves tests/wave/test_pairs
tests_wave_test_moves_SOURCES = tests/wave/test_moves.c \
	$(aq_wave_bed) tests/wave/seen.h
tests_wave_test_pairs_SOURCES = tests/wave/test_pairs.c \
	$(aq_wave_bed) tests/wave/seen.h \
	tests/wave/opcodes.h tests/wave/opcodes_half.c
tests_wave_test_pairs_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -ffp-contract=off
check_PROGRAMS += tests/wave/test_accesses
tests_wave_test_accesses_SOURCES = tests/wave/test_accesses.c \
	$(aq_wave_bed) tests/wave/seen.h

check_PROGRAMS += tests/wave/test_functions
check_PROGRAMS += tests/wave/test_flags
tests_wave_test_flags_SOURCES = tests/wave/test_flags.c \
	$(aq_wave_bed)

check_PROGRAMS += tests/wave/test_guard tests/wave/test_lazy
check_PROGRAMS += tests/wave/test_native
AQ_SLICED_TESTS += tests/wave/test_native
tests_wave_test_native_SOURCES = tests/wave/test_native.c \
	$(aq_wave_bed) tests/wave/seen.h

check_PROGRAMS += tests/wave/test_images
tests_wave_test_images_SOURCES = tests/wave/test_images.c \
	$(aq_wave_bed) tests/wave/seen.h

check_PROGRAMS += tests/wave/test_lds tests/wave/test_typed
tests_wave_test_lds_SOURCES = tests/wave/test_lds.c \
	$(aq_wave_bed) tests/wave/seen.h
tests_wave_test_typed_SOURCES = tests/wave/test_typed.c \
	$(aq_wave_bed) tests/wave/seen.h

check_PROGRAMS += tests/wave/test_corpora tests/wave/test_table
check_PROGRAMS += tests/wave/test_gfx1250
tests_wave_test_gfx1250_SOURCES = tests/wave/test_gfx1250.c \
	$(aq_wave_bed) tests/wave/seen.h
