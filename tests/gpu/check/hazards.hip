// SPDX-License-Identifier: MIT
// Wait states that an instruction needs behind another, one case each, with a
// fixed twin (sites.hpp). In assembly: compilers insert them.
#include "sites.hpp"

// A pair of kernels whose bad twin lacks `NEED`.
#define PAIR(name, BODY, NEED)                                                 \
  template <bool FIXED> __global__ void name##_kernel(int *a)                  \
  {                                                                            \
    int x = threadIdx.x;                                                       \
    if (FIXED)                                                                 \
      BODY(NEED);                                                              \
    else                                                                       \
      BODY("");                                                                \
    a[threadIdx.x] = x;                                                        \
  }                                                                            \
  static void name(bool fixed)                                                 \
  {                                                                            \
    int *a = make<int>(1024);                                                  \
    OK(hipMemset(a, 0, 4096));                                                 \
    if (fixed)                                                                 \
      name##_kernel<true><<<1, 64>>>(a);                                       \
    else                                                                       \
      name##_kernel<false><<<1, 64>>>(a);                                      \
    OK(hipDeviceSynchronize());                                                \
    OK(hipFree(a));                                                            \
  }

#define SCALAR_TO_MEMORY(need)                                                 \
  asm volatile("v_mov_b32 v40, %1\n v_mov_b32 v41, %2\n"                       \
               "v_readfirstlane_b32 s20, v40\n"                                \
               "v_readfirstlane_b32 s21, v41\n" need                           \
               "v_lshlrev_b32 v42, 2, %0\n"                                    \
               "global_load_dword %0, v42, s[20:21]\n"                         \
               "s_waitcnt vmcnt(0)\n"                                          \
               : "+v"(x)                                                       \
               : "v"((unsigned)(size_t)a), "v"((unsigned)((size_t)a >> 32))    \
               : "v40", "v41", "v42", "s20", "s21")
PAIR(scalar_to_memory, SCALAR_TO_MEMORY, "s_nop 3\n") // FINDS scalar_to_memory: missing wait states

#define VCC_TO_FMAS(need)                                                      \
  asm volatile("v_cmp_eq_u32 vcc, 3, %0\n" need                                \
               "v_div_fmas_f32 %0, %0, %0, %0\n"                               \
               : "+v"(x)                                                       \
               :                                                               \
               : "vcc")
PAIR(vcc_to_fmas, VCC_TO_FMAS, "s_nop 3\n") // FINDS vcc_to_fmas: missing wait states

#define VECTOR_TO_DPP(need)                                                    \
  asm volatile("v_add_u32 v40, 1, %0\n" need                                   \
               "v_mov_b32_dpp %0, v40 quad_perm:[1,0,3,2] row_mask:0xf "       \
               "bank_mask:0xf\n"                                               \
               : "+v"(x)                                                       \
               :                                                               \
               : "v40")
PAIR(vector_to_dpp, VECTOR_TO_DPP, "s_nop 1\n") // FINDS vector_to_dpp: missing wait states

#define LANE_BY_SCALAR(need)                                                   \
  asm volatile("v_readfirstlane_b32 s20, %0\n" need                            \
               "v_readlane_b32 s21, %0, s20\n"                                 \
               "s_nop 4\n v_mov_b32 %0, s21\n"                                 \
               : "+v"(x)                                                       \
               :                                                               \
               : "s20", "s21")
PAIR(lane_by_scalar, LANE_BY_SCALAR, "s_nop 3\n") // FINDS lane_by_scalar: missing wait states

#define INDEX_BY_M0(need)                                                      \
  asm volatile("s_mov_b32 s20, 7\n s_mov_b32 m0, 0\n" need                     \
               "s_movrels_b32 s21, s20\n"                                      \
               "v_mov_b32 %0, s21\n"                                           \
               : "=v"(x)                                                       \
               :                                                               \
               : "s20", "s21", "m0")
PAIR(index_by_m0, INDEX_BY_M0, "s_nop 0\n") // FINDS index_by_m0: missing wait states

#define STORED_DATA(need)                                                      \
  asm volatile("v_mov_b32 v44, %0\n v_mov_b32 v45, %0\n"                       \
               "v_mov_b32 v46, %0\n v_mov_b32 v47, %0\n"                       \
               "v_lshlrev_b32 v42, 4, %0\n"                                    \
               "global_store_dwordx4 v42, v[44:47], %1\n" need                 \
               "v_mov_b32 v45, 0\n"                                            \
               "s_waitcnt vmcnt(0)\n"                                          \
               :                                                               \
               : "v"(x), "s"(a)                                                \
               : "v42", "v44", "v45", "v46", "v47", "memory")
PAIR(stored_data, STORED_DATA, "s_nop 0\n") // FINDS stored_data: missing wait states

#define MODE_SET_TWICE(need)                                                   \
  asm volatile("s_mov_b32 s20, 0\n"                                            \
               "s_setreg_b32 hwreg(HW_REG_MODE, 0, 1), s20\n" need             \
               "s_setreg_b32 hwreg(HW_REG_MODE, 1, 1), s20\n"                  \
               "s_nop 1\n v_mov_b32 %0, s20\n"                                 \
               : "=v"(x)                                                       \
               :                                                               \
               : "s20")
PAIR(mode_set_twice, MODE_SET_TWICE, "s_nop 1\n") // FINDS mode_set_twice: missing wait states

#define MODE_READ(need)                                                        \
  asm volatile("s_mov_b32 s20, 0\n"                                            \
               "s_setreg_b32 hwreg(HW_REG_MODE, 0, 1), s20\n" need             \
               "s_getreg_b32 s21, hwreg(HW_REG_MODE)\n"                        \
               "s_nop 1\n v_mov_b32 %0, s21\n"                                 \
               : "=v"(x)                                                       \
               :                                                               \
               : "s20", "s21")
PAIR(mode_read, MODE_READ, "s_nop 1\n") // FINDS mode_read: missing wait states

#define SWAPPED_DATA(need)                                                     \
  asm volatile("v_mov_b32 v44, %0\n v_mov_b32 v45, %0\n"                       \
               "v_mov_b32 v46, %0\n v_mov_b32 v47, %0\n"                       \
               "v_lshlrev_b32 v42, 4, %0\n"                                    \
               "global_atomic_cmpswap_x2 v42, v[44:47], %1\n" need             \
               "v_mov_b32 v45, 0\n"                                            \
               "s_waitcnt vmcnt(0)\n"                                          \
               :                                                               \
               : "v"(x), "s"(a)                                                \
               : "v42", "v44", "v45", "v46", "v47", "memory")
PAIR(swapped_data, SWAPPED_DATA, "s_nop 0\n") // FINDS swapped_data: missing wait states

#define EXEC_TO_DPP(need)                                                      \
  asm volatile("s_mov_b64 s[20:21], exec\n"                                    \
               "v_mov_b32 v40, -1\n s_nop 4\n"                                 \
               "v_readfirstlane_b32 exec_lo, v40\n" need                       \
               "v_mov_b32_dpp %0, v40 quad_perm:[1,0,3,2] row_mask:0xf "       \
               "bank_mask:0xf\n"                                               \
               "s_mov_b64 exec, s[20:21]\n"                                    \
               : "+v"(x)                                                       \
               :                                                               \
               : "v40", "s20", "s21")
PAIR(exec_to_dpp, EXEC_TO_DPP, "s_nop 4\n") // FINDS exec_to_dpp: missing wait states

const std::map<std::string, std::function<void(bool)>> cases = {
    CASE(scalar_to_memory), CASE(vcc_to_fmas), CASE(vector_to_dpp),
    CASE(lane_by_scalar),   CASE(index_by_m0), CASE(stored_data),
    CASE(mode_set_twice),   CASE(mode_read),   CASE(swapped_data),
    CASE(exec_to_dpp),
};
