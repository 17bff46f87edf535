/* SPDX-License-Identifier: MIT */
/* Layouts and units: Linux, drivers/gpu/drm/amd/include/kgd_pp_interface.h
 * (gpu_metrics_v1_1 to v1_5) and Documentation/gpu/amdgpu/thermal.rst. */
#include "config.h"

#include "backend_hsa/gpu_metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 512, HWMON_MAX = 64, SENSORS = 8 };

/* ---- gpu_metrics ---- */

/* The 16-bit words of interest: where each lies, and what one unit is. */
typedef struct word {
  int counter;
  uint16_t at;
  int64_t unit;
} word;

enum { MILLI = 1000, WORDS = 6 };

/* 1.1, 1.2 and 1.3 begin alike. */
static const word discrete[WORDS] = {
    {AQ_COUNTER_temperature, 6, MILLI}, /* hotspot */
    {AQ_COUNTER_gpu_busy, 16, 1},       {AQ_COUNTER_power, 22, MILLI},
    {AQ_COUNTER_core_clock, 54, 1},     {AQ_COUNTER_memory_clock, 58, 1},
};

/* 1.4 and 1.5 do; their clocks lie apart. */
static const word of_1_4[WORDS] = {
    {AQ_COUNTER_temperature, 4, MILLI}, {AQ_COUNTER_power, 10, MILLI},
    {AQ_COUNTER_gpu_busy, 12, 1},       {AQ_COUNTER_core_clock, 240, 1},
    {AQ_COUNTER_memory_clock, 280, 1},
};
static const word of_1_5[WORDS] = {
    {AQ_COUNTER_temperature, 4, MILLI},
    {AQ_COUNTER_power, 10, MILLI},
    {AQ_COUNTER_gpu_busy, 12, 1},
};

static const struct {
  uint8_t content; /* of format 1 */
  const word *words;
} tables[] = {
    {1, discrete}, {2, discrete}, {3, discrete}, {4, of_1_4}, {5, of_1_5}};

static uint16_t word_at(const unsigned char *bytes, size_t at)
{
  return (uint16_t)(bytes[at] | bytes[at + 1] << 8);
}

/* All bits set: the device does not have it. */
static void words_take(const unsigned char *bytes, size_t size,
                       const word *words, aqhsa_metrics *out)
{
  for (size_t i = 0; i < WORDS && words[i].unit; i++) {
    int64_t *value = &out->values[words[i].counter];
    if (*value != AQ_NONE || words[i].at + 2u > size)
      continue;
    const uint16_t raw = word_at(bytes, words[i].at);
    if (raw != UINT16_MAX)
      *value = raw * words[i].unit;
  }
}

bool aqhsa_gpu_metrics_parse(const void *bytes, size_t size, aqhsa_metrics *out)
{
  const unsigned char *at = bytes;
  if (size < 4 || word_at(at, 0) != size || at[2] != 1)
    return false;
  for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    if (tables[i].content == at[3]) {
      words_take(at, size, tables[i].words, out);
      return true;
    }
  return false;
}

/* ---- files ---- */

static size_t file_read(const char *folder, const char *name, void *to,
                        size_t size)
{
  char path[PATH_BYTES];
  if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    return 0;
  FILE *file = fopen(path, "re");
  if (!file)
    return 0;
  const size_t got = fread(to, 1, size, file);
  fclose(file);
  return got;
}

static bool number_read(const char *folder, const char *name, int64_t *out)
{
  char text[32];
  const size_t got = file_read(folder, name, text, sizeof text - 1);
  char *end;
  text[got] = '\0';
  errno = 0;
  const int64_t value = strtoimax(text, &end, 10);
  if (end == text || errno != 0 || (*end != '\n' && *end != '\0'))
    return false;
  *out = value;
  return true;
}

/* The number of the sensor of a kind that has a label; 0: there is none. */
static int sensor_find(const char *folder, const char *kind, const char *label)
{
  for (int i = 1; i <= SENSORS; i++) {
    char name[32], text[32] = "";
    snprintf(name, sizeof name, "%s%d_label", kind, i);
    const size_t got = file_read(folder, name, text, sizeof text - 1);
    if (got > 0 && strncmp(text, label, strlen(label)) == 0 &&
        (text[strlen(label)] == '\n' || text[strlen(label)] == '\0'))
      return i;
  }
  return 0;
}

static void sensor_take(const char *folder, const char *kind, const char *label,
                        const char *what, int64_t unit, int64_t *out)
{
  char name[32];
  int64_t value;
  const int number = sensor_find(folder, kind, label);
  snprintf(name, sizeof name, "%s%d_%s", kind, number, what);
  if (number && *out == AQ_NONE && number_read(folder, name, &value))
    *out = value / unit;
}

/* The first hwmon of the device. */
static bool hwmon_find(const char *folder, char *path, size_t size)
{
  for (int i = 0; i < HWMON_MAX; i++) {
    char name[16];
    snprintf(path, size, "%s/hwmon/hwmon%d", folder, i);
    if (file_read(path, "name", name, sizeof name) > 0)
      return true;
  }
  return false;
}

static void hwmon_take(const char *folder, int64_t *values)
{
  enum { HZ_OF_MHZ = 1000000, UW_OF_MW = 1000 };
  char path[PATH_BYTES];
  if (!hwmon_find(folder, path, sizeof path))
    return;
  sensor_take(path, "freq", "sclk", "input", HZ_OF_MHZ,
              &values[AQ_COUNTER_core_clock]);
  sensor_take(path, "freq", "mclk", "input", HZ_OF_MHZ,
              &values[AQ_COUNTER_memory_clock]);
  sensor_take(path, "temp", "junction", "input", 1,
              &values[AQ_COUNTER_temperature]);
  sensor_take(path, "power", "PPT", "average", UW_OF_MW,
              &values[AQ_COUNTER_power]);
  sensor_take(path, "power", "PPT", "input", UW_OF_MW,
              &values[AQ_COUNTER_power]);
}

static void value_take(const char *folder, const char *name, int64_t *out)
{
  int64_t value;
  if (number_read(folder, name, &value))
    *out = value;
}

bool aqhsa_metrics_read(const char *folder, aqhsa_metrics *out,
                        unsigned *revision)
{
  unsigned char table[AQHSA_GPU_METRICS_MAX];
  bool any = false;
  *revision = 0;
  for (int i = 0; i < AQ_COUNTER_COUNT; i++)
    out->values[i] = AQ_NONE;
  hwmon_take(folder, out->values);
  value_take(folder, "gpu_busy_percent", &out->values[AQ_COUNTER_gpu_busy]);
  value_take(folder, "mem_info_vram_used", &out->values[AQ_COUNTER_vram_used]);
  const size_t size = file_read(folder, "gpu_metrics", table, sizeof table);
  if (size >= 4 && !aqhsa_gpu_metrics_parse(table, size, out))
    *revision = (unsigned)table[2] << 8 | table[3];
  for (int i = 0; i < AQ_COUNTER_COUNT; i++)
    any |= out->values[i] != AQ_NONE;
  return any;
}
