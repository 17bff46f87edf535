// SPDX-License-Identifier: MIT
// Entries that are small go: below a threshold, or a share of all.
#include "hipsparse.hpp"

#include <algorithm>

enum { M = 60, N = 47 };

template <class T> static void check_dense(const dense &a)
{
  const device<T> full(narrow<T>(a.v));
  const device<int> ptr(M + 1);
  const T threshold = (T)0.4, percent = (T)37;
  const descr d;
  const int *no_ind = nullptr;
  const T *no_val = nullptr;
  size_t size, again;
  int nnz = -5;
  check_run("pruneDense2csr", [&] {
    REAL(pruneDense2csr_bufferSize, handle, M, N, full, M, &threshold, d,
         no_val, ptr, no_ind, &size);
    REAL(pruneDense2csr_bufferSizeExt, handle, M, N, full, M, &threshold, d,
         no_val, ptr, no_ind, &again);
    verdict_equal(size == again);
    const space buffer(size);
    REAL(pruneDense2csrNnz, handle, M, N, full, M, &threshold, d, ptr, &nnz,
         buffer);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    REAL(pruneDense2csr, handle, M, N, full, M, &threshold, d, val, ptr, ind,
         buffer);
    verdict_equal(same(compressed_of<T>(pruned(a, threshold)), ptr, ind, val));
  });
  check_run("pruneDense2csrByPercentage", [&] {
    const prune_info i;
    REAL(pruneDense2csrByPercentage_bufferSize, handle, M, N, full, M, percent,
         d, no_val, ptr, no_ind, i, &size);
    REAL(pruneDense2csrByPercentage_bufferSizeExt, handle, M, N, full, M,
         percent, d, no_val, ptr, no_ind, i, &again);
    verdict_equal(size == again);
    const space buffer(size);
    REAL(pruneDense2csrNnzByPercentage, handle, M, N, full, M, percent, d, ptr,
         &nnz, i, buffer);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    REAL(pruneDense2csrByPercentage, handle, M, N, full, M, percent, d, val,
         ptr, ind, i, buffer);
    verdict_equal(same(
        compressed_of<T>(pruned(a, magnitude_at(a, true, (double)percent))),
        ptr, ind, val));
  });
}

template <class T> static void check_rows(const dense &a)
{
  const stored<T> s(a);
  const device<int> ptr(M + 1);
  const T threshold = (T)0.4, percent = (T)37;
  const descr from, to;
  const int *no_ind = nullptr;
  const T *no_val = nullptr;
  size_t size, again;
  int nnz = -5;
  check_run("pruneCsr2csr", [&] {
    REAL(pruneCsr2csr_bufferSize, handle, M, N, s.nnz, from, s.val, s.ptr,
         s.ind, &threshold, to, no_val, ptr, no_ind, &size);
    REAL(pruneCsr2csr_bufferSizeExt, handle, M, N, s.nnz, from, s.val, s.ptr,
         s.ind, &threshold, to, no_val, ptr, no_ind, &again);
    verdict_equal(size == again);
    const space buffer(size);
    REAL(pruneCsr2csrNnz, handle, M, N, s.nnz, from, s.val, s.ptr, s.ind,
         &threshold, to, ptr, &nnz, buffer);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    REAL(pruneCsr2csr, handle, M, N, s.nnz, from, s.val, s.ptr, s.ind,
         &threshold, to, val, ptr, ind, buffer);
    verdict_equal(same(compressed_of<T>(pruned(a, threshold)), ptr, ind, val));
  });
  check_run("pruneCsr2csrByPercentage", [&] {
    const prune_info i;
    REAL(pruneCsr2csrByPercentage_bufferSize, handle, M, N, s.nnz, from, s.val,
         s.ptr, s.ind, percent, to, no_val, ptr, no_ind, i, &size);
    REAL(pruneCsr2csrByPercentage_bufferSizeExt, handle, M, N, s.nnz, from,
         s.val, s.ptr, s.ind, percent, to, no_val, ptr, no_ind, i, &again);
    verdict_equal(size == again);
    const space buffer(size);
    REAL(pruneCsr2csrNnzByPercentage, handle, M, N, s.nnz, from, s.val, s.ptr,
         s.ind, percent, to, ptr, &nnz, i, buffer);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    REAL(pruneCsr2csrByPercentage, handle, M, N, s.nnz, from, s.val, s.ptr,
         s.ind, percent, to, val, ptr, ind, i, buffer);
    verdict_equal(same(
        compressed_of<T>(pruned(a, magnitude_at(a, false, (double)percent))),
        ptr, ind, val));
  });
}

template <class T> static void check_compression(const dense &a)
{
  const stored<T> s(a);
  const dense expected = pruned(a, 0.5L);
  const descr from;
  const T tolerance = (T)0.5;
  check_run("csr2csr_compress", [&] {
    const device<int> per_row(M), ptr(M + 1);
    int nnz = -5;
    TYPED(nnz_compress, handle, M, from, s.val, s.ptr, per_row, &nnz,
          tolerance);
    const device<int> ind(nnz);
    const device<T> val(nnz);
    TYPED(csr2csr_compress, handle, M, N, from, s.val, s.ind, s.ptr, s.nnz,
          per_row, val, ind, ptr, tolerance);
    verdict_equal(same(compressed_of<T>(expected), ptr, ind, val));
  });
}

template <class T> void check_pruning()
{
  static const int percents[] = {10, 90};
  for (int percent : percents) {
    const dense a = random_matrix<T>(M, N, percent);
    if constexpr (!kind<T>::complex) {
      check_dense<T>(a);
      check_rows<T>(a);
    }
    check_compression<T>(a);
  }
}
FOR_TYPES(check_pruning)
