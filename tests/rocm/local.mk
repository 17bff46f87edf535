# Libraries of ROCm as clients of the drop-in: a slice in make check; every
# function of rocSPARSE and hipSPARSE in make check-rocm, which writes the tables of
# doc/tables/libraries.md anew.
EXTRA_DIST += tests/rocm/check.hpp tests/rocm/hip_api.hip \
	tests/rocm/events.hip tests/rocm/float_atomics.hip tests/rocm/host_memory.hip tests/rocm/ipc.hip \
	tests/rocm/newer_blits.hip tests/rocm/openmp.c tests/rocm/rocprim.hip tests/rocm/rocrand.hip \
	tests/rocm/stream_memory.hip tests/rocm/textures.hip tests/rocm/times.hip \
	tests/rocm/library_times.sh \
	tests/rocm/rocsparse.hip tests/rocm/check_libraries.sh tests/rocm/table.awk \
	tests/rocm/hipsparse/auxiliary.cpp tests/rocm/hipsparse/bands.cpp \
	tests/rocm/hipsparse/blocks.cpp tests/rocm/hipsparse/conversions.cpp \
	tests/rocm/hipsparse/factors.cpp tests/rocm/hipsparse/generic.cpp \
	tests/rocm/hipsparse/generic.hpp tests/rocm/hipsparse/hipsparse.hpp \
	tests/rocm/hipsparse/main.cpp tests/rocm/hipsparse/matrices.cpp \
	tests/rocm/hipsparse/products.cpp tests/rocm/hipsparse/pruning.cpp \
	tests/rocm/hipsparse/solvers.cpp tests/rocm/hipsparse/triangles.cpp \
	tests/rocm/hipsparse/vectors.cpp \
	tests/rocm/sparse/auxiliary.cpp tests/rocm/sparse/bands.cpp \
	tests/rocm/sparse/blocks.cpp tests/rocm/sparse/conversions.cpp \
	tests/rocm/sparse/factors.cpp tests/rocm/sparse/generic.cpp \
	tests/rocm/sparse/main.cpp tests/rocm/sparse/matrices.cpp \
	tests/rocm/sparse/products.cpp tests/rocm/sparse/pruning.cpp \
	tests/rocm/sparse/solvers.cpp tests/rocm/sparse/sparse.hpp \
	tests/rocm/sparse/structure.cpp tests/rocm/sparse/vectors.cpp \
	tests/rocm/sparse_common/cases.hpp tests/rocm/sparse_common/dense.cpp \
	tests/rocm/sparse_common/dense.hpp tests/rocm/sparse_common/device.hpp \
	tests/rocm/sparse_common/forms.hpp tests/rocm/sparse_common/layouts.hpp \
	tests/rocm/sparse_common/report.cpp tests/rocm/sparse_common/report.hpp \
	tests/rocm/sparse_common/values.hpp tests/rocm/sparse_common/vectors.hpp
AQ_LONG_TESTS += tests/rocm/test_hip_api.sh \
	tests/rocm/test_libraries.sh tests/rocm/test_openmp.sh \
	tests/rocm/test_textures.sh

# Findings of the checker in the libraries, for the same page.
EXTRA_DIST += tests/rocm/check_findings.sh tests/rocm/findings.py \
	tests/rocm/known_findings.tsv
check-library-findings: aqueduct
	$(AM_V_at)$(SHELL) $(srcdir)/tests/rocm/check_findings.sh ./aqueduct \
	  > library-findings.md; status=$$?; \
	  $(srcdir)/tools/doc-block.sh library-findings doc/tables/libraries.md \
	    < library-findings.md && exit $$status
CLEANFILES += library-findings.md

check-rocm: aqueduct
	$(AM_V_at)$(SHELL) $(srcdir)/tests/rocm/check_libraries.sh ./aqueduct \
	  $(ROCM_DEVICES) > libraries.tsv; status=$$?; \
	  $(AWK) -f $(srcdir)/tests/rocm/table.awk libraries.tsv | \
	    $(srcdir)/tools/doc-block.sh libraries doc/tables/libraries.md && exit $$status
CLEANFILES += libraries.tsv

# What calls of the libraries cost, for the same page.
library-times: aqueduct
	$(AM_V_at)$(SHELL) $(srcdir)/tests/rocm/library_times.sh ./aqueduct > \
	  library-times.md && $(srcdir)/tools/doc-block.sh library-times \
	  doc/tables/libraries.md < library-times.md
CLEANFILES += library-times.md
