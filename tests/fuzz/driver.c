/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target where there is no libFuzzer: every seed as it is, then
 * mutations of the seeds in an order that depends on nothing but the seeds,
 * until the time is up. driver SECONDS FOLDER
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fuzz/fuzz.h"

enum { SEEDS_MAX = 1000, SIZE_MAX_INPUT = 65536 };

typedef struct seed {
  char *path;
  uint8_t *data;
  size_t size;
} seed;

static uint64_t state = 1;

/* SplitMix64. */
static uint64_t next_random(void)
{
  uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static size_t below(size_t limit)
{
  return limit ? next_random() % limit : 0;
}

static int seed_order(const void *a, const void *b)
{
  return strcmp(((const seed *)a)->path, ((const seed *)b)->path);
}

static void read_seed(seed *s)
{
  FILE *file = fopen(s->path, "rb");
  s->data = malloc(SIZE_MAX_INPUT);
  s->size = file ? fread(s->data, 1, SIZE_MAX_INPUT, file) : 0;
  if (file)
    fclose(file);
}

static size_t read_seeds(const char *folder, seed *seeds)
{
  size_t count = 0;
  DIR *dir = opendir(folder);
  if (!dir) {
    perror(folder);
    exit(2);
  }
  for (struct dirent *entry; (entry = readdir(dir)) && count < SEEDS_MAX;) {
    char path[4096];
    if (entry->d_name[0] == '.')
      continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    seeds[count++].path = strdup(path);
  }
  closedir(dir);
  qsort(seeds, count, sizeof *seeds, seed_order);
  for (size_t i = 0; i < count; i++)
    read_seed(&seeds[i]);
  return count;
}

/* One small change: a byte, a repeat, a cut, or a piece of another seed. */
static size_t mutate(uint8_t *data, size_t size, const seed *other)
{
  static const char odd[] = "\"{}[]:,\\\n-.0e9\xff\x1f\x8b";
  size_t at = below(size), length = below(64);
  switch (next_random() % 5) {
  case 0:
    if (size > 0)
      data[at] ^= (uint8_t)(1 << below(8));
    return size;
  case 1:
    if (size > 0)
      data[at] = (uint8_t)odd[below(sizeof odd)];
    return size;
  case 2:
    return at;
  case 3:
    if (at + length > size)
      length = size - at;
    memmove(data + at, data + at + length, size - at - length);
    return size - length;
  default:
    if (length > other->size)
      length = other->size;
    if (size + length > SIZE_MAX_INPUT)
      return size;
    memmove(data + at + length, data + at, size - at);
    memcpy(data + at, other->data + below(other->size - length + 1), length);
    return size + length;
  }
}

int main(int argc, char **argv)
{
  static seed seeds[SEEDS_MAX];
  static uint8_t data[SIZE_MAX_INPUT];
  if (argc != 3)
    return 2;
  size_t count = read_seeds(argv[2], seeds);
  unsigned long runs = count;
  for (size_t i = 0; i < count; i++)
    LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
  for (time_t end = time(NULL) + atoi(argv[1]); count && time(NULL) < end;
       runs++) {
    const seed *from = &seeds[below(count)];
    size_t size = from->size;
    memcpy(data, from->data, size);
    for (size_t changes = 1 + below(6); changes > 0; changes--)
      size = mutate(data, size, &seeds[below(count)]);
    LLVMFuzzerTestOneInput(data, size);
  }
  printf("%lu runs\n", runs);
  for (size_t i = 0; i < count; i++) {
    free(seeds[i].data);
    free(seeds[i].path);
  }
  return 0;
}
