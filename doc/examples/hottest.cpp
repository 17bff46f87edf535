// SPDX-License-Identifier: MIT
//
// The kernels of a stored run by the device time they took, in C++17.
//
//   c++ -std=c++17 hottest.cpp $(pkg-config --cflags --libs aqueduct)
//   ./a.out runs.db latest
//
// Without arguments: the newest run of the default store.
#include <aqueduct/store.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace
{

// Every call takes one of these, and says in it what went wrong.
class Diag
{
public:
  operator aq_diag *()
  {
    return &diag_;
  }
  void check(aq_status status) const
  {
    if (status != AQ_OK)
      throw std::runtime_error(diag_.text);
  }

private:
  aq_diag diag_ = AQ_DIAG_INIT;
};

template <auto function> struct Ends {
  template <typename T> void operator()(T *what) const
  {
    function(what);
  }
};

using Store = std::unique_ptr<aq_store, Ends<aq_store_close>>;
using Info = std::unique_ptr<aq_run_info, Ends<aq_run_info_free>>;
using Reader = std::unique_ptr<aq_run_reader, Ends<aq_run_reader_close>>;

Store open_store(const char *path, Diag &diag)
{
  aq_store *store;
  diag.check(aq_store_open(path, AQ_STORE_READ, &store, diag));
  return Store(store);
}

Info find_run(aq_store *store, const char *text, Diag &diag)
{
  aq_run_info *info;
  diag.check(aq_store_find(store, text, &info, diag));
  return Info(info);
}

Reader open_rows(aq_store *store, const aq_run_info &run, Diag &diag)
{
  aq_run_reader *reader;
  diag.check(aq_run_reader_open(store, run.id, AQ_ORDER_STORED, &reader, diag));
  return Reader(reader);
}

struct Total {
  std::string name;
  int64_t calls = 0;
  aq_time time = 0; // ps
};

std::vector<Total> sum_kernels(aq_run_reader *reader, Diag &diag)
{
  std::map<int64_t, Total> by_name;
  std::vector<aq_record> rows(512);
  std::size_t count;
  do {
    diag.check(aq_run_reader_next(reader, rows.data(), nullptr, rows.size(),
                                  &count, diag));
    for (std::size_t i = 0; i < count; i++) {
      const aq_record &row = rows[i];
      if (row.kind != AQ_KIND_KERNEL || row.start == AQ_NONE ||
          row.end == AQ_NONE)
        continue;
      Total &total = by_name[row.name];
      total.calls++;
      total.time += row.end - row.start;
    }
  } while (count > 0);
  std::vector<Total> totals;
  for (auto &[id, total] : by_name) {
    const char *name = aq_run_reader_name(reader, id);
    total.name = name ? name : "?";
    totals.push_back(total);
  }
  std::sort(totals.begin(), totals.end(), [](const Total &a, const Total &b) {
    return a.time != b.time ? a.time > b.time : a.name < b.name;
  });
  return totals;
}

} // namespace

int main(int argc, char **argv)
try {
  Diag diag;
  const Store store = open_store(argc > 1 ? argv[1] : nullptr, diag);
  const Info run = find_run(store.get(), argc > 2 ? argv[2] : "latest", diag);
  const Reader rows = open_rows(store.get(), *run, diag);
  for (const Total &total : sum_kernels(rows.get(), diag))
    std::printf("%12.3f us %8lld  %s\n", static_cast<double>(total.time) / 1e6,
                static_cast<long long>(total.calls), total.name.c_str());
  return 0;
} catch (const std::exception &error) {
  std::fprintf(stderr, "hottest: %s\n", error.what());
  return 1;
}
