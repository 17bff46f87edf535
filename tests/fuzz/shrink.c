/* SPDX-License-Identifier: MIT */
/*
 * Mutated traces of one format: an import never crashes, and never gives fewer
 * rows than the seed without an error or a counted repair. shrink FORMAT FOLDER
 * COUNT [SKIP]
 *
 * Mutations follow from their number alone. A third cuts the trace, a third
 * spoils a number, a third changes any bytes: of those only crashes count,
 * since they may well say something else. SKIP of them are left out, to find
 * one again.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#include "fuzz/fuzz_import.h"
#include "trace/db/tracedb.h"

enum { SEEDS_MAX = 64, SPOIL_TRIES = 64 };

typedef struct outcome {
  bool good;
  size_t rows;
  uint64_t repairs[AQ_REPAIR_COUNT];
} outcome;

typedef struct seed {
  uint8_t *data;
  size_t size;
  outcome whole;
} seed;

typedef enum mutation { CUT, SPOIL, SCRAMBLE, MUTATIONS } mutation;

static const char *const words[] = {"cut", "spoilt", "scrambled"};

static uint64_t state;

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

static outcome import(const char *format, const uint8_t *data, size_t size)
{
  aq_memory_sink sink;
  aq_trace_result result;
  aq_diag diag = AQ_DIAG_INIT;
  aq_trace_options options = {.format = format, .modules = aq_tracedb_modules};
  aq_memory_sink_init(&sink);
  outcome out = {aq_trace_import_bytes("shrink", data, size, &options,
                                       &sink.sink, &result, &diag) == AQ_OK,
                 sink.count,
                 {0}};
  if (out.good) {
    fuzz_check_rows(&sink, &result);
    for (int i = 0; i < AQ_REPAIR_COUNT; i++)
      out.repairs[i] = result.repairs[i];
  }
  aq_memory_sink_fini(&sink);
  return out;
}

static void seed_read(const char *path, const char *format, seed *s)
{
  struct stat info;
  FILE *file = fopen(path, "rb");
  if (!file || fstat(fileno(file), &info) != 0) {
    perror(path);
    exit(2);
  }
  s->data = malloc((size_t)info.st_size + 1);
  s->size = s->data ? fread(s->data, 1, (size_t)info.st_size, file) : 0;
  fclose(file);
  s->whole = import(format, s->data, s->size);
}

static int name_compare(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t seeds_read(const char *folder, const char *format, seed *seeds)
{
  char *names[SEEDS_MAX];
  size_t count = 0;
  DIR *dir = opendir(folder);
  if (!dir) {
    perror(folder);
    exit(2);
  }
  for (struct dirent *entry; (entry = readdir(dir)) && count < SEEDS_MAX;)
    if (entry->d_name[0] != '.')
      names[count++] = strdup(entry->d_name);
  closedir(dir);
  qsort(names, count, sizeof *names, name_compare);
  for (size_t i = 0; i < count; i++) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    seed_read(path, format, &seeds[i]);
    free(names[i]);
  }
  return count;
}

/* Of line formats a cut between records cannot be seen, and JSON is whole
 * before the white space at its end. */
static bool cut_shows(const uint8_t *data, size_t size, size_t at)
{
  if (memchr(data, 0, size)) /* a database */
    return at > 0;
  while (size > 0 && isspace(data[size - 1]))
    size--;
  return at > 0 && at < size && data[at - 1] != '\n' && data[at] != '\n' &&
         data[at] != '\r';
}

/* A number that is a value: between separators, not part of a name. */
static bool number_at(const uint8_t *data, size_t size, size_t at,
                      size_t *length)
{
  *length = 0;
  while (at + *length < size &&
         (isdigit(data[at + *length]) || data[at + *length] == '.'))
    ++*length;
  return *length > 0 && at > 0 && at + *length < size &&
         strchr(":,[ \n", data[at - 1]) &&
         strchr(",]} \r\n", data[at + *length]);
}

static char place[160]; /* of the last spoilt number, for the report */

static size_t spoil(uint8_t *data, size_t size)
{
  place[0] = '\0';
  static const char *const by[] = {"NaN",  "-1",    "9223372036854775808",
                                   "\"\"", "1e400", "-0.0",
                                   "null", "0x10"};
  for (int i = 0; i < SPOIL_TRIES; i++) {
    size_t at = below(size), length;
    while (at > 0 && isdigit(data[at]) && isdigit(data[at - 1]))
      at--;
    if (!number_at(data, size, at, &length))
      continue;
    const char *word = by[below(sizeof by / sizeof *by)];
    const size_t wide = strlen(word);
    snprintf(place, sizeof place, " at byte %zu (%.40s), %s", at, data + at,
             word);
    memmove(data + at + wide, data + at + length, size - at - length);
    memcpy(data + at, word, wide);
    return size - length + wide;
  }
  return size;
}

static size_t scramble(uint8_t *data, size_t size)
{
  for (size_t changes = 1 + below(6); changes > 0 && size > 0; changes--) {
    const size_t at = below(size), length = below(32);
    if (next_random() & 1)
      data[at] ^= (uint8_t)(1 << below(8));
    else if (at + length < size)
      memmove(data + at, data + below(size - length), length);
  }
  return size;
}

static bool repairs_more(const outcome *got, const outcome *whole)
{
  for (int i = 0; i < AQ_REPAIR_COUNT; i++)
    if (got->repairs[i] > whole->repairs[i])
      return true;
  return false;
}

/* False when rows went without a word. */
static bool mutant_is_told(const char *format, const seed *s, mutation how)
{
  uint8_t *data = calloc(1, s->size + 64);
  size_t size = s->size;
  memcpy(data, s->data, size);
  bool judged = s->whole.good;
  if (how == CUT) {
    const size_t at = below(size);
    judged &= cut_shows(data, size, at);
    size = at;
  } else if (how == SPOIL) {
    size = spoil(data, size);
  } else {
    size = scramble(data, size);
    judged = false;
  }
  const outcome got = import(format, data, size);
  free(data);
  return !judged || !got.good || got.rows >= s->whole.rows ||
         repairs_more(&got, &s->whole);
}

int main(int argc, char **argv)
{
  static seed seeds[SEEDS_MAX];
  if (argc < 4)
    return 2;
  const size_t count = seeds_read(argv[2], argv[1], seeds);
  const long mutants = atol(argv[3]), skipped = argc > 4 ? atol(argv[4]) : 0;
  size_t judged = 0;
  int failed = 0;
  for (size_t i = 0; i < count; i++)
    judged += seeds[i].whole.good && seeds[i].whole.rows > 0;
  if (judged == 0) {
    fprintf(stderr, "shrink: no seed in %s is a whole %s\n", argv[2], argv[1]);
    return 2;
  }
  for (long i = skipped; i < mutants && count > 0; i++) {
    state = (uint64_t)i * UINT64_C(0x2545f4914f6cdd1d) + 1;
    const seed *s = &seeds[below(count)];
    const mutation how = (mutation)(i % MUTATIONS);
    if (mutant_is_told(argv[1], s, how))
      continue;
    fprintf(stderr, "shrink: %s: mutant %ld, %s%s, lost rows without a word\n",
            argv[1], i, words[how], how == SPOIL ? place : "");
    failed = 1;
  }
  for (size_t i = 0; i < count; i++)
    free(seeds[i].data);
  printf("%ld mutants of %zu seeds\n", mutants - skipped, count);
  return failed;
}
