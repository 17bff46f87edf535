# Tests of src/dropin/blas. check_blas is run by a script, under exec: it links the
# library, which no run path names.
AQ_CHECK_BLAS = tests/dropin/blas/check_blas.c tests/dropin/blas/check_blas.h \
	tests/dropin/blas/check_gemm.c tests/dropin/blas/check_rocblas.c \
	tests/dropin/blas/check_solve.c tests/dropin/blas/check_vectors.c \
	tests/dropin/blas/hip_calls.h
EXTRA_PROGRAMS += tests/dropin/blas/check_blas
check_DATA += tests/dropin/blas/check_blas$(EXEEXT)
CLEANFILES += tests/dropin/blas/check_blas$(EXEEXT)
tests_dropin_blas_check_blas_SOURCES = $(AQ_CHECK_BLAS) \
	tests/dropin/blas/hip_stand_in.c
# The library finds the functions of HIP in the program.
tests_dropin_blas_check_blas_LDFLAGS = -Wl,--export-dynamic
tests_dropin_blas_check_blas_LDADD = blas/.libs/libhipblas.so.2 \
	blas/.libs/librocblas.so.4 \
	.libs/libhsa-runtime64.so -lm
blas/.libs/libhipblas.so.2: blas/libhipblas.la
blas/.libs/librocblas.so.4: blas/librocblas.la

dist_check_SCRIPTS += tests/dropin/blas/test_blas.sh
AQ_LONG_TESTS += tests/dropin/blas/test_blas_devices.sh \
	tests/dropin/blas/test_objects.sh
EXTRA_DIST += tests/dropin/blas/scaled.hip
