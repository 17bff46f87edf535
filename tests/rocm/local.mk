# Libraries of ROCm as clients of the drop-in.
EXTRA_DIST += tests/rocm/check.hpp tests/rocm/host_memory.hip \
	tests/rocm/newer_blits.hip tests/rocm/rocprim.hip tests/rocm/rocrand.hip \
	tests/rocm/rocsparse.hip tests/rocm/stream_memory.hip
dist_check_SCRIPTS += tests/rocm/test_hip_api.sh tests/rocm/test_libraries.sh
