/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/native_segment.h"

#include <stddef.h>

void aq_wave_prelude_write(FILE *out, bool wave32)
{
  fprintf(out,
          "#include <stdbool.h>\n#include <stdint.h>\n#include <string.h>\n"
          "enum { LANES = %d };\n"
          "#define S_AT %zu\n#define V_AT %zu\n#define SCC_AT %zu\n"
          "#define MODE_AT %zu\n#define OP %zu\n#define ROW %d\n"
          "#define GRID (*(char **)(w + %zu))\n"
          "#define AT (*(const char **)(w + %zu))\n"
          "#define LDS (*(uint8_t **)(*(char **)(w + %zu) + %zu))\n"
          "#define LDS_SIZE (*(uint32_t *)(GRID + %zu))\n"
          "#define RANGE_AT %zu\n#define RANGES_AT %zu\n#define RANGES %d\n",
          wave32 ? 32 : 64, offsetof(aq_wave, s), offsetof(aq_wave, v),
          offsetof(aq_wave, scc), offsetof(aq_wave, mode), sizeof(aq_wave_op),
          AQ_WAVE_LANES, offsetof(aq_wave, grid), offsetof(aq_wave, at),
          offsetof(aq_wave, group), offsetof(aq_wave_group, lds),
          offsetof(aq_wave_grid, lds_size), offsetof(aq_wave_grid, range),
          offsetof(aq_wave_grid, ranges), AQ_WAVE_RANGES);
  fputs("#define SCC (*(uint32_t *)(w + SCC_AT))\n"
        "#define MODE (*(uint32_t *)(w + MODE_AT))\n"
        "#define EXEC (*(pair *)(w + S_AT + 4 * 126))\n"
        "#define VCC (*(pair *)(w + S_AT + 4 * 106))\n"
        "#define SPLIT ((MODE ^ MODE >> 2) & 0x33)\n"
        "#define ALIGNED __attribute__((aligned(64)))\n"
        "#define LIKELY(x) __builtin_expect(x, 1)\n"
        "#define UNLIKELY(x) __builtin_expect(x, 0)\n"
        "#define HIDE(x) __asm__(\"\" : \"+r\"(x))\n"
        "#define SIGNS uint32_t sign32 = 0x80000000u; HIDE(sign32); uint64_t "
        "sign64 = (uint64_t)1 << 63; HIDE(sign64);\n"
        "#define R(i) v[i][l]\n"
        "#define P(i, k) (v[i][l] | (uint64_t)v[k][l] << 32)\n"
        "#define EACH(j) for (int j = 0; j < 16; j++)\n"
        "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"
        "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
        "#define MED3(a, b, c) MAX(MIN(a, b), MIN(MAX(a, b), c))\n"
        "#define NAN2D(r) (r)\n#define NAN3D(r) (r)\n#define IEEE ieee\n"
        "#define UBYTE(n) lane_bits32((float)(a >> (8 * n) & 0xff))\n"
        "#define KEEP (void)0\n#define NONZERO scc = r != 0\n"
        "typedef uint64_t __attribute__((may_alias)) pair;\n"
        "typedef uint32_t __attribute__((vector_size(64), may_alias)) row16;\n"
        "typedef const char *handler(char *w, const char *o);\n"
        "typedef struct outcome { const char *next; int64_t left; } outcome;\n",
        out);
  fputs(aq_wave_text_functions, out);
  fputs(
      "static inline void keep(uint32_t *d, const uint32_t *t) {\n"
      "  *(row16 *)d = *(const row16 *)t;\n}\n"
      "static inline void mix(uint32_t *d, const uint32_t *t, uint32_t on) {\n"
      "  EACH(j) { const uint32_t m = 0u - (on >> j & 1);\n"
      "    d[j] = (t[j] & m) | (d[j] & ~m); }\n}\n"
      "static inline uint32_t bits(const uint32_t *b) {\n"
      "#if defined(__AVX512F__) && !defined(__clang__)\n"
      "  typedef int v16 __attribute__((vector_size(64)));\n"
      "  const v16 x = (v16)*(const row16 *)b;\n"
      "  return (uint32_t)(uint16_t)__builtin_ia32_ptestmd512(x, x, "
      "(short)-1);\n"
      "#else\n"
      "  uint32_t r = 0; EACH(j) r |= b[j] & 1u << j; return r;\n"
      "#endif\n}\n"
      "static __attribute__((noinline, cold)) unsigned slow(char *w, const "
      "char *ops, const uint16_t *list, unsigned count, uint64_t some) {\n"
      "  const uint64_t all = EXEC; EXEC = some; unsigned k = 0;\n"
      "  for (; k < count; k++) {\n"
      "    const char *o = ops + OP * list[k];\n"
      "    if (!(*(handler **)o)(w, o)) break; }\n"
      "  EXEC = all; return k;\n}\n"
      "#define RUN(i) (*(handler **)(ops + OP * (i)))(w, ops + OP * (i))\n"
      "#define OUT(to, n) return (outcome){to, n}\n"
      "#define CALL(i, next, rest) do { const char *to = RUN(i); \\\n"
      "  if (UNLIKELY(to != ops + OP * (next))) OUT(to, n + (rest)); } while "
      "(0)\n",
      out);
  fputs(aq_wave_load_functions, out);
}
