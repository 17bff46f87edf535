// SPDX-License-Identifier: MIT
// What programs with defects share: `PROGRAM CASE bad|fixed`, and without
// arguments the names of the cases, which `cases` has. A comment "FINDS CASE:
// KIND" marks the line that the checker has to name for the bad one;
// test_sites.sh reads it.
#ifndef SITES_HPP
#define SITES_HPP
#include <hip/hip_runtime.h>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#define OK(call)                                                               \
  do {                                                                         \
    hipError_t e_ = (call);                                                    \
    if (e_ != hipSuccess) {                                                    \
      fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(e_));               \
      exit(3);                                                                 \
    }                                                                          \
  } while (0)

static const int N = 512;

template <class T> static T *make(size_t count)
{
  T *p;
  OK(hipMalloc(&p, count * sizeof(T)));
  return p;
}

struct streams {
  hipStream_t a, b;
  hipEvent_t event;
  streams()
  {
    OK(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
    OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
    OK(hipEventCreateWithFlags(&event, hipEventDisableTiming));
  }
  ~streams()
  {
    OK(hipDeviceSynchronize());
    OK(hipEventDestroy(event));
    OK(hipStreamDestroy(a));
    OK(hipStreamDestroy(b));
  }
  void order()
  {
    OK(hipEventRecord(event, a));
    OK(hipStreamWaitEvent(b, event, 0));
  }
};

#define CASE(name) {#name, name}
extern const std::map<std::string, std::function<void(bool)>> cases;

int main(int argc, char **argv)
{
  if (argc == 1)
    for (const auto &c : cases)
      printf("%s\n", c.first.c_str());
  if (argc != 3 || !cases.count(argv[1]))
    return argc == 1 ? 0 : 2;
  cases.at(argv[1])(strcmp(argv[2], "fixed") == 0);
  OK(hipDeviceSynchronize());
  printf("done\n");
  return 0;
}

#endif
