// SPDX-License-Identifier: MIT
// rocSPARSE's names, handle and descriptions for its checks.
#ifndef SPARSE_HPP
#define SPARSE_HPP

#include "../sparse_common/cases.hpp"
#include "../sparse_common/report.hpp"

#include <rocsparse/rocsparse.h>

#include <algorithm>

template <class T>
constexpr rocsparse_datatype datatype =
    kind<T>::letter == 's'   ? rocsparse_datatype_f32_r
    : kind<T>::letter == 'd' ? rocsparse_datatype_f64_r
    : kind<T>::letter == 'c' ? rocsparse_datatype_f32_c
                             : rocsparse_datatype_f64_c;

// In the order of operated().
static const rocsparse_operation operations[] = {
    rocsparse_operation_none, rocsparse_operation_transpose,
    rocsparse_operation_conjugate_transpose};

static inline dense operated(const dense &a, rocsparse_operation op)
{
  return operated(a, op - rocsparse_operation_none);
}

static inline answer answer_of(rocsparse_status status)
{
  return status == rocsparse_status_success           ? DONE
         : status == rocsparse_status_not_implemented ? UNSUPPORTED
                                                      : FAILED;
}

// A routine of every type; of real types; of complex ones; of none.
#define TYPED(name, ...)                                                       \
  invoke(std::string(1, kind<T>::letter) + #name,                              \
         pick<T>(rocsparse_s##name, rocsparse_d##name, rocsparse_c##name,      \
                 rocsparse_z##name),                                           \
         __VA_ARGS__)
#define REAL(name, ...)                                                        \
  invoke(std::string(1, kind<T>::letter) + #name,                              \
         pick<T>(rocsparse_s##name, rocsparse_d##name, 0, 0), __VA_ARGS__)
#define COMPLEX(name, ...)                                                     \
  invoke(std::string(1, kind<T>::letter) + #name,                              \
         pick<T>(0, 0, rocsparse_c##name, rocsparse_z##name), __VA_ARGS__)
#define PLAIN(name, ...) invoke(#name, rocsparse_##name, __VA_ARGS__)

extern rocsparse_handle handle;

static inline rocsparse_index_base index_base()
{
  return (rocsparse_index_base)base;
}

struct descr {
  rocsparse_mat_descr at;
  descr();
  descr(int fill, int diag);
  descr(const descr &) = delete;
  ~descr()
  {
    rocsparse_destroy_mat_descr(at);
  }
  operator rocsparse_mat_descr() const
  {
    return at;
  }
};

struct info {
  rocsparse_mat_info at;
  info()
  {
    rocsparse_create_mat_info(&at);
  }
  info(const info &) = delete;
  ~info()
  {
    rocsparse_destroy_mat_info(at);
  }
  operator rocsparse_mat_info() const
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
template <class T> void check_descriptors();
template <class T> void check_generic();
template <class T> void check_structure();
void check_auxiliary();
void check_orders();

#define FOR_TYPES(function)                                                    \
  template void function<float>();                                             \
  template void function<double>();                                            \
  template void function<std::complex<float>>();                               \
  template void function<std::complex<double>>();

#endif
