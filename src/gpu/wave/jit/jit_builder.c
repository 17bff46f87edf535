/* SPDX-License-Identifier: MIT */
/*
 * The builder: C text in, a loaded function out. A text is in one of three
 * places: in `libraries`, by text and level; in a file of the cache; nowhere,
 * and then it is compiled, if that is asked for.
 *
 * `libraries` is searched in order, sizes first. It grows by one for a unit
 * that a million instructions, or with `always` a kernel's begin, made worth
 * it, and for which the loader maps a file: some 100 us and more, against which
 * the search of a thousand sizes is nothing. Nothing is removed: compiled code
 * may run until the machine ends, so the builder ends after it. A library keeps
 * its text and its mapping, but no descriptor.
 *
 * Failure. The first one ends all building (`broken`), in one line: loaded
 * libraries stay, all else is interpreted. A cache file counts only if it is
 * whole, this user's, and made of the same text (library_cache.c); else it is
 * built again.
 */
#include "config.h"

#include "gpu/wave/jit/jit_builder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/wall_clock.h"
#include "gpu/compile/subprocess.h"
#include "gpu/compile/temp_dir.h"
#include "gpu/wave/jit/library_cache.h"

enum { LIBRARY_PATH = 192 };

/* A loaded library. */
typedef struct library {
  char *text;
  size_t size;
  unsigned level;
  void *handle;
  aq_jit_function *run;
} library;

struct aq_jit_builder {
  aq_jit_mode mode;
  void (*print)(const char *line, void *user);
  void *user;     /* of it */
  char *compiler; /* NULL: not looked for */
  char *version;  /* its own words */
  library *libraries;
  size_t count, capacity;
  aq_jit_built built;
  bool broken;
};

aq_status aq_jit_mode_read(const char *text, aq_jit_mode *out, aq_diag *diag)
{
  static const char *const names[] = {"off", "auto", "always", "cc",
                                      "cc-always"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], text) == 0) {
      *out = (aq_jit_mode)i;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "\"%s\"; expected off, auto, always, cc or cc-always",
                     text);
}

/* ---- the compiler ---- */

static void refusal_print(void *user, const char *why)
{
  const aq_jit_builder *b = user;
  char line[AQ_DIAG_TEXT_MAX + 80];
  snprintf(line, sizeof line, "hot code is interpreted, not compiled: %s", why);
  if (b->print)
    b->print(line, b->user);
}

static aq_status broken(aq_jit_builder *b, aq_diag *diag)
{
  b->broken = true;
  refusal_print(b, diag->text);
  return AQ_ERR_UNSUPPORTED;
}

char *aq_jit_compiler(void)
{
  const char *own = secure_getenv("AQUEDUCT_CC");
  const char *all = getenv("PATH");
  char *list = strdup(all ? all : "/usr/bin"), *rest = list, *folder;
  if (own && strchr(own, '/')) {
    free(list);
    return strdup(own);
  }
  char *found = NULL;
  while (list && !found && (folder = strsep(&rest, ":"))) {
    char *path = aq_folder_path(folder, own && *own ? own : "cc");
    if (path && *folder == '/' && access(path, X_OK) == 0)
      found = path;
    else
      free(path);
  }
  free(list);
  return found;
}

/* The words of `cc -v` go into the key of each library. */
static aq_status compiler_find(aq_jit_builder *b, aq_diag *diag)
{
  aq_child child = {.count = 0};
  char *folder = NULL;
  size_t size;
  if (b->version)
    return AQ_OK;
  b->compiler = aq_jit_compiler();
  if (!b->compiler)
    return aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                       "no compiler cc in PATH, see AQUEDUCT_CC");
  aq_status status = aq_folder_make(&folder, diag);
  char *path = status == AQ_OK ? aq_folder_path(folder, "version") : NULL;
  aq_child_add(&child, b->compiler);
  aq_child_add(&child, "-v");
  if (status == AQ_OK && !path)
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = aq_child_run(&child, path, diag);
  if (status == AQ_OK)
    status = aq_file_read(path, &b->version, &size, diag);
  free(path);
  aq_folder_remove(folder);
  return status;
}

static void flags_add(aq_child *child, unsigned level)
{
  static const char *const plain[] = {
      /* As vector.inc's levels; constants are not computed with: MODE may
       * round otherwise, flush, or quiet a NaN. */
      "-O2",
      "-ftree-loop-vectorize",
      "-fvect-cost-model=dynamic",
      "-fno-trapping-math",
      "-ffp-contract=off",
      "-fsignaling-nans",
      "-fno-math-errno",
      "-fno-strict-aliasing",
      "-fno-tree-loop-distribute-patterns",
      "-w",
      "-fPIC",
      "-shared",
      "-fvisibility=hidden"};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
    aq_child_add(child, plain[i]);
#if defined(__x86_64__)
  static const char *const levels[] = {"-march=x86-64", "-march=x86-64-v3",
                                       "-march=x86-64-v4"};
  aq_child_add(child, levels[level]);
  if (level == 2)
    aq_child_add(child, "-mprefer-vector-width=512");
#else
  (void)level;
#endif
}

static aq_cache_key key_of(const aq_jit_builder *b, const char *text,
                           size_t size, unsigned level)
{
  aq_cache_key key = aq_cache_key_begin();
  aq_child flags = {.count = 0};
  flags_add(&flags, level);
  for (int i = 0; i < flags.count; i++)
    aq_cache_key_add(&key, flags.args[i], strlen(flags.args[i]));
  aq_cache_key_add(&key, PACKAGE_VERSION, strlen(PACKAGE_VERSION));
  aq_cache_key_add(&key, b->version, strlen(b->version));
  aq_cache_key_add_file(&key, b->compiler);
  aq_cache_key_add(&key, text, size);
  return key;
}

static aq_status compile(aq_jit_builder *b, const char *text, size_t size,
                         unsigned level, char **out, size_t *out_size,
                         aq_diag *diag)
{
  aq_child child = {.count = 0};
  char *folder = NULL;
  aq_status status = aq_folder_make(&folder, diag);
  if (status != AQ_OK)
    return status;
  char *source = aq_folder_path(folder, "unit.c"),
       *built = aq_folder_path(folder, "unit.so");
  aq_child_add(&child, b->compiler);
  flags_add(&child, level);
  aq_child_add(&child, "-o");
  aq_child_add(&child, built);
  aq_child_add(&child, source);
  aq_child_add(&child, "-lm");
  status = source && built ? aq_file_write(source, text, size, diag)
                           : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = aq_child_run(&child, NULL, diag);
  if (status == AQ_OK)
    status = aq_file_read(built, out, out_size, diag);
  free(source);
  free(built);
  aq_folder_remove(folder);
  return status;
}

/* ---- libraries ---- */

/* A way to an open file that no other loaded library has: the loader
 * distinguishes them by their paths, and descriptors have the numbers of closed
 * ones. Each bit of the file's number is a step that leads nowhere, or none. */
static void path_make(int fd, char path[LIBRARY_PATH])
{
  struct stat info = {0};
  fstat(fd, &info);
  size_t at = (size_t)snprintf(path, LIBRARY_PATH, "/proc/self/fd/");
  for (uint64_t bits = info.st_ino; bits; bits >>= 1)
    at += (size_t)snprintf(path + at, LIBRARY_PATH - at, "%s",
                           bits & 1 ? "./" : "/");
  snprintf(path + at, LIBRARY_PATH - at, "%d", fd);
}

static aq_status library_load(const char *bytes, size_t size, library *out,
                              aq_diag *diag)
{
  char path[LIBRARY_PATH] = "";
  const int fd = memfd_create("aqueduct-native", MFD_CLOEXEC);
  size_t done = 0;
  while (fd >= 0 && done < size) {
    const ssize_t n = write(fd, bytes + done, size - done);
    if (n <= 0)
      break;
    done += (size_t)n;
  }
  if (done == size)
    path_make(fd, path);
  void *handle = *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  void *run = handle ? dlsym(handle, "aq_unit") : NULL;
  if (fd >= 0)
    close(fd);
  if (run) {
    out->handle = handle;
    memcpy(&out->run, &run, sizeof run);
    return AQ_OK;
  }
  const char *why = dlerror();
  aq_diag_set(diag, AQ_ERR_IO, "%s", why ? why : "no memory for a library");
  if (handle)
    dlclose(handle);
  return AQ_ERR_IO;
}

static library *library_find(const aq_jit_builder *b, const char *text,
                             size_t size, unsigned level)
{
  for (size_t i = 0; i < b->count; i++)
    if (b->libraries[i].size == size && b->libraries[i].level == level &&
        memcmp(b->libraries[i].text, text, size) == 0)
      return &b->libraries[i];
  return NULL;
}

/* The bytes of the library, from the cache or the compiler; *bytes NULL: it is
 * not built, and shall not be. */
static aq_status bytes_get(aq_jit_builder *b, const char *text, size_t size,
                           unsigned level, bool build, char **bytes,
                           size_t *bytes_size, aq_diag *diag)
{
  aq_status status = compiler_find(b, diag);
  if (status != AQ_OK)
    return status;
  const aq_cache_key key = key_of(b, text, size, level);
  char *folder = aq_cache_private("native");
  char *path = folder ? aq_cache_file(folder, &key, ".native") : NULL;
  *bytes = path ? aq_jit_cache_read(path, text, size, bytes_size) : NULL;
  if (*bytes) {
    b->built.loaded++;
  } else if (build) {
    const int64_t begin = aq_wall_ns();
    status = compile(b, text, size, level, bytes, bytes_size, diag);
    b->built.build_ns += aq_wall_ns() - begin;
    b->built.built += status == AQ_OK;
    if (status == AQ_OK && path) {
      aq_jit_cache_write(path, text, size, *bytes, *bytes_size);
      aq_jit_cache_limit(folder, AQ_JIT_CACHE_MOST);
    }
  }
  free(path);
  free(folder);
  return status;
}

static bool unit_build(void *user, const char *text, size_t size,
                       unsigned level, bool build, aq_jit_function **out)
{
  aq_jit_builder *b = user;
  aq_diag diag = AQ_DIAG_INIT;
  const library *found = library_find(b, text, size, level);
  char *bytes = NULL;
  size_t bytes_size = 0;
  *out = found ? found->run : NULL;
  if (found)
    return true;
  if (b->broken)
    return false;
  library made = {.size = size, .level = level};
  aq_status status =
      bytes_get(b, text, size, level, build, &bytes, &bytes_size, &diag);
  if (status == AQ_OK && bytes) {
    status = library_load(bytes, bytes_size, &made, &diag);
    b->built.bytes += status == AQ_OK ? bytes_size : 0;
  }
  free(bytes);
  if (status != AQ_OK)
    return broken(b, &diag) == AQ_OK;
  if (!made.run)
    return true;
  made.text = malloc(size);
  if (!made.text || !AQ_ARRAY_PUSH(b->libraries, b->count, b->capacity, made)) {
    free(made.text);
    dlclose(made.handle);
    return true;
  }
  memcpy(made.text, text, size);
  *out = made.run;
  /* cppcheck-suppress memleak; the array has the text */
  return true;
}

/* ---- life ---- */

aq_status aq_jit_builder_create(aq_jit_mode mode,
                                void (*print)(const char *line, void *user),
                                void *user, aq_jit_builder **out, aq_diag *diag)
{
  *out = NULL;
  if (mode == AQ_JIT_OFF)
    return AQ_OK;
  *out = calloc(1, sizeof **out);
  if (!*out)
    return aq_diag_no_memory(diag);
  (*out)->mode = mode;
  (*out)->print = print;
  (*out)->user = user;
  return AQ_OK;
}

void aq_jit_builder_options(aq_jit_builder *builder, aq_jit_options *out)
{
  const bool compiler = builder->mode >= AQ_JIT_CC;
  *out = (aq_jit_options){.always = builder->mode == AQ_JIT_ALWAYS ||
                                    builder->mode == AQ_JIT_CC_ALWAYS,
                          .build = compiler ? unit_build : NULL,
                          .tell = refusal_print,
                          .user = builder};
}

aq_status aq_jit_builder_use(aq_jit_builder *builder, aq_wave_machine *machine,
                             aq_diag *diag)
{
  if (!builder)
    return AQ_OK;
  aq_jit_options options;
  aq_jit_builder_options(builder, &options);
  return aq_wave_machine_compile(machine, &options, diag);
}

void aq_jit_builder_put(const aq_jit_builder *builder, aq_jit_built *out)
{
  *out = builder ? builder->built : (aq_jit_built){0};
}

void aq_jit_builder_destroy(aq_jit_builder *builder)
{
  if (!builder)
    return;
  for (size_t i = 0; i < builder->count; i++) {
    dlclose(builder->libraries[i].handle);
    free(builder->libraries[i].text);
  }
  free(builder->libraries);
  free(builder->compiler);
  free(builder->version);
  free(builder);
}
