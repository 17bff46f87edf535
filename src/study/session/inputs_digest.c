/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/inputs_digest.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "study/workload/scenario.h"

aq_digest aq_digest_begin(void)
{
  return (aq_digest)UINT64_C(0x6c62272e07bb0142) << 64 |
         UINT64_C(0x62b821756295c58d);
}

aq_digest aq_digest_bytes(aq_digest hash, const void *bytes, size_t size)
{
  const aq_digest prime = (aq_digest)1 << 88 | 0x13b;
  const unsigned char *at = bytes;
  for (size_t i = 0; i < size; i++)
    hash = (hash ^ at[i]) * prime;
  return hash;
}

aq_digest aq_digest_text(aq_digest hash, const char *text)
{
  return text ? aq_digest_bytes(hash, text, strlen(text) + 1)
              : aq_digest_bytes(hash, "\1", 2);
}

static aq_digest digest_list(aq_digest hash, const char *const *list)
{
  for (size_t i = 0; list && list[i]; i++)
    hash = aq_digest_text(hash, list[i]);
  return aq_digest_bytes(hash, "\2", 2);
}

static aq_status digest_file(aq_digest *hash, const char *path, aq_diag *diag)
{
  char bytes[16384];
  FILE *file = fopen(path, "rb");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
    *hash = aq_digest_bytes(*hash, bytes, size);
  const bool failed = ferror(file);
  fclose(file);
  return failed ? aq_diag_set(diag, AQ_ERR_INPUT, "%s: cannot be read", path)
                : AQ_OK;
}

aq_digest aq_digest_names(aq_digest hash, const char *text)
{
  if (!text)
    return aq_digest_text(hash, text);
  while (*text) {
    const size_t length = strcspn(text, ",");
    size_t begin = length;
    while (begin > 0 && text[begin - 1] != '/')
      begin--;
    hash = aq_digest_bytes(hash, text + begin, length - begin);
    hash = aq_digest_bytes(hash, ",", 1);
    text += length + (text[length] != 0);
  }
  return aq_digest_bytes(hash, "", 1);
}

aq_status aq_digest_policy(const char *policy, aq_digest *out, aq_diag *diag)
{
  *out = aq_digest_names(aq_digest_begin(), policy);
  const char *comma = policy ? strchr(policy, ',') : NULL;
  if (!policy || !strchr(policy, '/'))
    return AQ_OK;
  char *path =
      comma ? strndup(policy, (size_t)(comma - policy)) : strdup(policy);
  if (!path)
    return aq_diag_no_memory(diag);
  aq_status status = digest_file(out, path, diag);
  free(path);
  return status;
}

typedef struct named {
  aq_digest hash;
  aq_status status;
  aq_diag *diag;
} named;

static void named_add(const char *path, void *user)
{
  named *n = user;
  if (n->status == AQ_OK)
    n->status = digest_file(&n->hash, path, n->diag);
}

aq_status aq_digest_workload(const char *path, const char *const *parameters,
                             const char *data, aq_digest *out, aq_diag *diag)
{
  named n = {.diag = diag};
  n.hash = digest_list(aq_digest_begin(), parameters);
  aq_status status = digest_file(&n.hash, path, diag);
  if (status == AQ_OK)
    status = aq_scenario_files(path, parameters, data, named_add, &n, diag);
  *out = n.hash;
  return status == AQ_OK ? n.status : status;
}

static uint64_t half(aq_digest hash)
{
  return (uint64_t)(hash >> 64);
}

aq_status aq_inputs_text(const char *path, const char *const *parameters,
                         const char *data, const char *policy,
                         char out[static AQ_INPUTS_SIZE], aq_diag *diag)
{
  aq_digest workload, code;
  struct stat file;
  out[0] = 0;
  /* A pipe is read once. */
  if (stat(path, &file) == 0 && !S_ISREG(file.st_mode))
    return AQ_OK;
  aq_status status =
      aq_digest_workload(path, parameters, data, &workload, diag);
  if (status != AQ_OK)
    return status;
  const int used = snprintf(out, AQ_INPUTS_SIZE, "%016" PRIx64, half(workload));
  if (!policy || !strchr(policy, '/'))
    return AQ_OK;
  status = aq_digest_policy(policy, &code, diag);
  if (status == AQ_OK)
    snprintf(out + used, AQ_INPUTS_SIZE - (size_t)used, "-%016" PRIx64,
             half(code));
  return status;
}
