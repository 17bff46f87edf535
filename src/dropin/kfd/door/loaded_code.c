/* SPDX-License-Identifier: MIT */
/*
 * A node of the list may be freed while it is read, and a name may be anything:
 * all of it is read through the kernel, which fails where memory is not there.
 */
#include "config.h"

#include "dropin/kfd/door/loaded_code.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "common/array.h"
#include "common/fnv.h"

enum { URI = 4096, NODES = 1 << 16, BYTES_MAX = 1 << 30 };

typedef struct loaded {
  uint64_t bias;
  uint64_t uri;  /* a hash of it: another object may come to the same place */
  uint64_t base; /* as the checker knows it; of one that it cannot read, 0 */
  const struct link_map *node;
  bool is_there;
} loaded;

/* The process's, as the list is. */
static struct {
  const struct r_debug *list; /* NULL: no loader of AMD's is there */
  bool has_new;               /* nodes that are not known */
  loaded *all;
  size_t count, capacity;
} known;

/* ---- memory of the process ---- */

/* How many bytes could be read. */
static size_t memory_read(uint64_t from, void *to, size_t size)
{
  const struct iovec here = {to, size};
  const struct iovec there = {(void *)(uintptr_t)from, size};
  const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  return got > 0 ? (size_t)got : 0;
}

/* A text may end just before memory that is not there. */
static bool text_read(const char *from, char to[URI])
{
  enum { PAGE = 4096 };
  const uint64_t at = (uintptr_t)from;
  const size_t first = PAGE - at % PAGE < URI ? PAGE - at % PAGE : URI;
  size_t size = memory_read(at, to, first);
  if (size == first && !memchr(to, 0, size) && first < URI)
    size += memory_read(at + first, to + first, URI - first);
  return memchr(to, 0, size) != NULL;
}

/* ---- where a code object lies ---- */

static bool number_find(const char *query, const char *key, uint64_t *out)
{
  const char *at = strstr(query, key);
  char *end;
  if (!at)
    return false;
  *out = strtoull(at + strlen(key), &end, 0);
  return end > at + strlen(key);
}

static unsigned hex_digit(char c)
{
  return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a') + 10;
}

/* "%41" is "A"; in place. */
static void path_decode(char *path)
{
  char *to = path;
  for (const char *from = path; *from; from++) {
    if (*from == '%' && strspn(from + 1, "0123456789abcdefABCDEF") >= 2) {
      *to++ = (char)(hex_digit(from[1]) << 4 | hex_digit(from[2]));
      from += 2;
    } else {
      *to++ = *from;
    }
  }
  *to = 0;
}

/* *bytes: 0 is the rest of the file. */
static void *file_read(const char *path, uint64_t offset, uint64_t *bytes)
{
  struct stat state;
  void *made = NULL;
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd >= 0 && *bytes == 0 && fstat(fd, &state) == 0 &&
      (uint64_t)state.st_size > offset)
    *bytes = (uint64_t)state.st_size - offset;
  if (fd >= 0 && *bytes > 0 && *bytes <= BYTES_MAX)
    made = malloc(*bytes);
  if (made && pread(fd, made, *bytes, (off_t)offset) != (ssize_t)*bytes) {
    free(made);
    made = NULL;
  }
  if (fd >= 0)
    close(fd);
  return made;
}

/* The bytes of "file://PATH", all or with "#offset=N&size=N" a part, or of
 * "memory://PID#offset=N&size=N", the caller's to free; NULL: they are not
 * there. */
static void *bytes_read(char uri[URI], uint64_t *bytes)
{
  static const char in_file[] = "file://", in_memory[] = "memory://";
  uint64_t offset = 0;
  char *query = strpbrk(uri, "#?");
  *bytes = 0;
  if (query && (!number_find(query, "offset=", &offset) ||
                !number_find(query, "size=", bytes)))
    return NULL;
  if (query)
    *query = 0;
  if (strncmp(uri, in_file, strlen(in_file)) == 0) {
    path_decode(uri + strlen(in_file));
    return file_read(uri + strlen(in_file), offset, bytes);
  }
  if (strncmp(uri, in_memory, strlen(in_memory)) != 0 || *bytes == 0 ||
      *bytes > BYTES_MAX)
    return NULL;
  void *made = malloc(*bytes);
  if (made && memory_read(offset, made, *bytes) == *bytes)
    return made;
  free(made);
  return NULL;
}

/* ---- the list ---- */

static uint64_t code_note(aq_check *check, char uri[URI], uint64_t bias)
{
  uint64_t size;
  aq_codeobj code;
  aq_diag why = AQ_DIAG_INIT;
  uint64_t base = 0;
  void *bytes = bytes_read(uri, &size);
  if (bytes && aq_codeobj_read(bytes, size, &code, &why) == AQ_OK) {
    base = bias + code.low;
    aq_check_code(check, base, code.high - code.low, bias, &code, bytes, size);
    aq_codeobj_fini(&code);
  } else {
    if (!bytes)
      aq_diag_set(&why, AQ_ERR_INPUT, "the bytes of %.300s are not there", uri);
    aq_check_code_unread(check, &why);
  }
  free(bytes);
  return base;
}

static loaded *known_find(const loaded *wanted)
{
  for (size_t i = 0; i < known.count; i++)
    if (known.all[i].node == wanted->node &&
        known.all[i].bias == wanted->bias && known.all[i].uri == wanted->uri)
      return &known.all[i];
  return NULL;
}

/* Marks a node that is known, or with `adds` reports one that is not. */
static void node_note(aq_check *check, const struct link_map *node,
                      const struct link_map *map, bool adds)
{
  char uri[URI];
  loaded made = {.bias = map->l_addr, .node = node, .is_there = true};
  const bool is_named = text_read(map->l_name, uri);
  if (is_named)
    made.uri = aq_fnv_add(AQ_FNV_START, uri, strlen(uri));
  loaded *found = known_find(&made);
  if (found) {
    found->is_there = true;
    return;
  }
  known.has_new = !adds;
  if (!adds)
    return;
  if (is_named)
    made.base = code_note(check, uri, made.bias);
  /* Without memory for it nothing is reported twice: the list is given up. */
  if (!AQ_ARRAY_PUSH(known.all, known.count, known.capacity, made))
    known.list = NULL;
}

/* False: the list changed meanwhile. */
static bool nodes_note(aq_check *check, const struct link_map *first, bool adds)
{
  /* Only the public head of a node exists: AMD's is no larger. */
  const size_t head = offsetof(struct link_map, l_prev);
  struct link_map map;
  const struct link_map *node = first;
  for (unsigned nodes = 0; node && nodes < NODES; nodes++) {
    if (memory_read((uintptr_t)node, &map, head) < head)
      return false;
    node_note(check, node, &map, adds);
    node = map.l_next;
  }
  return true;
}

static void gone_note(aq_check *check)
{
  for (size_t i = 0; i < known.count; i++)
    if (!known.all[i].is_there) {
      if (known.all[i].base)
        aq_check_code_gone(check, known.all[i].base);
      known.all[i--] = known.all[--known.count];
    }
}

static int runtime_find(struct dl_phdr_info *info, size_t size, void *user)
{
  (void)size;
  const char *name = info->dlpi_name;
  if (!name || !strstr(name, "libhsa-runtime64.so") || strlen(name) >= URI)
    return 0;
  memcpy(user, name, strlen(name) + 1);
  return 1;
}

void aqkfd_loaded_code_open(aq_check *check)
{
  static const char list[] = "_amdgpu_r_debug";
  char path[URI];
  void *library = NULL;
  known.list = (const struct r_debug *)dlsym(RTLD_DEFAULT, list);
  /* Its users may have kept it to themselves. */
  if (!known.list && dl_iterate_phdr(runtime_find, path))
    library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (library) {
    known.list = (const struct r_debug *)dlsym(library, list);
    dlclose(library);
  }
  if (!known.list) {
    aq_diag why = AQ_DIAG_INIT;
    aq_diag_set(&why, AQ_ERR_NOT_FOUND, "the runtime has no %s", list);
    aq_check_code_unread(check, &why);
  }
}

void aqkfd_loaded_code_note(aq_check *check)
{
  struct r_debug now;
  bool is_all = true;
  if (!known.list ||
      memory_read((uintptr_t)known.list, &now, sizeof now) < sizeof now ||
      now.r_state != RT_CONSISTENT)
    return;
  for (size_t i = 0; i < known.count; i++)
    known.all[i].is_there = false;
  /* Code that is gone leaves first: other code may have come to its place. */
  known.has_new = false;
  if (!nodes_note(check, now.r_map, false))
    return;
  gone_note(check);
  if (known.has_new && !nodes_note(check, now.r_map, true))
    return;
  for (size_t i = 0; i < known.count; i++)
    is_all &= known.all[i].base != 0;
  aq_check_code_is_all(check, is_all);
}
