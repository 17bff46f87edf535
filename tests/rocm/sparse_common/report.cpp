// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <map>

typedef struct outcome {
  bool judged;
  double worst;
  std::string why;
} outcome;

static std::map<std::string, outcome> outcomes;
static std::vector<std::string> called;
static const char *running;
static bool verbose;
static const char *letters = "sdcz";

void arguments_take(int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    if (!strcmp(argv[i], "verbose"))
      verbose = true;
    else
      letters = argv[i];
}

bool type_wanted(char letter)
{
  return strchr(letters, letter) != nullptr;
}

struct refused {
}; // a status that ends the check

void answer_note(const std::string &name, answer how, int status)
{
  if (how == DONE) {
    called.push_back(name);
    return;
  }
  outcome &o = outcomes[name];
  if (how == FAILED)
    o.worst = INFINITY;
  if (how == FAILED || !o.judged)
    o.why = std::string(running) + (how == FAILED
                                        ? ": status " + std::to_string(status)
                                        : ": not supported");
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

int outcomes_print()
{
  int failing = 0;
  for (const auto &each : outcomes) {
    const outcome &o = each.second;
    if (!std::isfinite(o.worst)) {
      printf("%s failing %s\n", each.first.c_str(), o.why.c_str());
      failing++;
    } else if (!o.judged) {
      printf("%s refused %s\n", each.first.c_str(), o.why.c_str());
    } else if (o.worst == 0) {
      printf("%s equal\n", each.first.c_str());
    } else {
      printf("%s ulps %.3g\n", each.first.c_str(), o.worst);
    }
  }
  return failing;
}
