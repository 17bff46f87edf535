// SPDX-License-Identifier: MIT
// Checks of a library's routines against dense mathematics on the host in long
// double. A check calls routines by its library's macros, which note their
// names, and ends with a verdict on the result; the report has a line a routine
// with the worst verdict of the checks that called it:
//
//   NAME equal          every result has the bits that the host computes
//   NAME ulps N         the largest difference, in units of the last place at
//                       the size of the value, or at 1
//   NAME failing WHY    a status, or a difference above the check's limit
//   NAME refused WHY    every call ended with a status that says that the
//   library
//                       does not support the routine
//
// One thread. Matrices are small, so that a check costs little, and random by a
// fixed seed.
#ifndef SPARSE_REPORT_HPP
#define SPARSE_REPORT_HPP

#include "device.hpp"
#include "values.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>

// ---- calls ----

// How a status counts; each library has its answer_of().
enum answer { DONE, UNSUPPORTED, FAILED };

// Notes that the check calls a routine, and its answer: all but DONE end the
// check.
void answer_note(const std::string &name, answer how, int status);
template <class S> void routine_note(const std::string &name, S status)
{
  answer_note(name, answer_of(status), (int)status);
}

template <class P, class A> static P argument(const A &from)
{
  if constexpr (std::is_convertible<A, P>::value) {
    return (P)from;
  } else {
    P out;
    static_assert(sizeof(P) == sizeof(A), "an argument of another type");
    memcpy((void *)&out, (const void *)&from, sizeof out);
    return out;
  }
}
template <class P, class T> static P argument(const device<T> &from)
{
  if constexpr (!std::is_same<P, void *>::value &&
                !std::is_same<P, const void *>::value)
    static_assert(sizeof(typename std::remove_pointer<P>::type) == sizeof(T),
                  "memory of another type");
  return (P)(void *)from.at;
}

template <class S, class... P, class... A>
static void invoke(const std::string &name, S (*f)(P...), const A &...args)
{
  routine_note(name, f(argument<P>(args)...));
}

template <class T, class S, class D, class C, class Z>
static constexpr auto pick(S s, D d, C c, Z z)
{
  if constexpr (kind<T>::letter == 's')
    return s;
  else if constexpr (kind<T>::letter == 'd')
    return d;
  else if constexpr (kind<T>::letter == 'c')
    return c;
  else
    return z;
}

// ---- verdicts ----

// Runs a check: nothing that it called counts unless it reaches its verdicts.
void check_run(const char *name, const std::function<void()> &check);
// A result with its difference; more than `limit` ulps fail.
void verdict(double ulps, double limit = 64);
static inline void verdict_equal(bool equal)
{
  verdict(equal ? 0 : INFINITY);
}

template <class T>
static double ulps(const std::vector<T> &got, const std::vector<wide> &expected)
{
  const long double epsilon =
      std::numeric_limits<typename kind<T>::real>::epsilon();
  long double most = got.size() == expected.size() ? 0 : INFINITY;
  for (size_t i = 0; i < got.size() && i < expected.size(); i++) {
    const long double off = std::abs(wide_of(got[i]) - expected[i]) /
                            (epsilon * std::fmax(1.0L, std::abs(expected[i])));
    most = off <= most ? most : off; // not a number stays
  }
  return (double)most;
}

// ---- the program ----

// The arguments `[verbose] [TYPES]`: print each check that begins on standard
// error; letters (s, d, c, z) of the types to check.
void arguments_take(int argc, char **argv);
bool type_wanted(char letter);
// Prints the report; the count of routines that fail.
int outcomes_print();

#endif
