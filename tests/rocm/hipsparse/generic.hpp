// SPDX-License-Identifier: MIT
// Descriptors of the generic routines, with their memory.
#ifndef HIPSPARSE_GENERIC_HPP
#define HIPSPARSE_GENERIC_HPP

#include "../sparse_common/layouts.hpp"
#include "hipsparse.hpp"

template <class I>
constexpr hipsparseIndexType_t index_type = sizeof(I) == sizeof(int32_t)
                                                ? HIPSPARSE_INDEX_32I
                                                : HIPSPARSE_INDEX_64I;

static inline hipsparseIndexBase_t index_base()
{
  return (hipsparseIndexBase_t)base;
}

template <class T> struct dense_vector {
  device<T> val;
  hipsparseDnVecDescr_t at;
  explicit dense_vector(const std::vector<wide> &v) : val(narrow<T>(v))
  {
    hipsparseCreateDnVec(&at, (int64_t)v.size(), val.at, datatype<T>);
  }
  ~dense_vector()
  {
    hipsparseDestroyDnVec(at);
  }
  operator hipsparseDnVecDescr_t() const
  {
    return at;
  }
};

template <class T> struct dense_matrix {
  device<T> val;
  hipsparseDnMatDescr_t at;
  explicit dense_matrix(const dense &a,
                        hipsparseOrder_t order = HIPSPARSE_ORDER_COLUMN)
      : val(narrow<T>(order == HIPSPARSE_ORDER_COLUMN ? a.v : by_rows(a)))
  {
    hipsparseCreateDnMat(&at, a.m, a.n,
                         order == HIPSPARSE_ORDER_COLUMN ? a.m : a.n, val.at,
                         datatype<T>, order);
  }
  ~dense_matrix()
  {
    hipsparseDestroyDnMat(at);
  }
  operator hipsparseDnMatDescr_t() const
  {
    return at;
  }
};

static inline layout layout_of(hipsparseFormat_t format)
{
  return format == HIPSPARSE_FORMAT_CSC       ? BY_COLUMNS
         : format == HIPSPARSE_FORMAT_COO     ? PAIRS
         : format == HIPSPARSE_FORMAT_COO_AOS ? PAIRS_WOVEN
                                              : BY_ROWS;
}

// Offsets of type I and indices of type J.
template <class T, class I, class J> struct sparse_matrix {
  layout_memory<T, I, J> in;
  hipsparseSpMatDescr_t at = nullptr;

  sparse_matrix(const dense &a, hipsparseFormat_t format)
      : in(a, layout_of(format))
  {
    if (format == HIPSPARSE_FORMAT_CSR)
      hipsparseCreateCsr(&at, a.m, a.n, in.count, in.ptr.at, in.ind.at,
                         in.val.at, index_type<I>, index_type<J>, index_base(),
                         datatype<T>);
    else if (format == HIPSPARSE_FORMAT_CSC)
      hipsparseCreateCsc(&at, a.m, a.n, in.count, in.ptr.at, in.ind.at,
                         in.val.at, index_type<I>, index_type<J>, index_base(),
                         datatype<T>);
    else if (format == HIPSPARSE_FORMAT_COO)
      hipsparseCreateCoo(&at, a.m, a.n, in.count, in.row.at, in.ind.at,
                         in.val.at, index_type<J>, index_base(), datatype<T>);
    else
      hipsparseCreateCooAoS(&at, a.m, a.n, in.count, in.ind.at, in.val.at,
                            index_type<J>, index_base(), datatype<T>);
  }
  ~sparse_matrix()
  {
    hipsparseDestroySpMat(at);
  }
  operator hipsparseSpMatDescr_t() const
  {
    return at;
  }
};

#endif
