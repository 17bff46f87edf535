// SPDX-License-Identifier: MIT
//
// What another GPU would change: a scenario on one device model, its replay on
// another, and the difference of the two runs by kernel. In C++17.
//
//   c++ -std=c++17 what_if.cpp $(pkg-config --cflags --libs aqueduct)
//   ./a.out scenario.json mi300x mi210 [runs.db]
//
// Without a store the runs are gone at the end.
#include <aqueduct/diff.h>
#include <aqueduct/runs.h>

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

namespace
{

template <auto function> struct Ends {
  template <typename T> void operator()(T *what) const
  {
    function(what);
  }
};

using Store = std::unique_ptr<aq_store, Ends<aq_store_close>>;
using Info = std::unique_ptr<aq_run_info, Ends<aq_run_info_free>>;

class WhatIf
{
public:
  explicit WhatIf(const char *path)
  {
    aq_store *store;
    check(aq_store_open(path, AQ_STORE_WRITE, &store, &diag_));
    store_.reset(store);
  }

  Info simulate(const char *scenario, const char *device)
  {
    aq_performance_options options{};
    int64_t run;
    options.size = sizeof options;
    options.device = device;
    check(aq_scenario_run(store_.get(), scenario, nullptr, &options, nullptr,
                          &run, &diag_));
    return find(run);
  }

  Info replay(const aq_run_info &origin, const char *device)
  {
    const std::string name = std::to_string(origin.id);
    aq_performance_options options{};
    aq_replay_ask ask{};
    int64_t run;
    options.size = sizeof options;
    options.device = device;
    ask.size = sizeof ask;
    ask.origin = name.c_str();
    ask.confidence = AQ_REPLAY_EDGES_DEFAULT;
    check(aq_replay_run(store_.get(), &ask, &options, nullptr, &run, &diag_));
    return find(run);
  }

  void print_difference(const aq_run_info &a, const aq_run_info &b)
  {
    aq_diff diff;
    check(aq_diff_runs(store_.get(), &a, &b, AQ_MATCH_REPLAY,
                       AQ_STATS_BY_KERNEL, &diff, &diag_));
    const aq_diff_figure &queue = diff.parts[AQ_DIFF_QUEUE];
    std::printf("%lld dispatches of %lld matched; makespan %.3f us, %.3f us\n",
                static_cast<long long>(diff.pairs),
                static_cast<long long>(diff.a_calls),
                static_cast<double>(diff.a_makespan) / AQ_US,
                static_cast<double>(diff.b_makespan) / AQ_US);
    std::printf("submission to start: mean %.1f ns, %.1f ns%s\n", queue.a,
                queue.b, queue.significant ? "" : ", not significant");
    for (std::size_t i = 0; i < diff.count; i++) {
      const aq_diff_figure &kernel = diff.groups[i].parts[AQ_DIFF_KERNEL];
      std::printf("%12.1f ns %12.1f ns  %s\n", kernel.a, kernel.b,
                  diff.groups[i].name ? diff.groups[i].name : "?");
    }
    aq_diff_fini(&diff);
  }

private:
  void check(aq_status status) const
  {
    if (status != AQ_OK)
      throw std::runtime_error(diag_.text);
  }

  Info find(int64_t run)
  {
    aq_run_info *info;
    check(aq_store_run(store_.get(), run, &info, &diag_));
    return Info(info);
  }

  Store store_;
  aq_diag diag_ = AQ_DIAG_INIT;
};

} // namespace

int main(int argc, char **argv)
try {
  if (argc < 4 || argc > 5) {
    std::fprintf(stderr, "usage: what_if SCENARIO MODEL MODEL [STORE]\n");
    return 2;
  }
  WhatIf what_if(argc > 4 ? argv[4] : ":memory:");
  const Info before = what_if.simulate(argv[1], argv[2]);
  const Info after = what_if.replay(*before, argv[3]);
  what_if.print_difference(*before, *after);
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "what_if: %s\n", error.what());
  return 1;
}
