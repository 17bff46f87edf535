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
#include <sys/uio.h>
#include <unistd.h>

#include "common/array.h"

enum { URI = 4096, NODES = 1 << 16, BYTES_MAX = 1 << 30 };

typedef struct loaded {
  uint64_t bias;
  uint64_t base; /* as the checker knows it; of one that it cannot read, 0 */
  const struct link_map *node;
  bool is_there;
} loaded;

/* The process's, as the list is. */
static struct {
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

static size_t file_read(const char *path, uint64_t offset, void *to,
                        size_t size)
{
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  const ssize_t got = fd < 0 ? -1 : pread(fd, to, size, (off_t)offset);
  if (fd >= 0)
    close(fd);
  return got > 0 ? (size_t)got : 0;
}

/* The bytes of "file://PATH#offset=N&size=N" or "memory://PID#offset=N&size=N",
 * the caller's to free; NULL: they are not there. A file without a query is
 * refused: it has to say its size. */
static void *bytes_read(char uri[URI], size_t *size)
{
  static const char in_file[] = "file://", in_memory[] = "memory://";
  uint64_t offset, bytes;
  char *query = strpbrk(uri, "#?");
  if (!query || !number_find(query, "offset=", &offset) ||
      !number_find(query, "size=", &bytes) || bytes == 0 || bytes > BYTES_MAX)
    return NULL;
  *query = 0;
  void *made = malloc(bytes);
  size_t got = 0;
  if (made && strncmp(uri, in_memory, strlen(in_memory)) == 0) {
    got = memory_read(offset, made, bytes);
  } else if (made && strncmp(uri, in_file, strlen(in_file)) == 0) {
    path_decode(uri + strlen(in_file));
    got = file_read(uri + strlen(in_file), offset, made, bytes);
  }
  if (got == bytes) {
    *size = bytes;
    return made;
  }
  free(made);
  return NULL;
}

/* ---- the list ---- */

static uint64_t code_tell(aq_check *check, char uri[URI], uint64_t bias)
{
  size_t size;
  aq_codeobj code;
  aq_diag why = AQ_DIAG_INIT;
  uint64_t base = 0;
  void *bytes = bytes_read(uri, &size);
  if (bytes && aq_codeobj_read(bytes, size, &code, &why) == AQ_OK) {
    base = bias + code.low;
    aq_check_code(check, base, code.high - code.low, bias, &code, bytes, size);
    aq_codeobj_fini(&code);
  }
  free(bytes);
  return base;
}

static loaded *known_find(const struct link_map *node, uint64_t bias)
{
  for (size_t i = 0; i < known.count; i++)
    if (known.all[i].node == node && known.all[i].bias == bias)
      return &known.all[i];
  return NULL;
}

static void node_note(aq_check *check, const struct link_map *node,
                      const struct link_map *map)
{
  char uri[URI];
  loaded *found = known_find(node, map->l_addr);
  if (found) {
    found->is_there = true;
    return;
  }
  loaded made = {.bias = map->l_addr, .node = node, .is_there = true};
  if (text_read(map->l_name, uri))
    made.base = code_tell(check, uri, made.bias);
  (void)AQ_ARRAY_PUSH(known.all, known.count, known.capacity, made);
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

void aqkfd_loaded_code_note(aq_check *check)
{
  const struct r_debug *list = dlsym(RTLD_DEFAULT, "_amdgpu_r_debug");
  struct r_debug now;
  /* Only the public head of a node exists: AMD's is no larger. */
  struct link_map map;
  const size_t head = offsetof(struct link_map, l_prev);
  unsigned nodes = 0;
  if (!list || memory_read((uintptr_t)list, &now, sizeof now) < sizeof now ||
      now.r_state != RT_CONSISTENT)
    return;
  for (size_t i = 0; i < known.count; i++)
    known.all[i].is_there = false;
  const struct link_map *node = now.r_map;
  for (; node && nodes < NODES; node = map.l_next, nodes++) {
    if (memory_read((uintptr_t)node, &map, head) < head)
      return;
    node_note(check, node, &map);
  }
  gone_note(check);
  bool is_all = true;
  for (size_t i = 0; i < known.count; i++)
    is_all &= known.all[i].base != 0;
  aq_check_code_is_all(check, is_all);
}
