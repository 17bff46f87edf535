// SPDX-License-Identifier: MIT
// Debian's rocRAND on the device against its headers compiled for the host.
// Prints a line a check, "TEXT ok" or how the two differ.
#include <hip/hip_fp16.h>

// The functions of the headers, for the host as well.
#define FQUALIFIERS __forceinline__ __device__ __host__
#include <rocrand/rocrand.h>
#include <rocrand/rocrand_kernel.h>
#include <rocrand/rocrand_sobol32_precomputed.h>

#include "check.hpp"

enum { COUNT = 1 << 13, SEED = 20221, THREADS = 256, DRAWS = 8 };

// ---- the library's generators, whose value i is the first of engine i ----

template <class State> static unsigned first_of(unsigned i)
{
  State state;
  rocrand_init(SEED, i, 0, &state);
  return rocrand(&state);
}

// Philox numbers its values one after the other.
static unsigned philox_at(unsigned i)
{
  rocrand_state_philox4x32_10 state;
  rocrand_init(SEED, 0, i, &state);
  return rocrand(&state);
}

static unsigned sobol_at(unsigned i)
{
  rocrand_state_sobol32 state;
  rocrand_init(h_sobol32_direction_vectors, i, &state);
  return rocrand(&state);
}

static void library_check(const char *name, rocrand_rng_type type,
                          unsigned (*expected)(unsigned))
{
  rocrand_generator generator;
  unsigned *data;
  size_t differing = 0;
  MUST(hipMalloc(&data, COUNT * sizeof *data));
  MUST(rocrand_create_generator(&generator, type));
  if (type != ROCRAND_RNG_QUASI_SOBOL32)
    MUST(rocrand_set_seed(generator, SEED));
  MUST(rocrand_generate(generator, data, COUNT));
  const std::vector<unsigned> got = fetched(data, COUNT);
  for (unsigned i = 0; i < COUNT; i++)
    differing += got[i] != expected(i);
  if (differing)
    printf("library %s: %zu of %d differ\n", name, differing, (int)COUNT);
  else
    printf("library %s ok\n", name);
  MUST(rocrand_destroy_generator(generator));
  MUST(hipFree(data));
}

// ---- every distribution, in a kernel and in a loop ----

typedef struct draws {
  unsigned word[DRAWS], poisson[DRAWS];
  float uniform[DRAWS], normal[DRAWS], log_normal[DRAWS];
  double uniform_double[DRAWS], normal_double[DRAWS];
} draws;

template <class State>
static __host__ __device__ void draw(unsigned i, draws *out)
{
  State state;
  rocrand_init(SEED, i, 0, &state);
  for (int k = 0; k < DRAWS; k++) {
    out->word[k] = rocrand(&state);
    out->uniform[k] = rocrand_uniform(&state);
    out->uniform_double[k] = rocrand_uniform_double(&state);
    out->normal[k] = rocrand_normal(&state);
    out->log_normal[k] = rocrand_log_normal(&state, 0.5f, 0.25f);
    out->normal_double[k] = rocrand_normal_double(&state);
    out->poisson[k] = rocrand_poisson(&state, 20.0);
  }
}

template <class State> static __global__ void draw_kernel(draws *out)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  draw<State>(i, &out[i]);
}

// Both sides round the same exact numbers, by different mathematics libraries:
// the difference in units of `epsilon` at the size of the value, or at 1.
static double ulps(double got, double expected, double epsilon)
{
  return std::fabs(got - expected) /
         (epsilon * std::fmax(1, std::fabs(expected)));
}

template <class State> static void draws_check(const char *name)
{
  const double single = ldexp(1, -23), precise = ldexp(1, -52);
  draws *data;
  size_t differing = 0;
  double most = 0;
  MUST(hipMalloc(&data, THREADS * sizeof *data));
  draw_kernel<State><<<THREADS / 64, 64>>>(data);
  const std::vector<draws> got = fetched(data, THREADS);
  for (unsigned i = 0; i < THREADS; i++) {
    draws expected;
    draw<State>(i, &expected);
    for (int k = 0; k < DRAWS; k++) {
      const draws &g = got[i], &e = expected;
      differing += g.word[k] != e.word[k];
      differing += g.uniform[k] != e.uniform[k];
      differing += g.uniform_double[k] != e.uniform_double[k];
      differing += g.poisson[k] != e.poisson[k];
      most = fmax(most, ulps(g.normal[k], e.normal[k], single));
      most = fmax(most, ulps(g.log_normal[k], e.log_normal[k], single));
      most = fmax(most, ulps(g.normal_double[k], e.normal_double[k], precise));
    }
  }
  if (differing || !(most <= 16))
    printf("draws %s: %zu differ, normal ones by %g ulps\n", name, differing,
           most);
  else
    printf("draws %s ok\n", name);
  MUST(hipFree(data));
}

int main()
{
  library_check("xorwow", ROCRAND_RNG_PSEUDO_XORWOW,
                first_of<rocrand_state_xorwow>);
  library_check("mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A,
                first_of<rocrand_state_mrg32k3a>);
  library_check("philox", ROCRAND_RNG_PSEUDO_PHILOX4_32_10, philox_at);
  library_check("sobol32", ROCRAND_RNG_QUASI_SOBOL32, sobol_at);
  draws_check<rocrand_state_xorwow>("xorwow");
  draws_check<rocrand_state_mrg32k3a>("mrg32k3a");
  draws_check<rocrand_state_philox4x32_10>("philox");
  return 0;
}
