/* SPDX-License-Identifier: MIT */
/* DWARF 5, section 6.2; earlier versions in their own documents. */
#include "config.h"

#include "gpu/codeobj/lines.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "gpu/codeobj/dwarf.h"
#include "gpu/codeobj/elf.h"

enum { FILES_MAX = 65536, FORMATS_MAX = 16 };

/* The content types and forms that compilers use in the headers. */
enum { CONTENT_PATH = 1, CONTENT_DIRECTORY = 2 };
enum {
  FORM_BLOCK2 = 0x03,
  FORM_BLOCK4 = 0x04,
  FORM_DATA2 = 0x05,
  FORM_DATA4 = 0x06,
  FORM_DATA8 = 0x07,
  FORM_STRING = 0x08,
  FORM_BLOCK = 0x09,
  FORM_BLOCK1 = 0x0a,
  FORM_DATA1 = 0x0b,
  FORM_STRP = 0x0e,
  FORM_UDATA = 0x0f,
  FORM_DATA16 = 0x1e,
  FORM_LINE_STRP = 0x1f,
};

typedef struct part {
  const unsigned char *bytes;
  size_t size;
} part;

/* One table while it is read. */
typedef struct unit {
  aq_dwarf d;             /* of the program, after the header */
  part texts, line_texts; /* .debug_str, .debug_line_str */
  unsigned version, address_size, offset_size;
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

static const char *text_of(aq_dwarf *d, const part *texts, uint64_t offset)
{
  if (offset >= texts->size ||
      !memchr(texts->bytes + offset, 0, texts->size - offset)) {
    d->bad = true;
    return "";
  }
  return (const char *)texts->bytes + offset;
}

typedef struct value {
  const char *text;
  uint64_t number;
} value;

/* False: a form that is not read. */
static bool form_read(const unit *u, aq_dwarf *d, uint64_t form, value *out)
{
  *out = (value){"", 0};
  switch (form) {
  case FORM_STRING:
    out->text = aq_dwarf_text(d);
    return true;
  case FORM_LINE_STRP:
    out->text = text_of(d, &u->line_texts, aq_dwarf_number(d, u->offset_size));
    return true;
  case FORM_STRP:
    out->text = text_of(d, &u->texts, aq_dwarf_number(d, u->offset_size));
    return true;
  case FORM_UDATA:
    out->number = aq_dwarf_unsigned(d);
    return true;
  case FORM_DATA1:
  case FORM_DATA2:
  case FORM_DATA4:
  case FORM_DATA8:
    out->number = aq_dwarf_number(d, form == FORM_DATA1   ? 1
                                     : form == FORM_DATA2 ? 2
                                     : form == FORM_DATA4 ? 4
                                                          : 8);
    return true;
  case FORM_DATA16:
    aq_dwarf_skip(d, 16);
    return true;
  case FORM_BLOCK:
    aq_dwarf_skip(d, aq_dwarf_unsigned(d));
    return true;
  case FORM_BLOCK1:
  case FORM_BLOCK2:
  case FORM_BLOCK4:
    aq_dwarf_skip(d, aq_dwarf_number(d, form == FORM_BLOCK1   ? 1
                                        : form == FORM_BLOCK2 ? 2
                                                              : 4));
    return true;
  default:
    return false;
  }
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
      value v;
      if (!form_read(u, d, formats[i][1], &v))
        return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                           "the line table has form 0x%llx, which is not read",
                           (unsigned long long)formats[i][1]);
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
  u->version = (unsigned)aq_dwarf_number(d, 2);
  if (!d->bad && (u->version < 2 || u->version > 5))
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "the line table has version %u, 2 to 5 are read",
                       u->version);
  if (u->version >= 5) {
    u->address_size = (unsigned)aq_dwarf_number(d, 1);
    aq_dwarf_number(d, 1); /* of segment selectors */
  }
  const uint64_t length = aq_dwarf_number(d, u->offset_size);
  aq_dwarf header = *d;
  aq_dwarf_skip(d, length);
  if (d->bad)
    return damaged(diag);
  header.end = d->at;
  u->least = (uint8_t)aq_dwarf_number(&header, 1);
  u->operations = 1;
  if (u->version >= 4)
    u->operations = (uint8_t)aq_dwarf_number(&header, 1);
  u->is_statement = aq_dwarf_number(&header, 1) != 0;
  u->line_base = (int8_t)aq_dwarf_number(&header, 1);
  u->line_range = (uint8_t)aq_dwarf_number(&header, 1);
  u->opcode_base = (uint8_t)aq_dwarf_number(&header, 1);
  if (header.bad || u->opcode_base == 0 || u->line_range == 0 ||
      u->operations != 1)
    return damaged(diag);
  u->lengths = aq_dwarf_skip(&header, u->opcode_base - 1u);
  aq_status status = u->version >= 5 ? names_read(u, &header, true, diag)
                                     : names_read_old(u, &header, diag);
  if (status == AQ_OK && u->version >= 5)
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
    s->address += aq_dwarf_unsigned(d) * u->least;
    return true;
  case ADVANCE_LINE:
    s->line += (uint64_t)aq_dwarf_signed(d);
    return true;
  case SET_FILE:
    s->file = aq_dwarf_unsigned(d);
    return true;
  case CONST_ADD_PC:
    s->address += (uint64_t)((255 - u->opcode_base) / u->line_range) * u->least;
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

static aq_status program_run(unit *u, aq_diag *diag)
{
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
      s.address += (uint64_t)(step / u->line_range) * u->least;
      s.line += (uint64_t)(int64_t)(u->line_base + (int)(step % u->line_range));
      kept = row_put(u, &s, false);
    }
  }
  return !kept ? aq_diag_no_memory(diag) : u->d.bad ? damaged(diag) : AQ_OK;
}

/* ---- the section ---- */

/* Empty: there is none. */
static aq_status section_read(const aq_elf *elf, const char *name, part *out,
                              aq_diag *diag)
{
  Elf64_Shdr header;
  *out = (part){elf->bytes, 0}; /* not NULL: NULL + 0 is undefined */
  if (!aq_elf_section_find(elf, name, &header) || header.sh_type == SHT_NOBITS)
    return AQ_OK;
  if (header.sh_flags & SHF_COMPRESSED)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "section %s is compressed, which is not read", name);
  if (!aq_elf_has(elf, header.sh_offset, header.sh_size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "section %s lies outside of the file", name);
  *out = (part){elf->bytes + header.sh_offset, header.sh_size};
  return AQ_OK;
}

static aq_status unit_read(aq_dwarf *d, unit *u, aq_diag *diag)
{
  uint64_t length = aq_dwarf_number(d, 4);
  u->offset_size = 4;
  if (length == UINT32_MAX) {
    u->offset_size = 8;
    length = aq_dwarf_number(d, 8);
  }
  u->d.at = d->at;
  if (!aq_dwarf_skip(d, length))
    return damaged(diag);
  u->d.end = d->at;
  aq_status status = header_read(u, diag);
  if (status == AQ_OK)
    status = program_run(u, diag);
  free(u->folders);
  free(u->files);
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
  part table, texts, line_texts;
  aq_elf elf;
  if (!aq_elf_open(bytes, size, &elf))
    return aq_diag_set(diag, AQ_ERR_INPUT, "no ELF file");
  aq_status status = section_read(&elf, ".debug_line", &table, diag);
  if (status == AQ_OK)
    status = section_read(&elf, ".debug_str", &texts, diag);
  if (status == AQ_OK)
    status = section_read(&elf, ".debug_line_str", &line_texts, diag);
  if (status != AQ_OK)
    return status;
  aq_dwarf d = {table.bytes, table.bytes + table.size, false};
  while (status == AQ_OK && aq_dwarf_left(&d) > 0) {
    unit u = {
        .texts = texts, .line_texts = line_texts, .out = &lines, .code = code};
    status = unit_read(&d, &u, diag);
  }
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
