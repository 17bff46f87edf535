/* SPDX-License-Identifier: MIT */
/* Target regions of OpenMP: each result is compared with the host's, of the
 * same source. One line a case; 1 if a case differs or ran on the host. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1000, M = 37 };

static int failures, device;

static void check(const char *name, int ok)
{
  printf("%s %s\n", ok ? "equal" : "DIFFERS", name);
  failures += !ok;
}

#pragma omp declare target
static int table[4] = {2, 3, 5, 7};
static int counter;
static int square(int x)
{
  return x * x;
}
#pragma omp end declare target

static void map_arrays(void)
{
  double *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
  int ok = 1;
  for (int i = 0; i < N; i++)
    a[i] = i / 7.0;
#pragma omp target teams distribute parallel for map(to                        \
                                                     : a [0:N]) map(from       \
                                                                    : b [0:N])
  for (int i = 0; i < N; i++)
    b[i] = 2 * a[i] + 1;
  for (int i = 0; i < N; i++)
    ok &= b[i] == 2 * a[i] + 1;
  check("map to and from", ok);
#pragma omp target data map(tofrom : a [0:N])
  {
    for (int step = 0; step < 3; step++)
#pragma omp target teams distribute parallel for
      for (int i = 0; i < N; i++)
        a[i] += i;
#pragma omp target update from(a [0:10])
    ok = a[3] == 3 / 7.0 + 3 + 3 + 3;
  }
  for (int i = 0; i < N; i++) {
    double x = i / 7.0;
    for (int step = 0; step < 3; step++)
      x += i;
    ok &= a[i] == x;
  }
  check("target data with update", ok);
  free(a);
  free(b);
}

static void unstructured(void)
{
  int *a = malloc(N * sizeof *a), ok = 1;
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma omp target enter data map(to : a [0:N])
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; i++)
    a[i] = square(a[i]) + table[i % 4];
  ok &= a[5] == 5;
#pragma omp target exit data map(from : a [0:N])
  for (int i = 0; i < N; i++)
    ok &= a[i] == i * i + (int[]){2, 3, 5, 7}[i % 4];
  check("enter and exit data, declare target", ok);
  free(a);
}

static void reductions(void)
{
  float *a = malloc(N * sizeof *a), most = -1, least = 1e9f;
  long sum = 0;
  double total = 0;
  unsigned bits = ~0u, any = 0;
  for (int i = 0; i < N; i++)
    a[i] = (float)((i * 7919) % 1009);
#pragma omp target teams distribute parallel for map(to : a[0 : N])            \
    reduction(+ : sum, total) reduction(max : most) reduction(min : least)
  for (int i = 0; i < N; i++) {
    sum += i;
    total += a[i];
    most = a[i] > most ? a[i] : most;
    least = a[i] < least ? a[i] : least;
  }
#pragma omp target teams distribute parallel for reduction(& : bits)           \
    reduction(| : any)
  for (int i = 0; i < N; i++) {
    bits &= ~(1u << i % 20);
    any |= 1u << i % 9;
  }
  double host = 0;
  float top = -1, bottom = 1e9f;
  for (int i = 0; i < N; i++) {
    host += a[i]; /* whole numbers: the order does not matter */
    top = a[i] > top ? a[i] : top;
    bottom = a[i] < bottom ? a[i] : bottom;
  }
  check("reduction +", sum == (long)N * (N - 1) / 2 && total == host);
  check("reduction min and max", most == top && least == bottom);
  check("reduction of bits", bits == ~0u << 20 && any == 0x1ff);
  free(a);
}

static void atomics(void)
{
  int hits = 0, last = -1, seen[M] = {0}, order[N], ok = 1;
  double sum = 0;
#pragma omp target teams distribute parallel for map(tofrom                    \
                                                     : hits, sum, seen)        \
    map(from                                                                   \
        : order)
  for (int i = 0; i < N; i++) {
    int at;
#pragma omp atomic capture
    at = hits++;
    order[at] = i;
#pragma omp atomic
    sum += 0.5;
#pragma omp atomic update
    seen[i % M] += 1;
  }
  char once[N] = {0};
  for (int i = 0; i < N; i++) {
    ok &= order[i] >= 0 && order[i] < N && !once[order[i]];
    if (order[i] >= 0 && order[i] < N)
      once[order[i]] = 1;
  }
  check("atomic capture gives each once", ok && hits == N);
  check("atomic update of a double", sum == N / 2.0);
  for (int i = 0; i < M; i++)
    ok &= seen[i] == N / M + (i < N % M);
  check("atomic update of a histogram", ok);
#pragma omp target map(from : last)
  {
    counter = 0;
#pragma omp parallel for
    for (int i = 0; i < N; i++)
#pragma omp atomic
      counter += i;
    last = counter;
  }
  check("atomics in a parallel region of one team", last == N * (N - 1) / 2);
}

static void teams(void)
{
  int members[64], threads = 0, ok = 1, grid[M][M];
  memset(members, -1, sizeof members);
#pragma omp target teams num_teams(4) thread_limit(64) map(tofrom : members)
  {
    int team = omp_get_team_num(), local = 0;
#pragma omp parallel reduction(+ : local)
    local += 1;
    members[team] = local;
  }
  for (int i = 0; i < 4; i++)
    threads += members[i] > 0;
  check("each team runs its parallel region", threads == 4 || members[0] > 0);
#pragma omp target teams distribute parallel for collapse(2) map(from : grid)
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      grid[i][j] = i * 100 + j;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < M; j++)
      ok &= grid[i][j] == i * 100 + j;
  check("collapse", ok);
  int shared = 1, copies = 0;
#pragma omp target map(tofrom : shared, copies)
  {
    int mine = 20;
#pragma omp parallel num_threads(4) firstprivate(mine)
    {
      mine += omp_get_thread_num();
#pragma omp barrier
#pragma omp single
      shared = 22;
#pragma omp critical
      copies += mine == 20 + omp_get_thread_num();
    }
  }
  check("single, critical, firstprivate", shared == 22 && copies > 0);
}

static void memory(void)
{
  int host[N], back[N], ok = 1;
  int *on = omp_target_alloc(sizeof host, device);
  for (int i = 0; i < N; i++)
    host[i] = 3 * i;
  omp_target_memcpy(on, host, sizeof host, 0, 0, device,
                    omp_get_initial_device());
#pragma omp target teams distribute parallel for is_device_ptr(on)
  for (int i = 0; i < N; i++)
    on[i] += 1;
  omp_target_memcpy(back, on, sizeof back, 0, 0, omp_get_initial_device(),
                    device);
  omp_target_free(on, device);
  for (int i = 0; i < N; i++)
    ok &= back[i] == 3 * i + 1;
  check("omp_target_alloc and omp_target_memcpy", ok);
}

static void tasks(void)
{
  int a[N], b[N], ok = 1;
  for (int i = 0; i < N; i++)
    a[i] = i;
#pragma omp parallel
#pragma omp single
  {
#pragma omp target teams distribute parallel for nowait depend(out             \
                                                               : a) map(tofrom \
                                                                        : a)
    for (int i = 0; i < N; i++)
      a[i] *= 2;
#pragma omp target teams distribute parallel for nowait depend(in              \
                                                               : a)            \
    depend(out                                                                 \
           : b) map(to                                                         \
                    : a) map(from                                              \
                             : b)
    for (int i = 0; i < N; i++)
      b[i] = a[i] + 1;
#pragma omp taskwait
  }
  for (int i = 0; i < N; i++)
    ok &= b[i] == 2 * i + 1;
  check("nowait with depend", ok);
}

#ifdef MATH
static void mathematics(void)
{
  double a[N], worst = 0;
#pragma omp target teams distribute parallel for map(from : a)
  for (int i = 0; i < N; i++)
    a[i] = sqrt((double)i) + sin(i * 0.01);
  for (int i = 0; i < N; i++)
    worst = fmax(worst, fabs(a[i] - (sqrt((double)i) + sin(i * 0.01))));
  check("sqrt and sin", worst < 1e-14);
}
#endif

int main(void)
{
  int host = 1;
  device = omp_get_default_device();
#pragma omp target map(from : host)
  host = omp_is_initial_device();
  check("target regions run on the device", !host);
  map_arrays();
  unstructured();
  reductions();
  atomics();
  teams();
  memory();
  tasks();
#ifdef MATH
  mathematics();
#endif
  return failures > 0;
}
