// SPDX-License-Identifier: MIT
// hipSPARSE's names, handle and descriptions for its checks. Its enumerations
// of operations, directions, fill modes, diagonals and index bases count from 0
// as those of sparse_common do.
#ifndef HIPSPARSE_HPP
#define HIPSPARSE_HPP

#include "../sparse_common/cases.hpp"
#include "../sparse_common/report.hpp"

#include <hipsparse/hipsparse.h>

#include <algorithm>

template <class T>
constexpr hipDataType datatype = kind<T>::letter == 's'   ? HIP_R_32F
                                 : kind<T>::letter == 'd' ? HIP_R_64F
                                 : kind<T>::letter == 'c' ? HIP_C_32F
                                                          : HIP_C_64F;

static inline answer answer_of(hipsparseStatus_t status)
{
  return status == HIPSPARSE_STATUS_SUCCESS         ? DONE
         : status == HIPSPARSE_STATUS_NOT_SUPPORTED ? UNSUPPORTED
                                                    : FAILED;
}

// The name of a type's routine.
template <class T> std::string typed_name(const char *routine)
{
  return std::string(1, (char)(kind<T>::letter - 'a' + 'A')) + routine;
}

// A routine of every type; of real types; of complex ones; of none.
#define TYPED(name, ...)                                                       \
  invoke(typed_name<T>(#name),                                                 \
         pick<T>(hipsparseS##name, hipsparseD##name, hipsparseC##name,         \
                 hipsparseZ##name),                                            \
         __VA_ARGS__)
#define REAL(name, ...)                                                        \
  invoke(typed_name<T>(#name),                                                 \
         pick<T>(hipsparseS##name, hipsparseD##name, 0, 0), __VA_ARGS__)
#define COMPLEX(name, ...)                                                     \
  invoke(typed_name<T>(#name),                                                 \
         pick<T>(0, 0, hipsparseC##name, hipsparseZ##name), __VA_ARGS__)
#define PLAIN(name, ...) invoke(#name, hipsparse##name, __VA_ARGS__)

extern hipsparseHandle_t handle;

static const hipsparseOperation_t none = HIPSPARSE_OPERATION_NON_TRANSPOSE;
static const hipsparseSolvePolicy_t policy = HIPSPARSE_SOLVE_POLICY_USE_LEVEL;

// Something that a routine creates and another one destroys.
#define HELD(name, type, create, destroy)                                      \
  struct name {                                                                \
    type at;                                                                   \
    name()                                                                     \
    {                                                                          \
      hipsparse##create(&at);                                                  \
    }                                                                          \
    name(const name &) = delete;                                               \
    ~name()                                                                    \
    {                                                                          \
      hipsparse##destroy(at);                                                  \
    }                                                                          \
    operator type() const                                                      \
    {                                                                          \
      return at;                                                               \
    }                                                                          \
  };

HELD(csrsv2_info, csrsv2Info_t, CreateCsrsv2Info, DestroyCsrsv2Info)
HELD(csrsm2_info, csrsm2Info_t, CreateCsrsm2Info, DestroyCsrsm2Info)
HELD(bsrsv2_info, bsrsv2Info_t, CreateBsrsv2Info, DestroyBsrsv2Info)
HELD(bsrsm2_info, bsrsm2Info_t, CreateBsrsm2Info, DestroyBsrsm2Info)
HELD(csrilu02_info, csrilu02Info_t, CreateCsrilu02Info, DestroyCsrilu02Info)
HELD(csric02_info, csric02Info_t, CreateCsric02Info, DestroyCsric02Info)
HELD(bsrilu02_info, bsrilu02Info_t, CreateBsrilu02Info, DestroyBsrilu02Info)
HELD(bsric02_info, bsric02Info_t, CreateBsric02Info, DestroyBsric02Info)
HELD(csrgemm2_info, csrgemm2Info_t, CreateCsrgemm2Info, DestroyCsrgemm2Info)
HELD(csru2csr_info, csru2csrInfo_t, CreateCsru2csrInfo, DestroyCsru2csrInfo)
HELD(prune_info, pruneInfo_t, CreatePruneInfo, DestroyPruneInfo)
HELD(color_info, hipsparseColorInfo_t, CreateColorInfo, DestroyColorInfo)
HELD(hybrid, hipsparseHybMat_t, CreateHybMat, DestroyHybMat)
HELD(spgemm_descr, hipsparseSpGEMMDescr_t, SpGEMM_createDescr,
     SpGEMM_destroyDescr)
HELD(spsv_descr, hipsparseSpSVDescr_t, SpSV_createDescr, SpSV_destroyDescr)
HELD(spsm_descr, hipsparseSpSMDescr_t, SpSM_createDescr, SpSM_destroyDescr)

// Of a matrix with indices from `base`.
struct descr {
  hipsparseMatDescr_t at;
  descr()
  {
    hipsparseCreateMatDescr(&at);
    hipsparseSetMatIndexBase(at, (hipsparseIndexBase_t)base);
  }
  descr(bool upper, bool unit) : descr()
  {
    hipsparseSetMatFillMode(at, (hipsparseFillMode_t)upper);
    hipsparseSetMatDiagType(at, (hipsparseDiagType_t)unit);
  }
  descr(const descr &) = delete;
  ~descr()
  {
    hipsparseDestroyMatDescr(at);
  }
  operator hipsparseMatDescr_t() const
  {
    return at;
  }
};

// ---- the checks, a function a file and type ----

template <class T> void check_vectors();
template <class T> void check_products();
template <class T> void check_solvers();
template <class T> void check_matrices();
template <class T> void check_factors();
template <class T> void check_bands();
template <class T> void check_conversions();
template <class T> void check_blocks();
template <class T> void check_pruning();
template <class T> void check_generic();
template <class T> void check_triangles();
void check_orders();
void check_auxiliary();

#define FOR_TYPES(function)                                                    \
  template void function<float>();                                             \
  template void function<double>();                                            \
  template void function<std::complex<float>>();                               \
  template void function<std::complex<double>>();

#endif
