/* SPDX-License-Identifier: MIT */
/* Instructions of the host, written by x86.c and read by objdump: each is
 * the intended instruction, with low and high registers. */
#include "gpu/wave/jit/x86.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

enum { CASES = 4096, ROOM = 1 << 16, TEXT = 96 };

static uint8_t bytes[ROOM];
static aq_x86 x;
static struct {
  uint32_t at;
  char text[TEXT];
} cases[CASES];
static unsigned count;

static const char *const wide[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp",
                                   "rsi", "rdi", "r8",  "r9",  "r10", "r11",
                                   "r12", "r13", "r14", "r15"};
static const char *const narrow[] = {
    "eax", "ecx", "edx",  "ebx",  "esp",  "ebp",  "esi",  "edi",
    "r8d", "r9d", "r10d", "r11d", "r12d", "r13d", "r14d", "r15d"};

/* The instruction that was written since `at`. */
static void expect(uint32_t at, const char *fmt, ...) AQ_PRINTF(2, 3);

static void expect(uint32_t at, const char *fmt, ...)
{
  va_list args;
  ck_assert_uint_lt(count, CASES);
  cases[count].at = at;
  va_start(args, fmt);
  vsnprintf(cases[count++].text, TEXT, fmt, args);
  va_end(args);
}

static const char *name(int reg, bool is_wide)
{
  return is_wide ? wide[reg] : narrow[reg];
}

/* ---- instructions ---- */

static void general_write(int a, int b, bool is_wide)
{
  uint32_t at = x.size;
  const char *na = name(a, is_wide), *nb = name(b, is_wide);
  static const struct {
    unsigned op;
    const char *text;
  } plain[] = {{0x89, "mov"}, {0x01, "add"}, {0x29, "sub"}, {0x21, "and"},
               {0x31, "xor"}, {0x39, "cmp"}, {0x85, "test"}};
  for (size_t i = 0; i < sizeof plain / sizeof *plain; i++, at = x.size) {
    aq_x86_registers(&x, plain[i].op, a, b, is_wide);
    expect(at, "%s %s,%s", plain[i].text, nb, na);
  }
  aq_x86_registers(&x, 0x0f42, a, b, is_wide);
  expect(at, "cmovb %s,%s", na, nb);
  at = x.size;
  aq_x86_registers(&x, 0x0fbc, a, b, is_wide);
  expect(at, "bsf %s,%s", na, nb);
  at = x.size;
  aq_x86_memory(&x, 0x8b, a, is_wide, b, 0x1234);
  expect(at, "mov %s,%cWORD PTR [%s+0x1234]", na, is_wide ? 'Q' : 'D', wide[b]);
  at = x.size;
  aq_x86_number(&x, 5, a, is_wide, 0x1234);
  expect(at, "sub %s,0x1234", na);
  at = x.size;
  aq_x86_shift(&x, 4, a, is_wide, 7);
  expect(at, "shl %s,0x7", na);
  at = x.size;
  aq_x86_shift(&x, 1, a, is_wide, 8);
  expect(at, "ror %s,0x8", na);
  at = x.size;
  aq_x86_address(&x, a, b, -8);
  expect(at, "lea %s,[%s-0x8]", wide[a], wide[b]);
  at = x.size;
  if (is_wide) {
    aq_x86_load_wide(&x, a, UINT64_C(0x123456789abcdef0));
    expect(at, "movabs %s,0x123456789abcdef0", na);
  } else {
    aq_x86_load_number(&x, a, 0x89abcdef);
    expect(at, "mov %s,0x89abcdef", na);
  }
}

static void sets_write(void)
{
  static const char *const conditions[] = {"o",  "no", "b",  "ae", "e", "ne",
                                           "be", "a",  "s",  "ns", "p", "np",
                                           "l",  "ge", "le", "g"};
  static const char *const low[] = {"al", "cl", "dl"};
  for (int c = 0; c < 16; c++)
    for (int r = 0; r < 3; r++) {
      const uint32_t at = x.size;
      aq_x86_set(&x, c, r);
      expect(at, "set%s %s", conditions[c], low[r]);
      expect(at + 3, "movzx %s,%s", narrow[r], low[r]);
    }
}

/* Three registers, then each kind of operand. */
static void vectors_write(int d, int a, int b)
{
  const struct {
    aq_x86_operand operand;
    const char *text;
  } places[] = {
      {{AQ_X86_ROW, 0x1100}, "[rbx+r14*1+0x1100]"},
      {{AQ_X86_FRAME, 0x40}, "[rsp+0x40]"},
      {{AQ_X86_FRAME_ROW, 0x40}, "[rsp+r14*1+0x40]"},
      {{AQ_X86_WAVE, 0x80}, "[rbx+0x80]"},
      {aq_x86_at(AQ_RDX, 0x60), "[rdx+0x60]"},
      {aq_x86_at(AQ_R8, -0x20), "[r8-0x20]"},
      {aq_x86_sum(AQ_RSP, AQ_R8, 0x20), "[rsp+r8*1+0x20]"},
      {aq_x86_sum(AQ_R9, AQ_RAX, -0x20), "[r9+rax*1-0x20]"},
  };
  uint32_t at = x.size;
  aq_x86_vex(&x, 1, 1, false, 0xfe, d, a, aq_x86_ymm(b), false);
  expect(at, "vpaddd ymm%d,ymm%d,ymm%d", d, a, b);
  at = x.size;
  aq_x86_vex(&x, 2, 1, true, 0xb8, d, a, aq_x86_ymm(b), false);
  expect(at, "vfmadd231pd ymm%d,ymm%d,ymm%d", d, a, b);
  at = x.size;
  aq_x86_vex(&x, 3, 1, false, 0x4a, d, a, aq_x86_ymm(b), true);
  aq_x86_byte(&x, (unsigned)b << 4);
  expect(at, "vblendvps ymm%d,ymm%d,ymm%d,ymm%d", d, a, b, b);
  at = x.size;
  aq_x86_vex128(&x, 1, 1, false, 0x6e, d, 0, aq_x86_ymm(a));
  expect(at, "vmovd xmm%d,%s", d, narrow[a]);
  for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
    at = x.size;
    aq_x86_vex(&x, 1, 2, false, 0x7f, d, 0, places[i].operand, false);
    expect(at, "vmovdqu YMMWORD PTR %s,ymm%d", places[i].text, d);
  }
  if (d == a || a == b || d == b)
    return;
  static const int bases[] = {AQ_RAX, AQ_RDX, AQ_RSP};
  for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
    at = x.size;
    aq_x86_gather(&x, false, d, bases[i], a, 0x1c, b);
    expect(at, "vpgatherdd ymm%d,DWORD PTR [%s+ymm%d*1+0x1c],ymm%d", d,
           wide[bases[i]], a, b);
    at = x.size;
    aq_x86_gather(&x, true, d, bases[i], a, 0x1c, b);
    expect(at, "vpgatherdq ymm%d,QWORD PTR [%s+xmm%d*1+0x1c],ymm%d", d,
           wide[bases[i]], a, b);
  }
}

static void code_write(void)
{
  static const int all[] = {AQ_RAX, AQ_RCX, AQ_RBX, AQ_RSP, AQ_RBP,
                            AQ_R8,  AQ_R12, AQ_R13, AQ_R15},
                   vectors[] = {0, 3, 7, 8, 12, 15};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
      for (int is_wide = 0; is_wide < 2; is_wide++)
        general_write(all[i], all[k], is_wide);
  sets_write();
  for (size_t i = 0; i < 6; i++)
    for (size_t k = 0; k < 6; k++)
      vectors_write(vectors[i], vectors[k], vectors[(i + 2 * k) % 6]);
  const uint32_t at = x.size;
  aq_x86_land(&x, aq_x86_jump_if(&x, AQ_X86_NE), at);
  expect(at, "jne 0x%x", at);
}

/* ---- reading ---- */

/* One space for several, and none at the end. */
static void squeeze(char *text)
{
  char *to = text;
  for (const char *from = text; *from && *from != '\n' && *from != '#'; from++)
    if (!(*from == ' ' && (to == text || to[-1] == ' ')))
      *to++ = *from;
  while (to > text && to[-1] == ' ')
    to--;
  *to = '\0';
}

START_TEST(each_instruction_is_what_was_meant)
{
  char line[256], command[600];
  unsigned next = 0;
  if (system("command -v objdump > /dev/null") != 0) { /* NOLINT: fixed */
    aqtest_skip("no objdump here");
    return;
  }
  x = (aq_x86){.bytes = bytes, .room = sizeof bytes};
  code_write();
  ck_assert(!x.full);
  snprintf(command, sizeof command,
           "objdump -D -b binary -m i386:x86-64 -M intel --no-show-raw-insn %s",
           aqtest_write("code.bin", bytes, x.size));
  FILE *in = popen(command, "r"); /* NOLINT: a fixed command, a file of ours */
  ck_assert_ptr_nonnull(in);
  while (fgets(line, sizeof line, in)) {
    char *end;
    const unsigned long at = strtoul(line, &end, 16);
    if (end == line || *end != ':')
      continue;
    char *text = end + 1 + strspn(end + 1, "\t ");
    squeeze(text);
    ck_assert_uint_lt(next, count);
    ck_assert_msg(at == cases[next].at && strcmp(text, cases[next].text) == 0,
                  "at %lx: %s; meant was, at %x: %s", at, text, cases[next].at,
                  cases[next].text);
    next++;
  }
  pclose(in);
  ck_assert_uint_eq(next, count);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/jit/x86", each_instruction_is_what_was_meant)
