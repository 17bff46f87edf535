// SPDX-License-Identifier: MIT
// Routines of Debian's rocSPARSE on the device against plain loops in double
// precision.
#include <hip/hip_fp16.h>

#include <rocsparse/rocsparse.h>

#include "check.hpp"

enum { SIZE = 700 };

// A square matrix in compressed rows, with a strong diagonal.
typedef struct matrix {
  std::vector<int> rows, columns;
  std::vector<float> values;
  int *device_rows, *device_columns;
  float *device_values;
} matrix;

static matrix matrix_make()
{
  matrix m;
  m.rows.push_back(0);
  for (int i = 0; i < SIZE; i++) {
    for (int j = 0; j < SIZE; j++)
      if (i == j || rand() % 100 < 2) {
        m.columns.push_back(j);
        m.values.push_back(i == j ? 50 : (float)(rand() % 100) / 100);
      }
    m.rows.push_back((int)m.columns.size());
  }
  m.device_rows = device_of(m.rows);
  m.device_columns = device_of(m.columns);
  m.device_values = device_of(m.values);
  return m;
}

static int entries(const matrix &m)
{
  return (int)m.columns.size();
}

typedef struct session {
  rocsparse_handle handle;
  rocsparse_mat_descr descr;
  rocsparse_mat_info info;
} session;

static void product_check(const session &s, const matrix &m)
{
  const float one = 1, zero = 0;
  std::vector<float> x(SIZE), y(SIZE);
  std::vector<double> expected(SIZE);
  for (float &v : x)
    v = (float)(rand() % 1000) / 1000;
  for (int i = 0; i < SIZE; i++)
    for (int k = m.rows[i]; k < m.rows[i + 1]; k++)
      expected[i] += (double)m.values[k] * x[m.columns[k]];
  float *in = device_of(x), *out = device_of(y);
  const rocsparse_mat_info infos[] = {nullptr, s.info};
  MUST(rocsparse_scsrmv_analysis(s.handle, rocsparse_operation_none, SIZE, SIZE,
                                 entries(m), s.descr, m.device_values,
                                 m.device_rows, m.device_columns, s.info));
  for (int analysed = 0; analysed < 2; analysed++) {
    MUST(rocsparse_scsrmv(s.handle, rocsparse_operation_none, SIZE, SIZE,
                          entries(m), &one, s.descr, m.device_values,
                          m.device_rows, m.device_columns, infos[analysed], in,
                          &zero, out));
    report(analysed ? "csrmv, analysed" : "csrmv",
           off(fetched(out, SIZE), expected) < 1e-6);
  }
}

static void transposition_check(const session &s, const matrix &m)
{
  const int n = entries(m);
  std::vector<int> starts(SIZE + 1), rows(n);
  std::vector<float> values(n);
  for (int j : m.columns)
    starts[j + 1]++;
  for (int j = 0; j < SIZE; j++)
    starts[j + 1] += starts[j];
  std::vector<int> at = starts;
  for (int i = 0; i < SIZE; i++)
    for (int k = m.rows[i]; k < m.rows[i + 1]; k++) {
      const int to = at[m.columns[k]]++;
      rows[to] = i;
      values[to] = m.values[k];
    }
  int *device_starts = device_of(std::vector<int>(SIZE + 1));
  int *device_rows = device_of(std::vector<int>(n));
  float *device_values = device_of(std::vector<float>(n));
  size_t size;
  MUST(rocsparse_csr2csc_buffer_size(s.handle, SIZE, SIZE, n, m.device_rows,
                                     m.device_columns, rocsparse_action_numeric,
                                     &size));
  MUST(rocsparse_scsr2csc(s.handle, SIZE, SIZE, n, m.device_values,
                          m.device_rows, m.device_columns, device_values,
                          device_rows, device_starts, rocsparse_action_numeric,
                          rocsparse_index_base_zero, space_of(size)));
  report("csr2csc", fetched(device_starts, SIZE + 1) == starts &&
                        fetched(device_rows, n) == rows &&
                        fetched(device_values, n) == values);
}

static std::vector<double> factors_of(const matrix &m)
{
  std::vector<double> f(m.values.begin(), m.values.end());
  std::vector<int> diagonal(SIZE), at(SIZE);
  for (int i = 0; i < SIZE; i++)
    for (int k = m.rows[i]; k < m.rows[i + 1]; k++)
      if (m.columns[k] == i)
        diagonal[i] = k;
  for (int i = 0; i < SIZE; i++) {
    std::fill(at.begin(), at.end(), -1);
    for (int k = m.rows[i]; k < m.rows[i + 1]; k++)
      at[m.columns[k]] = k;
    for (int k = m.rows[i]; k < m.rows[i + 1] && m.columns[k] < i; k++) {
      const int j = m.columns[k];
      f[k] /= f[diagonal[j]];
      for (int t = diagonal[j] + 1; t < m.rows[j + 1]; t++)
        if (at[m.columns[t]] >= 0)
          f[at[m.columns[t]]] -= f[k] * f[t];
    }
  }
  return f;
}

// Rows wait in memory for those that they need, while all are executed.
static void factors_check(const session &s, const matrix &m)
{
  const int n = entries(m);
  const rocsparse_analysis_policy reuse = rocsparse_analysis_policy_reuse;
  const rocsparse_solve_policy policy = rocsparse_solve_policy_auto;
  const float one = 1;
  float *factors = device_of(m.values);
  size_t size;
  MUST(rocsparse_scsrilu0_buffer_size(s.handle, SIZE, n, s.descr, factors,
                                      m.device_rows, m.device_columns, s.info,
                                      &size));
  void *space = space_of(size);
  MUST(rocsparse_scsrilu0_analysis(s.handle, SIZE, n, s.descr, factors,
                                   m.device_rows, m.device_columns, s.info,
                                   reuse, policy, space));
  MUST(rocsparse_scsrilu0(s.handle, SIZE, n, s.descr, factors, m.device_rows,
                          m.device_columns, s.info, policy, space));
  const std::vector<float> got = fetched(factors, n);
  report("csrilu0", off(got, factors_of(m)) < 1e-5);

  rocsparse_mat_descr lower;
  std::vector<float> x(SIZE, 1), y(SIZE);
  std::vector<double> expected(SIZE);
  for (int i = 0; i < SIZE; i++) {
    expected[i] = x[i];
    for (int k = m.rows[i]; k < m.rows[i + 1] && m.columns[k] < i; k++)
      expected[i] -= (double)got[k] * expected[m.columns[k]];
  }
  float *in = device_of(x), *out = device_of(y);
  MUST(rocsparse_create_mat_descr(&lower));
  MUST(rocsparse_set_mat_fill_mode(lower, rocsparse_fill_mode_lower));
  MUST(rocsparse_set_mat_diag_type(lower, rocsparse_diag_type_unit));
  MUST(rocsparse_scsrsv_buffer_size(s.handle, rocsparse_operation_none, SIZE, n,
                                    lower, factors, m.device_rows,
                                    m.device_columns, s.info, &size));
  space = space_of(size);
  MUST(rocsparse_scsrsv_analysis(s.handle, rocsparse_operation_none, SIZE, n,
                                 lower, factors, m.device_rows,
                                 m.device_columns, s.info, reuse, policy,
                                 space));
  MUST(rocsparse_scsrsv_solve(s.handle, rocsparse_operation_none, SIZE, n, &one,
                              lower, factors, m.device_rows, m.device_columns,
                              s.info, in, out, policy, space));
  report("csrsv", off(fetched(out, SIZE), expected) < 1e-4);
  MUST(rocsparse_destroy_mat_descr(lower));
}

static void square_check(const session &s, const matrix &m)
{
  const rocsparse_operation plain = rocsparse_operation_none;
  const float one = 1;
  const int n = entries(m);
  std::vector<int> rows(1), columns;
  std::vector<double> values;
  for (int i = 0; i < SIZE; i++) {
    std::vector<double> sums(SIZE);
    std::vector<bool> there(SIZE);
    for (int k = m.rows[i]; k < m.rows[i + 1]; k++)
      for (int j = m.columns[k], t = m.rows[j]; t < m.rows[j + 1]; t++) {
        sums[m.columns[t]] += (double)m.values[k] * m.values[t];
        there[m.columns[t]] = true;
      }
    for (int j = 0; j < SIZE; j++)
      if (there[j]) {
        columns.push_back(j);
        values.push_back(sums[j]);
      }
    rows.push_back((int)columns.size());
  }
  rocsparse_mat_info info;
  rocsparse_mat_descr descr;
  size_t size;
  int count;
  int *out_rows = device_of(std::vector<int>(SIZE + 1));
  MUST(rocsparse_create_mat_info(&info));
  MUST(rocsparse_create_mat_descr(&descr));
  MUST(rocsparse_scsrgemm_buffer_size(
      s.handle, plain, plain, SIZE, SIZE, SIZE, &one, s.descr, n, m.device_rows,
      m.device_columns, s.descr, n, m.device_rows, m.device_columns, nullptr,
      nullptr, 0, nullptr, nullptr, info, &size));
  void *space = space_of(size);
  MUST(rocsparse_csrgemm_nnz(s.handle, plain, plain, SIZE, SIZE, SIZE, s.descr,
                             n, m.device_rows, m.device_columns, s.descr, n,
                             m.device_rows, m.device_columns, nullptr, 0,
                             nullptr, nullptr, descr, out_rows, &count, info,
                             space));
  int *out_columns = device_of(std::vector<int>(count));
  float *out_values = device_of(std::vector<float>(count));
  MUST(rocsparse_scsrgemm(s.handle, plain, plain, SIZE, SIZE, SIZE, &one,
                          s.descr, n, m.device_values, m.device_rows,
                          m.device_columns, s.descr, n, m.device_values,
                          m.device_rows, m.device_columns, nullptr, nullptr, 0,
                          nullptr, nullptr, nullptr, descr, out_values,
                          out_rows, out_columns, info, space));
  report("csrgemm", fetched(out_rows, SIZE + 1) == rows &&
                        fetched(out_columns, count) == columns &&
                        off(fetched(out_values, count), values) < 1e-5);
  MUST(rocsparse_destroy_mat_descr(descr));
  MUST(rocsparse_destroy_mat_info(info));
}

int main()
{
  const matrix m = matrix_make();
  session s;
  MUST(rocsparse_create_handle(&s.handle));
  MUST(rocsparse_create_mat_descr(&s.descr));
  MUST(rocsparse_create_mat_info(&s.info));
  product_check(s, m);
  transposition_check(s, m);
  factors_check(s, m);
  square_check(s, m);
  MUST(rocsparse_destroy_mat_info(s.info));
  MUST(rocsparse_destroy_mat_descr(s.descr));
  MUST(rocsparse_destroy_handle(s.handle));
  kept_free();
  return 0;
}
