/* SPDX-License-Identifier: MIT */
/* DWARF 5, section 6.2; earlier versions in their own documents. */
#include "config.h"

#include "gpu/codeobj/line_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "gpu/codeobj/dwarf_form.h"
#include "gpu/codeobj/inlined.h"

enum { FILES_MAX = 65536, FORMATS_MAX = 16 };

/* The content types that compilers use in the headers. */
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };

/* One table while it is read. */
typedef struct unit {
  aq_dwarf d; /* of the program, after the header */
  aq_dwarf_unit of;
  uint8_t least, operations, line_range, opcode_base;
  bool is_statement;
  int8_t line_base;
  const unsigned char *lengths; /* of the standard opcodes */
  const char **folders;
  size_t folder_count, folder_capacity;
  uint32_t *files; /* ids in `out->files` */
  size_t file_count, file_capacity;
  aq_code_lines *out;
  const aq_codeobj *code;
} unit;

static aq_status damaged(aq_diag *diag)
{
  return aq_diag_set(diag, AQ_ERR_INPUT, "the line table is damaged");
}

/* ---- files ---- */

static bool file_name(const unit *u, uint64_t folder, const char *name,
                      char **out)
{
  const char *in = folder < u->folder_count ? u->folders[folder] : "";
  const char *base = u->folder_count ? u->folders[0] : "";
  int size;
  if (*name == '/' || !*in)
    size = asprintf(out, "%s", name);
  else if (*in == '/' || !*base || in == base)
    size = asprintf(out, "%s/%s", in, name);
  else
    size = asprintf(out, "%s/%s/%s", base, in, name);
  return size >= 0;
}

/* Appends the file to the table's; its path is in `out` once. */
static aq_status file_add(unit *u, uint64_t folder, const char *name,
                          aq_diag *diag)
{
  char *path;
  if (u->file_count >= FILES_MAX)
    return damaged(diag);
  if (!file_name(u, folder, name, &path))
    return aq_diag_no_memory(diag);
  const int64_t id = aq_names_id(&u->out->files, path, strlen(path));
  free(path);
  return id >= 0 && id < UINT32_MAX &&
                 AQ_ARRAY_PUSH(u->files, u->file_count, u->file_capacity,
                               (uint32_t)id)
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

static aq_status folder_add(unit *u, const char *name, aq_diag *diag)
{
  if (u->folder_count >= FILES_MAX)
    return damaged(diag);
  return AQ_ARRAY_PUSH(u->folders, u->folder_count, u->folder_capacity, name)
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

/* Folders and files of versions 2 to 4: folder 0 and file 0 are of the
 * compilation unit, whose table is not read. */
static aq_status names_read_old(unit *u, aq_dwarf *d, aq_diag *diag)
{
  aq_status status = folder_add(u, "", diag);
  const char *name;
  while (status == AQ_OK && *(name = aq_dwarf_text(d)))
    status = folder_add(u, name, diag);
  if (status == AQ_OK)
    status = file_add(u, 0, "", diag);
  while (status == AQ_OK && *(name = aq_dwarf_text(d))) {
    const uint64_t folder = aq_dwarf_unsigned(d);
    aq_dwarf_unsigned(d); /* time */
    aq_dwarf_unsigned(d); /* length */
    status = file_add(u, folder, name, diag);
  }
  return status;
}

/* A table of version 5: its formats, then its entries. */
static aq_status names_read(unit *u, aq_dwarf *d, bool folders, aq_diag *diag)
{
  uint64_t formats[FORMATS_MAX][2];
  const uint64_t format_count = aq_dwarf_number(d, 1);
  if (format_count > FORMATS_MAX)
    return damaged(diag);
  for (uint64_t i = 0; i < format_count; i++) {
    formats[i][0] = aq_dwarf_unsigned(d);
    formats[i][1] = aq_dwarf_unsigned(d);
  }
  const uint64_t count = aq_dwarf_unsigned(d);
  aq_status status = AQ_OK;
  for (uint64_t n = 0; n < count && status == AQ_OK; n++) {
    const char *path = "";
    uint64_t folder = 0;
    for (uint64_t i = 0; i < format_count; i++) {
      aq_dwarf_value v;
      if (!aq_dwarf_value_read(&u->of, d, NULL, formats[i][1], &v))
        return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                           "the line table has form 0x%llx, which is not read",
                           (unsigned long long)formats[i][1]);
      d->bad |= !v.text;
      if (formats[i][0] == CONTENT_PATH)
        path = v.text;
      else if (formats[i][0] == CONTENT_DIRECTORY)
        folder = v.number;
    }
    if (d->bad)
      return damaged(diag);
    status =
        folders ? folder_add(u, path, diag) : file_add(u, folder, path, diag);
  }
  return status;
}

/* ---- the header ---- */

static aq_status header_read(unit *u, aq_diag *diag)
{
  aq_dwarf *d = &u->d;
  u->of.version = (unsigned)aq_dwarf_number(d, 2);
  if (!d->bad && (u->of.version < 2 || u->of.version > 5))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "the line table has version %u, 2 to 5 are read",
                       u->of.version);
  if (u->of.version >= 5) {
    u->of.address_size = (unsigned)aq_dwarf_number(d, 1);
    aq_dwarf_number(d, 1); /* of segment selectors */
  }
  const uint64_t length = aq_dwarf_number(d, u->of.offset_size);
  aq_dwarf header = *d;
  aq_dwarf_skip(d, length);
  if (d->bad)
    return damaged(diag);
  header.end = d->at;
  u->least = (uint8_t)aq_dwarf_number(&header, 1);
  u->operations = 1;
  if (u->of.version >= 4)
    u->operations = (uint8_t)aq_dwarf_number(&header, 1);
  u->is_statement = aq_dwarf_number(&header, 1) != 0;
  u->line_base = (int8_t)aq_dwarf_number(&header, 1);
  u->line_range = (uint8_t)aq_dwarf_number(&header, 1);
  u->opcode_base = (uint8_t)aq_dwarf_number(&header, 1);
  if (header.bad || u->opcode_base == 0 || u->line_range == 0 ||
      u->operations != 1)
    return damaged(diag);
  u->lengths = aq_dwarf_skip(&header, u->opcode_base - 1u);
  aq_status status = u->of.version >= 5 ? names_read(u, &header, true, diag)
                                        : names_read_old(u, &header, diag);
  if (status == AQ_OK && u->of.version >= 5)
    status = names_read(u, &header, false, diag);
  return status == AQ_OK && header.bad ? damaged(diag) : status;
}

/* ---- the program ---- */

typedef struct state {
  uint64_t address;
  uint64_t file, line;
  bool begun;        /* the sequence has a row */
  aq_code_line last; /* that row */
} state;

static state state_begin(void)
{
  return (state){.file = 1, .line = 1};
}

static bool is_code(const aq_codeobj *code, uint64_t address)
{
  if (!code)
    return address != 0;
  for (size_t i = 0; i < code->segment_count; i++) {
    const aq_code_segment *s = &code->segments[i];
    if (s->executable && address - s->address < s->memory_size)
      return true;
  }
  return false;
}

/* The row before ends where the next begins. Code that was removed begins at 0,
 * where no code is. */
static bool row_put(unit *u, state *s, bool ends)
{
  aq_code_lines *out = u->out;
  if (s->begun && s->address > s->last.address &&
      is_code(u->code, s->last.address)) {
    s->last.end = s->address;
    if (!AQ_ARRAY_PUSH(out->list, out->count, out->capacity, s->last))
      return false;
  }
  s->begun = !ends;
  s->last = (aq_code_line){
      .address = s->address,
      .file = s->file < u->file_count ? u->files[s->file] : UINT32_MAX,
      .line = s->file < u->file_count && s->line <= UINT32_MAX
                  ? (uint32_t)s->line
                  : 0};
  return true;
}

/* Instructions of the machine; addresses have no place beyond the last one. */
static void address_advance(unit *u, state *s, uint64_t count)
{
  uint64_t bytes;
  u->d.bad |= __builtin_mul_overflow(count, (uint64_t)u->least, &bytes) ||
              __builtin_add_overflow(s->address, bytes, &s->address);
}

/* False: out of memory. */
static bool extended_run(unit *u, state *s)
{
  enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };
  aq_dwarf *d = &u->d;
  const uint64_t length = aq_dwarf_unsigned(d);
  aq_dwarf body = *d;
  if (!aq_dwarf_skip(d, length) || length == 0)
    return true;
  body.end = d->at;
  switch (aq_dwarf_number(&body, 1)) {
  case END_SEQUENCE:
    if (!row_put(u, s, true))
      return false;
    *s = state_begin();
    break;
  case SET_ADDRESS:
    s->address =
        aq_dwarf_number(&body, length - 1 <= 8 ? (unsigned)length - 1 : 8);
    break;
  default: /* discriminators, and unknown opcodes */
    break;
  }
  return true;
}

static bool standard_run(unit *u, state *s, unsigned opcode)
{
  enum {
    COPY = 1,
    ADVANCE_PC,
    ADVANCE_LINE,
    SET_FILE,
    CONST_ADD_PC = 8,
    FIXED_ADVANCE_PC
  };
  aq_dwarf *d = &u->d;
  switch (opcode) {
  case COPY:
    return row_put(u, s, false);
  case ADVANCE_PC:
    address_advance(u, s, aq_dwarf_unsigned(d));
    return true;
  case ADVANCE_LINE:
    s->line += (uint64_t)aq_dwarf_signed(d);
    return true;
  case SET_FILE:
    s->file = aq_dwarf_unsigned(d);
    return true;
  case CONST_ADD_PC:
    address_advance(u, s, (255u - u->opcode_base) / u->line_range);
    return true;
  case FIXED_ADVANCE_PC:
    s->address += aq_dwarf_number(d, 2);
    return true;
  default: /* of as many arguments as the header says */
    for (unsigned i = 0; i < u->lengths[opcode - 1]; i++)
      aq_dwarf_unsigned(d);
    return true;
  }
}

/* ---- the section ---- */

/* The files go to `files`. */
static aq_status unit_read(aq_dwarf *d, unit *u, aq_code_file_table *files,
                           aq_diag *diag)
{
  u->of.offset_size = aq_dwarf_unit_begin(d, &u->d);
  if (u->of.offset_size == 0)
    return damaged(diag);
  aq_status status = header_read(u, diag);
  if (status == AQ_OK) {
    state s = state_begin();
    bool kept = true;
    while (kept && !u->d.bad && aq_dwarf_left(&u->d) > 0) {
      const unsigned opcode = (unsigned)aq_dwarf_number(&u->d, 1);
      if (opcode == 0) {
        kept = extended_run(u, &s);
      } else if (opcode < u->opcode_base) {
        kept = standard_run(u, &s, opcode);
      } else {
        const unsigned step = opcode - u->opcode_base;
        address_advance(u, &s, step / u->line_range);
        s.line +=
            (uint64_t)(int64_t)(u->line_base + (int)(step % u->line_range));
        kept = row_put(u, &s, false);
      }
    }
    status = !kept ? aq_diag_no_memory(diag) : u->d.bad ? damaged(diag) : AQ_OK;
  }
  free(u->folders);
  files->files = u->files;
  files->count = u->file_count;
  return status;
}

/* All tables, and the calls that were inlined. */
static aq_status units_read(const aq_elf *elf, const aq_dwarf_part *table,
                            const aq_dwarf_unit *of, const aq_codeobj *code,
                            aq_code_lines *out, aq_diag *diag)
{
  aq_dwarf d = aq_dwarf_at(table, 0, 0, 0);
  aq_code_file_table *files = NULL;
  size_t file_count = 0, file_capacity = 0;
  aq_status status = AQ_OK;
  while (status == AQ_OK && aq_dwarf_left(&d) > 0) {
    unit u = {.of = *of, .out = out, .code = code};
    aq_code_file_table made = {.offset = (uint64_t)(d.at - table->bytes)};
    status = unit_read(&d, &u, &made, diag);
    if (!AQ_ARRAY_PUSH(files, file_count, file_capacity, made)) {
      free(made.files);
      status = aq_diag_no_memory(diag);
    }
  }
  if (status == AQ_OK)
    status = aq_code_inlined_read(elf, of, files, file_count, out, diag);
  for (size_t i = 0; i < file_count; i++)
    free(files[i].files);
  free(files);
  return status;
}

static int by_address(const void *a, const void *b)
{
  const aq_code_line *x = a, *y = b;
  return (x->address > y->address) - (x->address < y->address);
}

bool aq_code_lines_are(const void *bytes, size_t size)
{
  Elf64_Shdr header;
  aq_elf elf;
  return aq_elf_open(bytes, size, &elf) &&
         aq_elf_section_find(&elf, ".debug_line", &header);
}

aq_status aq_code_lines_read(const void *bytes, size_t size,
                             const aq_codeobj *code, aq_code_lines *out,
                             aq_diag *diag)
{
  aq_code_lines lines = {.files = AQ_NAMES_INIT};
  aq_dwarf_unit of = {.version = 0};
  aq_dwarf_part table = {.size = 0};
  aq_elf elf;
  if (!aq_elf_open(bytes, size, &elf))
    return aq_diag_set(diag, AQ_ERR_INPUT, "no ELF file");
  aq_status status = aq_dwarf_section(&elf, ".debug_line", &table, diag);
  if (status == AQ_OK)
    status = aq_dwarf_section(&elf, ".debug_str", &of.texts, diag);
  if (status == AQ_OK)
    status = aq_dwarf_section(&elf, ".debug_line_str", &of.line_texts, diag);
  if (status == AQ_OK)
    status = units_read(&elf, &table, &of, code, &lines, diag);
  aq_dwarf_part_fini(&table);
  aq_dwarf_part_fini(&of.texts);
  aq_dwarf_part_fini(&of.line_texts);
  if (status != AQ_OK) {
    aq_code_lines_fini(&lines);
    return status;
  }
  if (lines.count > 0)
    qsort(lines.list, lines.count, sizeof *lines.list, by_address);
  *out = lines;
  return AQ_OK;
}

void aq_code_lines_fini(aq_code_lines *lines)
{
  aq_names_fini(&lines->files);
  free(lines->list);
  free(lines->inlined);
  *lines = (aq_code_lines){.files = AQ_NAMES_INIT};
}

const aq_code_line *aq_code_lines_find(const aq_code_lines *lines,
                                       uint64_t address)
{
  size_t first = 0, end = lines->count;
  while (first < end) {
    const size_t middle = (first + end) / 2;
    if (lines->list[middle].address <= address)
      first = middle + 1;
    else
      end = middle;
  }
  const aq_code_line *found = first > 0 ? &lines->list[first - 1] : NULL;
  return found && address < found->end ? found : NULL;
}

/* ---- the author's line ---- */

static bool is_system(const char *file)
{
  static const char *const folders[] = {"/usr/include/", "/usr/lib/",
                                        "/usr/bin/", "/usr/local/include/",
                                        "/opt/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (strncmp(file, folders[i], strlen(folders[i])) == 0)
      return true;
  return strstr(file, "/lib/clang/") != NULL;
}

/* The innermost call around an address above a depth; NULL: none. */
static const aq_code_inlined *call_around(const aq_code_lines *lines,
                                          uint64_t address, uint32_t below)
{
  const aq_code_inlined *best = NULL;
  for (size_t i = 0; i < lines->inlined_count; i++) {
    const aq_code_inlined *c = &lines->inlined[i];
    if (c->address <= address && address < c->end && c->depth < below &&
        (!best || c->depth > best->depth))
      best = c;
  }
  return best;
}

const char *aq_code_lines_user(const aq_code_lines *lines, uint64_t address,
                               uint32_t *line)
{
  const aq_code_line *own = aq_code_lines_find(lines, address);
  if (!own || own->line == 0)
    return NULL;
  const char *file = aq_names_text(&lines->files, own->file);
  const char *at = file;
  *line = own->line;
  for (uint32_t depth = UINT32_MAX; at && is_system(at);) {
    const aq_code_inlined *call = call_around(lines, address, depth);
    if (!call)
      return file;
    depth = call->depth;
    at = aq_names_text(&lines->files, call->file);
    if (at && !is_system(at) && call->line > 0) {
      *line = call->line;
      return at;
    }
  }
  return file;
}
