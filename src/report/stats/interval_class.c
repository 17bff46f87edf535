/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/interval_class.h"

#include <stddef.h>
#include <string.h>

static const struct {
  const char *name;
  aq_interval_cover covers[2];
} classes[] = {
    [AQ_INTERVAL_DIRECT] = {"direct",
                            {{"90 % interval of direct launches", 90, 0},
                             {"90 % interval of direct launches", 90, 0}}},
    [AQ_INTERVAL_GRAPHS] =
        {"graphs",
         {{"interval of graph launches (the furthest of 6 sources)", 0, 6},
          {"interval of graph launches (the furthest of 6 sources)", 0, 6}}},
    /* Of its one source the model of the GPU has the error, a fit none. */
    [AQ_INTERVAL_RDNA] =
        {"RDNA",
         {{"interval of RDNA (the only source)", 0, 1},
          {"interval of RDNA (the furthest of 6 sources with graph launches)",
           0, 6}}},
    [AQ_INTERVAL_CLASS_COUNT] = {NULL,
                                 {{"interval of runs of all classes", 0, 0},
                                  {"interval of runs of all classes", 0, 0}}},
};

const char *aq_interval_class_name(aq_interval_class which)
{
  return classes[which].name;
}

aq_interval_class aq_interval_class_find(const char *name)
{
  int at = 0;
  while (at < AQ_INTERVAL_CLASS_COUNT && strcmp(classes[at].name, name) != 0)
    at++;
  return (aq_interval_class)at;
}

aq_interval_cover aq_interval_cover_of(aq_interval_class which,
                                       aq_interval_by by)
{
  return classes[which].covers[by];
}
