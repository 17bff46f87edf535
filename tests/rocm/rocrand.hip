// SPDX-License-Identifier: MIT
// Debian's rocRAND on the device against its headers compiled for the host.
// Prints a line a check, "TEXT ok" or how the two differ.
#include <hip/hip_fp16.h>

// The functions of the headers, for the host as well.
#define FQUALIFIERS __forceinline__ __device__ __host__
#include <rocrand/rocrand.h>
#include <rocrand/rocrand_kernel.h>
#include <rocrand/rocrand_mtgp32_11213.h>
#include <rocrand/rocrand_sobol32_precomputed.h>
#include <rocrand/rocrand_sobol64_precomputed.h>

#include "check.hpp"

#include <string>

enum { COUNT = 1 << 13, SEED = 20221, THREADS = 256, DRAWS = 8 };

// Both sides round the same exact numbers, by different mathematics libraries:
// the difference in units of `epsilon` at the size of the value, or at 1.
static double ulps(double got, double expected, double epsilon)
{
  const double off = std::fabs(got - expected);
  if (!(off < INFINITY)) // a NaN is no small difference
    return INFINITY;
  return off / (epsilon * std::fmax(1, std::fabs(expected)));
}

// ---- the library's generators of one sequence ----

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

// Its words of 32 bits are the upper halves of the generator's.
static unsigned sobol64_at(unsigned i)
{
  rocrand_state_sobol64 state;
  rocrand_init(h_sobol64_direction_vectors, i, &state);
  return (unsigned)(rocrand(&state) >> 32);
}

// A block of 256 threads has a recursion of its own over 351 words; its first
// value in thread t needs words t, t + 1 and t + pos, and is tempered by one.
static unsigned mtgp32_at(unsigned i)
{
  enum { BLOCK = 256, WORDS = 351 };
  const unsigned block = i / BLOCK;
  mtgp32_params_fast_t &p = mtgp32dc_params_fast_11213[block];
  std::vector<unsigned> word(WORDS + BLOCK);
  rocrand_device::rocrand_mtgp32_init_state(word.data(), &p, SEED + block + 1);
  unsigned value = 0;
  for (unsigned t = 0; t <= i % BLOCK; t++) {
    const unsigned mask = mtgp32dc_params_fast_11213[0].mask;
    unsigned x = (word[t] & mask) ^ word[t + 1];
    x ^= x << p.sh1;
    const unsigned y = x ^ (word[t + p.pos] >> p.sh2);
    word[WORDS + t] = y ^ p.tbl[y & 15];
    unsigned by = word[t + p.pos - 1];
    by ^= by >> 16;
    by ^= by >> 8;
    value = word[WORDS + t] ^ p.tmp_tbl[by & 15];
  }
  return value;
}

static void library_check(const char *name, rocrand_rng_type type,
                          unsigned (*expected)(unsigned))
{
  rocrand_generator generator;
  unsigned *data;
  size_t differing = 0;
  MUST(hipMalloc(&data, COUNT * sizeof *data));
  MUST(rocrand_create_generator(&generator, type));
  if (type < ROCRAND_RNG_QUASI_DEFAULT)
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

// ---- the library's distributions, of groups of values ----

static const float MEAN = 0.5f, STDDEV = 0.25f;
namespace detail = rocrand_device::detail;

// Where the words of a group come from: the first of engine `used`, one more
// engine a group, or the next of the one sequence.
template <class State> struct engines {
  unsigned used;
  void group(int n, unsigned *to)
  {
    State state;
    rocrand_init(SEED, used++, 0, &state);
    for (int i = 0; i < n; i++)
      to[i] = state.next();
  }
};

struct sequence {
  unsigned used;
  void group(int n, unsigned *to)
  {
    for (int i = 0; i < n; i++)
      to[i] = philox_at(used++);
  }
};

// How words become values. A word of most generators has 32 random bits.
struct bits {
  enum { UNIFORM_DOUBLE = 2, NORMAL_DOUBLE = 4 }; // words a group
  static unsigned integer(unsigned w)
  {
    return w;
  }
  static float uniform(const unsigned *w)
  {
    return detail::uniform_distribution(w[0]);
  }
  static double uniform_double(const unsigned *w)
  {
    return detail::uniform_distribution_double(w[0], w[1]);
  }
  static float2 normal(const unsigned *w)
  {
    return detail::normal_distribution2(w[0], w[1]);
  }
  static double2 normal_double(const unsigned *w)
  {
    return detail::normal_distribution_double2(
        make_uint4(w[0], w[1], w[2], w[3]));
  }
};

// A word of MRG32k3a is a residue of a prime, never 0.
struct residues {
  enum { UNIFORM_DOUBLE = 1, NORMAL_DOUBLE = 2 };
  static unsigned integer(unsigned w)
  {
    return detail::mrg_uniform_distribution_uint(w);
  }
  static float uniform(const unsigned *w)
  {
    return detail::mrg_uniform_distribution(w[0]);
  }
  static double uniform_double(const unsigned *w)
  {
    return detail::mrg_uniform_distribution_double(w[0]);
  }
  static float2 normal(const unsigned *w)
  {
    return detail::mrg_normal_distribution2(w[0], w[1]);
  }
  static double2 normal_double(const unsigned *w)
  {
    return detail::mrg_normal_distribution_double2(w[0], w[1]);
  }
};

static float halved(float x)
{
  return __half2float(__float2half(x));
}

static float uniform_half(unsigned word)
{
  return halved(((word & 0xffff) + 1) * ldexpf(1, -16));
}

// Two normal values of a word, each step rounded as the device rounds it. The
// half sine of device libraries to 5.2 is a NaN for every finite number
// (v_cndmask_b32 with its sources exchanged), so none is expected of the first.
static float2 normal_half(unsigned word)
{
  const float u = uniform_half(word);
  const float v = halved(((word >> 16) + 1) * ROCRAND_2POW16_INV_2PI);
  const float s = halved(sqrtf(halved(-2 * halved(logf(u)))));
  return make_float2(NAN, halved(halved(cosf(v)) * s));
}

template <class T> static double value_of(T x)
{
  return x;
}
template <> double value_of(__half x)
{
  return __half2float(x);
}

// A generator of the library and the host's words: how words become values is
// `From`.
template <class Words, class From> struct pair_of {
  const char *name;
  rocrand_generator generator;
  Words words;
  bool ok;

  // Whether every value is within `limit` units of `epsilon` of the expected
  // one, where one is expected; `in` words become `out` values.
  template <class T, class Generate, class Expect>
  void distribution(const char *what, int in, int out, double epsilon,
                    double limit, Generate generate, Expect expect)
  {
    T *data;
    double most = 0;
    MUST(hipMalloc(&data, COUNT * sizeof *data));
    MUST(generate(generator, data));
    const std::vector<T> got = fetched(data, COUNT);
    for (unsigned i = 0; i < COUNT; i += out) {
      unsigned drawn[4];
      double expected[4];
      words.group(in, drawn);
      expect(drawn, expected);
      for (int k = 0; k < out; k++)
        if (!std::isnan(expected[k]))
          most = fmax(most, ulps(value_of(got[i + k]), expected[k], epsilon));
    }
    if (!(most <= limit)) {
      printf("library %s: %s by %g ulps\n", name, what, most);
      ok = false;
    }
    MUST(hipFree(data));
  }
};

// An integer is cut into its parts, the lowest first.
template <class T, class Words, class From>
static void integers(pair_of<Words, From> &p, const char *what,
                     rocrand_status (*generate)(rocrand_generator, T *, size_t))
{
  const int out = 4 / sizeof(T);
  p.template distribution<T>(
      what, 1, out, 1, 0,
      [=](rocrand_generator g, T *data) { return generate(g, data, COUNT); },
      [=](const unsigned *w, double *to) {
        for (int k = 0; k < out; k++)
          to[k] = (T)(From::integer(w[0]) >> (8 * sizeof(T) * k));
      });
}

template <class Words, class From> static void uniforms(pair_of<Words, From> &p)
{
  p.template distribution<float>(
      "uniform", 1, 1, 1, 0,
      [](rocrand_generator g, float *data) {
        return rocrand_generate_uniform(g, data, COUNT);
      },
      [](const unsigned *w, double *to) { to[0] = From::uniform(w); });
  p.template distribution<double>(
      "uniform double", From::UNIFORM_DOUBLE, 1, 1, 0,
      [](rocrand_generator g, double *data) {
        return rocrand_generate_uniform_double(g, data, COUNT);
      },
      [](const unsigned *w, double *to) { to[0] = From::uniform_double(w); });
  p.template distribution<__half>(
      "uniform half", 1, 2, 1, 0,
      [](rocrand_generator g, __half *data) {
        return rocrand_generate_uniform_half(g, data, COUNT);
      },
      [](const unsigned *w, double *to) {
        const unsigned word = From::integer(w[0]);
        to[0] = uniform_half(word);
        to[1] = uniform_half(word >> 16);
      });
}

// Both normal distributions: `normal` of a group, moved by MEAN and STDDEV.
template <class T, class Words, class From, class Function, class Normal>
static void normals(pair_of<Words, From> &p, const char *what, int in,
                    double epsilon, Function generate, Function generate_log,
                    Normal normal)
{
  const T mean = (T)MEAN, stddev = (T)STDDEV;
  p.template distribution<T>(
      what, in, 2, epsilon, 16,
      [=](rocrand_generator g, T *data) {
        return generate(g, data, COUNT, mean, stddev);
      },
      [=](const unsigned *w, double *to) {
        const auto v = normal(w);
        to[0] = MEAN + v.x * (double)STDDEV;
        to[1] = MEAN + v.y * (double)STDDEV;
      });
  p.template distribution<T>(
      (std::string("log ") + what).c_str(), in, 2, epsilon, 16,
      [=](rocrand_generator g, T *data) {
        return generate_log(g, data, COUNT, mean, stddev);
      },
      [=](const unsigned *w, double *to) {
        const auto v = normal(w);
        to[0] = exp(MEAN + v.x * (double)STDDEV);
        to[1] = exp(MEAN + v.y * (double)STDDEV);
      });
}

template <class Words, class From>
static void distributions_check(const char *name, rocrand_rng_type type)
{
  pair_of<Words, From> p = {name, NULL, {0}, true};
  MUST(rocrand_create_generator(&p.generator, type));
  MUST(rocrand_set_seed(p.generator, SEED));
  integers(p, "int", rocrand_generate);
  integers(p, "char", rocrand_generate_char);
  integers(p, "short", rocrand_generate_short);
  uniforms(p);
  normals<float>(p, "normal", 2, ldexp(1, -23), rocrand_generate_normal,
                 rocrand_generate_log_normal, From::normal);
  normals<double>(p, "normal double", From::NORMAL_DOUBLE, ldexp(1, -52),
                  rocrand_generate_normal_double,
                  rocrand_generate_log_normal_double, From::normal_double);
  normals<__half>(
      p, "normal half", 1, ldexp(1, -10), rocrand_generate_normal_half,
      rocrand_generate_log_normal_half,
      [](const unsigned *w) { return normal_half(From::integer(w[0])); });
  if (p.ok)
    printf("library %s ok\n", name);
  MUST(rocrand_destroy_generator(p.generator));
}

// ---- every distribution, in a kernel and in a loop ----

typedef struct draws {
  unsigned word[DRAWS], poisson[DRAWS];
  float uniform[DRAWS], normal[DRAWS], log_normal[DRAWS];
  double uniform_double[DRAWS], normal_double[DRAWS];
} draws;

// How a thread's state begins: of the pseudo-random ones by the thread, of the
// quasi-random ones with the direction vectors of a dimension.
template <class State> struct source {
  static double normal(double x)
  {
    return x;
  }
  __host__ __device__ void begin(unsigned i, State *state) const
  {
    rocrand_init(SEED, i, 0, state);
  }
};

// Their normal values are roots of a difference of nearly equal numbers where
// the value is near 0: both sides agree on the squares.
template <class State, class Vector> struct directions {
  const Vector *vectors;
  static double normal(double x)
  {
    return x * std::fabs(x);
  }
  __host__ __device__ void begin(unsigned i, State *state) const
  {
    rocrand_init(vectors, i * 64, state);
  }
};
typedef directions<rocrand_state_sobol32, unsigned> directions32;
typedef directions<rocrand_state_sobol64, unsigned long long> directions64;

template <class State, class Source>
static __host__ __device__ void draw(unsigned i, Source from, draws *out)
{
  State state;
  from.begin(i, &state);
  for (int k = 0; k < DRAWS; k++) {
    out->word[k] = (unsigned)rocrand(&state);
    out->uniform[k] = rocrand_uniform(&state);
    out->uniform_double[k] = rocrand_uniform_double(&state);
    out->normal[k] = rocrand_normal(&state);
    out->log_normal[k] = rocrand_log_normal(&state, MEAN, STDDEV);
    out->normal_double[k] = rocrand_normal_double(&state);
    out->poisson[k] = rocrand_poisson(&state, 20.0);
  }
}

template <class State, class Source>
static __global__ void draw_kernel(Source from, draws *out)
{
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  draw<State>(i, from, &out[i]);
}

// The normal value that a log-normal one comes from.
static double unlogged(float x)
{
  return (log((double)x) - MEAN) / STDDEV;
}

// The host rounds an angle of up to 2 pi, which the sine's factor of up to 8.6
// multiplies: the limit is 32 units.
template <class State, class Source>
static void draws_check(const char *name, Source on_device, Source on_host)
{
  const double single = ldexp(1, -23), precise = ldexp(1, -52);
  draws *data;
  size_t differing = 0;
  double most = 0;
  MUST(hipMalloc(&data, THREADS * sizeof *data));
  draw_kernel<State><<<THREADS / 64, 64>>>(on_device, data);
  const std::vector<draws> got = fetched(data, THREADS);
  for (unsigned i = 0; i < THREADS; i++) {
    draws expected;
    draw<State>(i, on_host, &expected);
    for (int k = 0; k < DRAWS; k++) {
      const draws &g = got[i], &e = expected;
      differing += g.word[k] != e.word[k];
      differing += g.uniform[k] != e.uniform[k];
      differing += g.uniform_double[k] != e.uniform_double[k];
      differing += g.poisson[k] != e.poisson[k];
      most = fmax(most, ulps(Source::normal(g.normal[k]),
                             Source::normal(e.normal[k]), single));
      most = fmax(most, ulps(Source::normal(g.normal_double[k]),
                             Source::normal(e.normal_double[k]), precise));
      most = fmax(most, ulps(Source::normal(unlogged(g.log_normal[k])),
                             Source::normal(unlogged(e.log_normal[k])),
                             single / STDDEV));
    }
  }
  if (differing || !(most <= 32))
    printf("draws %s: %zu differ, normal ones by %g ulps\n", name, differing,
           most);
  else
    printf("draws %s ok\n", name);
  MUST(hipFree(data));
}

template <class State> static void source_check(const char *name)
{
  draws_check<State>(name, source<State>(), source<State>());
}

int main()
{
  library_check("sobol32", ROCRAND_RNG_QUASI_SOBOL32, sobol_at);
  library_check("sobol64", ROCRAND_RNG_QUASI_SOBOL64, sobol64_at);
  library_check("mtgp32", ROCRAND_RNG_PSEUDO_MTGP32, mtgp32_at);
  distributions_check<engines<rocrand_state_xorwow>, bits>(
      "xorwow", ROCRAND_RNG_PSEUDO_XORWOW);
  distributions_check<engines<rocrand_state_mrg32k3a>, residues>(
      "mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A);
  distributions_check<sequence, bits>("philox",
                                      ROCRAND_RNG_PSEUDO_PHILOX4_32_10);
  source_check<rocrand_state_xorwow>("xorwow");
  source_check<rocrand_state_mrg32k3a>("mrg32k3a");
  source_check<rocrand_state_philox4x32_10>("philox");
  const std::vector<unsigned> v32(h_sobol32_direction_vectors,
                                  h_sobol32_direction_vectors + 32);
  const std::vector<unsigned long long> v64(h_sobol64_direction_vectors,
                                            h_sobol64_direction_vectors + 64);
  draws_check<rocrand_state_sobol32>("sobol32", directions32{device_of(v32)},
                                     directions32{v32.data()});
  draws_check<rocrand_state_sobol64>("sobol64", directions64{device_of(v64)},
                                     directions64{v64.data()});
  kept_free();
  return 0;
}
