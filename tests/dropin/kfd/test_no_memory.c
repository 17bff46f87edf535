/* SPDX-License-Identifier: MIT */
/* The driver of processes whose host runs out of memory. */
#include <sys/mman.h>

#include "dropin/kfd/client.h"
#include "queue/shortage.h"

enum { PAGE = 4096, PAGES = 8, MIDDLE = 3 };

typedef struct svm_call {
  aqkfd_svm_args head;
  aqkfd_svm_attribute list[1];
} svm_call;

static int range_set(client *c, const char *at, uint64_t size)
{
  svm_call args = {{(uintptr_t)at, size, AQKFD_SVM_SET, 1},
                   {{AQKFD_SVM_ACCESS, 2}}};
  return CALL(c, 0x20, &args);
}

static bool is_reached(client *c, const char *at)
{
  svm_call args = {{(uintptr_t)at, PAGE, AQKFD_SVM_GET, 1},
                   {{AQKFD_SVM_ACCESS, 2}}};
  ck_assert_int_eq(CALL(c, 0x20, &args), 0);
  return args.list[0].type == AQKFD_SVM_ACCESS;
}

/* Whichever allocation fails; the ones of the ranges themselves have spares. */
START_TEST(a_page_that_is_unmapped_is_reached_no_more)
{
  client c;
  bool failed = true;
  unsigned kept = 0;
  client_open(&c, "mi210", NULL);
  for (long n = 0; failed; n++) {
    char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_int_eq(range_set(&c, at, PAGES * PAGE), 0);
    ck_assert(is_reached(&c, at + MIDDLE * PAGE));
    shortage_begin(n, -1);
    aqkfd_unmapping(c.process, (uintptr_t)at + MIDDLE * PAGE, PAGE);
    failed = shortage_over();
    shortage_end();
    ck_assert(!is_reached(&c, at + MIDDLE * PAGE));
    kept += failed && is_reached(&c, at) && is_reached(&c, at + 7 * PAGE);
    ck_assert(failed || (is_reached(&c, at) && is_reached(&c, at + 7 * PAGE)));
    aqkfd_unmapping(c.process, (uintptr_t)at, PAGES * PAGE);
    munmap(at, PAGES * PAGE);
  }
  ck_assert_uint_ge(kept, 2);
  client_close(&c);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/no_memory", a_page_that_is_unmapped_is_reached_no_more)
