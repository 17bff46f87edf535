// SPDX-License-Identifier: MIT
// `sparse [verbose] [TYPES]`: runs the checks, of all types or of those whose
// letters (s, d, c, z) are given; prints a line a routine, and if verbose each
// check that it begins on standard error. Exit status 1 if a routine fails.
#include "sparse.hpp"

#include <map>

rocsparse_handle handle;
rocsparse_index_base base;
static bool verbose;
static const char *letters = "sdcz";

// ---- what was called, and how it ended ----

typedef struct outcome {
  bool judged;
  double worst;
  std::string why;
} outcome;

static std::map<std::string, outcome> outcomes;
static std::vector<std::string> called;
static const char *running;

void routine_note(const std::string &name, rocsparse_status status)
{
  if (status == rocsparse_status_success) {
    called.push_back(name);
    return;
  }
  if (status != rocsparse_status_not_implemented) {
    outcome &o = outcomes[name];
    o.worst = INFINITY;
    o.why = std::string(running) + ": status " + std::to_string(status);
  }
  throw refused();
}

void verdict(double ulps, double limit)
{
  for (const std::string &name : called) {
    outcome &o = outcomes[name];
    o.judged = true;
    o.worst = ulps <= o.worst ? o.worst : ulps;
    if (!(ulps <= limit)) {
      o.worst = INFINITY;
      o.why = std::string(running) + ": by " + std::to_string(ulps) + " ulps";
    }
  }
}

void check_run(const char *name, const std::function<void()> &check)
{
  called.clear();
  running = name;
  if (verbose)
    fprintf(stderr, "%s\n", name);
  try {
    check();
  } catch (const refused &) {
  }
}

static int outcomes_print()
{
  int failing = 0;
  for (const auto &each : outcomes) {
    const outcome &o = each.second;
    if (!std::isfinite(o.worst)) {
      printf("%s failing %s\n", each.first.c_str(), o.why.c_str());
      failing++;
    } else if (o.worst == 0) {
      printf("%s equal\n", each.first.c_str());
    } else {
      printf("%s ulps %.3g\n", each.first.c_str(), o.worst);
    }
  }
  return failing;
}

// ---- descriptions ----

descr::descr()
{
  rocsparse_create_mat_descr(&at);
  rocsparse_set_mat_index_base(at, base);
}

descr::descr(rocsparse_fill_mode fill, rocsparse_diag_type diag) : descr()
{
  rocsparse_set_mat_fill_mode(at, fill);
  rocsparse_set_mat_diag_type(at, diag);
}

// ---- numbers and dense mathematics ----

int random_below(int n)
{
  static unsigned long long state = 20221;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (int)((state >> 33) % (unsigned)n);
}

dense transposed(const dense &a, bool conjugate)
{
  dense out(a.n, a.m);
  for (int i = 0; i < a.m; i++)
    for (int j = 0; j < a.n; j++) {
      out(j, i) = conjugate ? std::conj(a(i, j)) : a(i, j);
      out.there[(size_t)i * a.n + j] = a.has(i, j);
    }
  return out;
}

dense operated(const dense &a, rocsparse_operation op)
{
  return op == rocsparse_operation_none
             ? a
             : transposed(a, op == rocsparse_operation_conjugate_transpose);
}

dense product(const dense &a, const dense &b)
{
  dense out(a.m, b.n);
  for (int j = 0; j < b.n; j++)
    for (int k = 0; k < a.n; k++)
      for (int i = 0; i < a.m; i++) {
        out(i, j) += a(i, k) * b(k, j);
        if (a.has(i, k) && b.has(k, j))
          out.there[(size_t)j * a.m + i] = 1;
      }
  return out;
}

dense column_of(const std::vector<wide> &v)
{
  dense out((int)v.size(), 1);
  out.v = v;
  return out;
}

std::vector<wide> product(const dense &a, const std::vector<wide> &x)
{
  return product(a, column_of(x)).v;
}

std::vector<wide> by_rows(const dense &a)
{
  return transposed(a, false).v;
}

dense triangle_of(const dense &a, rocsparse_fill_mode fill,
                  rocsparse_diag_type diag)
{
  dense out(a.m, a.n);
  for (int i = 0; i < a.m; i++)
    for (int j = 0; j < a.n; j++)
      if (i == j)
        out.put(i, j, diag == rocsparse_diag_type_unit ? 1 : a(i, j));
      else if (a.has(i, j) && (fill == rocsparse_fill_mode_lower) == (j < i))
        out.put(i, j, a(i, j));
  return out;
}

dense solved(dense a, dense b)
{
  for (int k = 0; k < a.n; k++) {
    int best = k;
    for (int i = k + 1; i < a.m; i++)
      if (std::abs(a(i, k)) > std::abs(a(best, k)))
        best = i;
    for (int j = 0; j < a.n; j++)
      std::swap(a(k, j), a(best, j));
    for (int j = 0; j < b.n; j++)
      std::swap(b(k, j), b(best, j));
    for (int i = 0; i < a.m; i++) {
      const wide by = i == k ? 0 : a(i, k) / a(k, k);
      if (by == wide(0))
        continue;
      for (int j = k; j < a.n; j++)
        a(i, j) -= by * a(k, j);
      for (int j = 0; j < b.n; j++)
        b(i, j) -= by * b(k, j);
    }
  }
  for (int i = 0; i < a.n; i++)
    for (int j = 0; j < b.n; j++)
      b(i, j) /= a(i, i);
  return b;
}

// ---- the passes ----

template <class T> static void type_pass()
{
  if (!strchr(letters, kind<T>::letter))
    return;
  check_vectors<T>();
  check_products<T>();
  check_solvers<T>();
  check_matrices<T>();
  check_factors<T>();
  check_bands<T>();
  check_conversions<T>();
  check_blocks<T>();
  check_pruning<T>();
  check_generic<T>();
  check_structure<T>();
}

int main(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "verbose"))
      verbose = true;
    else
      letters = argv[i];
  if (rocsparse_create_handle(&handle) != rocsparse_status_success) {
    printf("rocsparse_create_handle fails\n");
    return 2;
  }
  for (int b = 0; b < 2; b++) {
    base = (rocsparse_index_base)b;
    type_pass<float>();
    type_pass<double>();
    type_pass<std::complex<float>>();
    type_pass<std::complex<double>>();
    check_orders();
  }
  base = rocsparse_index_base_zero;
  check_auxiliary();
  rocsparse_destroy_handle(handle);
  return outcomes_print() != 0;
}
