# Tests of src/gpu/wave.
aq_wave_bed = tests/gpu/wave/bed.c tests/gpu/wave/bed.h \
	tests/gpu/wave/assembler.c tests/gpu/wave/assembler.h
check_PROGRAMS += tests/gpu/wave/test_opcodes
AQ_SLICED_TESTS += tests/gpu/wave/test_opcodes
tests_gpu_wave_test_opcodes_SOURCES = tests/gpu/wave/test_opcodes.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h \
	tests/gpu/wave/variant.c tests/gpu/wave/variant.h \
	tests/gpu/wave/variant_lane.c \
	tests/gpu/wave/opcodes.h tests/gpu/wave/opcodes_half.c \
	tests/gpu/wave/opcodes_rdna.c \
	tests/gpu/wave/opcodes_scalar.c tests/gpu/wave/opcodes_special.c \
	tests/gpu/wave/opcodes_vector.c
tests_gpu_wave_test_opcodes_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) \
	-frounding-math -ffp-contract=off
check_PROGRAMS += tests/gpu/wave/test_generated
AQ_SLICED_TESTS += tests/gpu/wave/test_generated
tests_gpu_wave_test_generated_SOURCES = tests/gpu/wave/test_generated.c \
	tests/gpu/wave/run.h tests/gpu/wave/seen.h
EXTRA_DIST += tests/gpu/wave/generated.h
check_PROGRAMS += tests/gpu/wave/test_csmith
tests_gpu_wave_test_csmith_SOURCES = tests/gpu/wave/test_csmith.c \
	tests/gpu/wave/run.h tests/gpu/wave/seen.h
EXTRA_DIST += tests/gpu/wave/csmith.h
check_PROGRAMS += tests/gpu/wave/test_small
tests_gpu_wave_test_small_SOURCES = tests/gpu/wave/test_small.c \
	tests/gpu/wave/run.h tests/gpu/wave/seen.h
EXTRA_DIST += tests/gpu/wave/small.cpp tests/gpu/wave/hip/hip_fp16.h \
	tests/gpu/wave/hip/hip_runtime.h
# With AQ_ORACLES=all they compare everything; a part of it in make check.
aq_wave_oracles = tests/gpu/wave/test_opcodes tests/gpu/wave/test_generated \
	tests/gpu/wave/test_csmith tests/gpu/wave/test_small
# These and the ones above execute every instruction that is simulated.
aq_wave_vectors = tests/gpu/wave/test_opcodes tests/gpu/wave/test_moves \
	tests/gpu/wave/test_pairs tests/gpu/wave/test_accesses \
	tests/gpu/wave/test_convert tests/gpu/wave/test_lds \
	tests/gpu/wave/test_typed tests/gpu/wave/test_bounds \
	tests/gpu/wave/test_images \
	tests/gpu/wave/test_matrix tests/gpu/wave/test_matrix_sums \
	tests/gpu/wave/test_wmma \
	tests/gpu/wave/test_rdna tests/gpu/wave/test_rdna_control \
	tests/gpu/wave/test_generated \
	tests/gpu/wave/test_csmith \
	tests/gpu/wave/test_small \
	tests/gpu/wave/test_kernels tests/gpu/wave/test_groups \
	tests/gpu/wave/test_gfx1250

# Fails if a row of isa.md that executes is in none of the tests above.
check-vectors: $(aq_wave_vectors)
	$(AM_V_at)rm -f vectors.seen
	$(AM_V_at)for test in $(aq_wave_vectors); do \
	  AQ_ORACLES=all AQ_SEEN=vectors.seen AQ_SRCDIR='$(abs_top_srcdir)' \
	    CK_TIMEOUT_MULTIPLIER=20 $$test || exit 1; \
	done
	$(AM_V_at)$(SHELL) $(srcdir)/tests/gpu/wave/seen.sh vectors.seen \
	  $(srcdir)/doc/tables/isa.md
	$(AM_V_at)rm -f vectors.seen
EXTRA_DIST += tests/gpu/wave/seen.sh

# Compiled code against the same results: every vector and generated kernel,
# and random programs against the interpreter.
aq_wave_compiled = tests/gpu/wave/test_kernels tests/gpu/wave/test_groups \
	tests/gpu/wave/test_generated tests/gpu/wave/test_csmith \
	tests/gpu/wave/test_small \
	tests/gpu/wave/test_matrix tests/gpu/wave/test_native
check-compiled: $(aq_wave_compiled)
	$(AM_V_at)for test in $(aq_wave_compiled); do \
	  AQ_NATIVE=always AQ_ORACLES=all AQ_SRCDIR='$(abs_top_srcdir)' \
	    CK_TIMEOUT_MULTIPLIER=40 $$test || exit 1; \
	done

# A million random blocks of each target as machine code, against the
# interpreter.
check-blocks: tests/gpu/wave/test_native
	$(AM_V_at)AQ_BLOCKS=1000000 AQ_SRCDIR='$(abs_top_srcdir)' \
	  CK_TIMEOUT_MULTIPLIER=400 tests/gpu/wave/test_native

check_PROGRAMS += tests/gpu/wave/test_kernels tests/gpu/wave/test_groups
tests_gpu_wave_test_kernels_SOURCES = tests/gpu/wave/test_kernels.c \
	tests/gpu/wave/kernels.h tests/gpu/wave/run.h tests/gpu/wave/seen.h
tests_gpu_wave_test_groups_SOURCES = tests/gpu/wave/test_groups.c
AQ_SLICED_TESTS += tests/gpu/wave/test_kernels tests/gpu/wave/test_groups
EXTRA_DIST += tests/gpu/wave/kernels.c tests/gpu/wave/kernels_forms.c \
	tests/gpu/wave/groups.c

check_PROGRAMS += tests/gpu/wave/test_counting
tests_gpu_wave_test_counting_SOURCES = tests/gpu/wave/test_counting.c \
	tests/gpu/wave/kernels.h tests/gpu/wave/run.h tests/gpu/wave/seen.h
EXTRA_DIST += tests/gpu/wave/counting.c

check_PROGRAMS += tests/gpu/wave/test_matrix
tests_gpu_wave_test_matrix_SOURCES = tests/gpu/wave/test_matrix.c \
	tests/gpu/wave/seen.h
EXTRA_DIST += tests/gpu/wave/matrix_kernels.c

check_PROGRAMS += tests/gpu/wave/test_matrix_sums
tests_gpu_wave_test_matrix_sums_SOURCES = tests/gpu/wave/test_matrix_sums.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_rdna tests/gpu/wave/test_rdna_control
tests_gpu_wave_test_rdna_SOURCES = tests/gpu/wave/test_rdna.c \
	tests/gpu/wave/rdna.h $(aq_wave_bed) tests/gpu/wave/seen.h
tests_gpu_wave_test_rdna_control_SOURCES = \
	tests/gpu/wave/test_rdna_control.c tests/gpu/wave/rdna.h \
	$(aq_wave_bed) tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_published
tests_gpu_wave_test_published_SOURCES = tests/gpu/wave/test_published.c \
	tests/gpu/wave/bed.h tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_wmma
tests_gpu_wave_test_wmma_SOURCES = tests/gpu/wave/test_wmma.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_convert
tests_gpu_wave_test_convert_SOURCES = tests/gpu/wave/test_convert.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_moves tests/gpu/wave/test_pairs
tests_gpu_wave_test_moves_SOURCES = tests/gpu/wave/test_moves.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h
tests_gpu_wave_test_pairs_SOURCES = tests/gpu/wave/test_pairs.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h \
	tests/gpu/wave/opcodes.h tests/gpu/wave/opcodes_half.c
tests_gpu_wave_test_pairs_CFLAGS = $(AM_CFLAGS) $(CHECK_CFLAGS) -ffp-contract=off
check_PROGRAMS += tests/gpu/wave/test_accesses
tests_gpu_wave_test_accesses_SOURCES = tests/gpu/wave/test_accesses.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_functions
check_PROGRAMS += tests/gpu/wave/test_time_spent
check_PROGRAMS += tests/gpu/wave/test_flags
tests_gpu_wave_test_flags_SOURCES = tests/gpu/wave/test_flags.c \
	$(aq_wave_bed)

check_PROGRAMS += tests/gpu/wave/test_grid tests/gpu/wave/test_guard \
	tests/gpu/wave/test_lazy
check_PROGRAMS += tests/gpu/wave/test_native tests/gpu/wave/test_rules
tests_gpu_wave_test_rules_SOURCES = tests/gpu/wave/test_rules.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h
AQ_SLICED_TESTS += tests/gpu/wave/test_native
tests_gpu_wave_test_native_SOURCES = tests/gpu/wave/test_native.c \
	tests/gpu/wave/native_programs.c tests/gpu/wave/native_programs.h \
	$(aq_wave_bed) tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_images
tests_gpu_wave_test_images_SOURCES = tests/gpu/wave/test_images.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_lds
check_PROGRAMS += tests/gpu/wave/test_typed tests/gpu/wave/test_bounds
tests_gpu_wave_test_lds_SOURCES = tests/gpu/wave/test_lds.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h
tests_gpu_wave_test_typed_SOURCES = tests/gpu/wave/test_typed.c \
	tests/gpu/wave/typed.h $(aq_wave_bed) tests/gpu/wave/seen.h
tests_gpu_wave_test_bounds_SOURCES = tests/gpu/wave/test_bounds.c \
	tests/gpu/wave/typed.h $(aq_wave_bed) tests/gpu/wave/seen.h

check_PROGRAMS += tests/gpu/wave/test_corpora tests/gpu/wave/test_table
check_PROGRAMS += tests/gpu/wave/test_gfx1250
tests_gpu_wave_test_gfx1250_SOURCES = tests/gpu/wave/test_gfx1250.c \
	$(aq_wave_bed) tests/gpu/wave/seen.h
