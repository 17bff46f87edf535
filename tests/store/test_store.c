/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "store/store_test.h"

/* Stands before the C library's, so that a test can choose the type of the file
 * system. */
static long pretended_type;
int statfs(const char *path, struct statfs *info)
{
  int result = (int)syscall(SYS_statfs, path, info);
  if (result == 0 && pretended_type)
    info->f_type = pretended_type;
  return result;
}

/* Opening must fail and leave the file, and its folder, as they were. */
static void refused(const char *bytes, size_t size, const char *words)
{
  char *folder = fresh_path("refused"), *path;
  ck_assert_int_eq(mkdir(folder, 0777), 0);
  path = path_of("%s/runs.db", folder);
  FILE *file = fopen(path, "wb");
  ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
  fclose(file);
  store_open_fails(path, AQ_STORE_READ, AQ_ERR_INPUT, words);
  store_open_fails(path, AQ_STORE_WRITE, AQ_ERR_INPUT, words);
  size_t size_after;
  char *after = file_bytes(path, &size_after);
  ck_assert_uint_eq(size_after, size);
  ck_assert_mem_eq(after, bytes, size);
  /* Nothing was made beside it. */
  ck_assert_int_eq(unlink(path), 0);
  ck_assert_int_eq(rmdir(folder), 0);
  free(after);
}

static void refused_database(const char *path, const char *words)
{
  size_t size;
  char *bytes = file_bytes(path, &size);
  refused(bytes, size, words);
  free(bytes);
}

START_TEST(what_is_not_a_database_is_left_alone)
{
  const char text[] = "{\"traceEvents\": []}";
  refused(text, sizeof text - 1, "is not an SQLite database");
  refused("S", 1, "is not an SQLite database");
  char *zeroes = calloc(1, 8192);
  refused(zeroes, 8192, "is not an SQLite database");
  free(zeroes);
}
END_TEST

START_TEST(the_database_of_another_application_is_left_alone)
{
  char *path = fresh_path("other.db");
  sql_run(path, "CREATE TABLE runs (x); INSERT INTO runs VALUES (1)");
  refused_database(path, "another application");
  sql_run(path, "PRAGMA application_id = 77");
  refused_database(path, "another application");
  sql_run(path, "PRAGMA journal_mode = WAL");
  refused_database(path, "another application");
}
END_TEST

START_TEST(a_store_of_a_newer_version_is_left_alone)
{
  char *path = fresh_path("newer.db");
  aq_store_close(store_open(path, AQ_STORE_WRITE));
  sql_run(path, "PRAGMA user_version = 4711");
  refused_database(path, "by a newer aqueduct: store version 4711");
}
END_TEST

START_TEST(a_folder_or_a_pipe_is_refused)
{
  char *path = fresh_path("pipe");
  ck_assert_int_eq(mkfifo(path, 0666), 0);
  store_open_fails(path, AQ_STORE_WRITE, AQ_ERR_INPUT, "not a file");
  store_open_fails(aqtest_tmpdir(), AQ_STORE_READ, AQ_ERR_INPUT, "a folder");
  store_open_fails(aqtest_tmpdir(), AQ_STORE_WRITE, AQ_ERR_INPUT, "a folder");
  store_open_fails("", AQ_STORE_WRITE, AQ_ERR_INVALID, "empty");
}
END_TEST

START_TEST(reading_what_is_not_there_says_how_to_make_it)
{
  char *path = fresh_path("missing/runs.db");
  store_open_fails(path, AQ_STORE_READ, AQ_ERR_NOT_FOUND, "importing a trace");
  ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(an_empty_file_becomes_a_store_only_when_written)
{
  char *path = fresh_path("empty.db");
  fclose(fopen(path, "w"));
  store_open_fails(path, AQ_STORE_READ, AQ_ERR_INPUT, "is empty");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_run(store, "m", 1, 10);
  aq_store_close(store);
}
END_TEST

START_TEST(odd_paths_name_files)
{
  char *folder = fresh_path("odd?mode=memory#%41 \"'"), *path;
  path = path_of("%s/file:x?immutable=1", folder);
  ck_assert_int_eq(mkdir(folder, 0777), 0);
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  ck_assert_str_eq(aq_store_path(store), path);
  make_run(store, "m", 1, 10);
  aq_store_close(store);
  ck_assert_int_eq(access(path, F_OK), 0);
  ck_assert_int_eq(chdir(folder), 0);
  store = store_open("file:x?immutable=1", AQ_STORE_READ);
  check_run(store, 1, 1, 10);
  aq_store_close(store);
  ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

START_TEST(the_default_store_is_in_the_data_folder)
{
  char *folder = fresh_path("data"), *path;
  ck_assert_int_eq(setenv("XDG_DATA_HOME", folder, 1), 0);
  path = path_of("%s/aqueduct/runs.db", folder);
  aq_store *store = store_open(NULL, AQ_STORE_WRITE);
  ck_assert_str_eq(aq_store_path(store), path);
  ck_assert_ptr_null(aq_store_notice(store));
  aq_store_close(store);
  ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_local_store_uses_wal_and_cleans_up)
{
  char *path = fresh_path("runs.db"), *wal;
  wal = path_of("%s-wal", path);
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_run(store, "m", 1, 10);
  char *mode = sql_text(path, "PRAGMA journal_mode");
  ck_assert_str_eq(mode, "wal");
  free(mode);
  ck_assert_int_eq(access(wal, F_OK), 0);
  aq_store_close(store);
  ck_assert_int_ne(access(wal, F_OK), 0);
  aq_store_close(store_open(path, AQ_STORE_READ));
  ck_assert_int_ne(access(wal, F_OK), 0);
}
END_TEST

START_TEST(on_a_network_file_system_a_rollback_journal_is_used_and_said)
{
  char *path = fresh_path("runs.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_run(store, "local", 1, 10);
  aq_store_close(store);
  pretended_type = 0x6969;
  store = store_open(path, AQ_STORE_WRITE);
  ck_assert_ptr_nonnull(strstr(aq_store_notice(store), "(NFS)"));
  make_run(store, "remote", 2, 20000);
  check_run(store, 1, 1, 10);
  check_run(store, 2, 2, 20000);
  char *mode = sql_text(path, "PRAGMA journal_mode");
  ck_assert_str_eq(mode, "delete");
  free(mode);
  aq_store_close(store);
  pretended_type = (long)(int)0xff534d42; /* as a signed 32-bit type has it */
  store = store_open(path, AQ_STORE_WRITE);
  ck_assert_ptr_nonnull(strstr(aq_store_notice(store), "(CIFS)"));
  aq_store_close(store);
  pretended_type = 0;
  store = store_open(path, AQ_STORE_WRITE);
  ck_assert_ptr_null(aq_store_notice(store));
  aq_store_close(store);
}
END_TEST

START_TEST(a_store_opened_to_read_takes_no_runs)
{
  char *path = fresh_path("runs.db");
  aq_store_close(store_open(path, AQ_STORE_WRITE));
  aq_store *store = store_open(path, AQ_STORE_READ);
  const aq_run_info info = run_named("m");
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer = NULL;
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_null(writer);
  ck_assert_status(aq_store_remove(store, 1, &diag), AQ_ERR_INPUT, &diag);
  aq_store_close(store);
}
END_TEST

/* The view of a user who may not write the folder; 0 if it is correct. */
static int use_read_only_folder(const char *path, bool file_is_writable)
{
  aq_store *store;
  aq_diag diag = AQ_DIAG_INIT;
  aq_run_info *info;
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
    return 1;
  if (!file_is_writable) {
    if (aq_store_open(path, AQ_STORE_WRITE, &store, &diag) != AQ_ERR_INPUT)
      return 2;
    if (!strstr(diag.text, path) || strchr(diag.text, '\n'))
      return 3;
  }
  if (aq_store_open(path, AQ_STORE_READ, &store, &diag)) {
    fprintf(stderr, "%s\n", diag.text);
    return 4;
  }
  if (!aq_store_notice(store) || aq_store_find(store, "m", &info, &diag))
    return 5;
  aq_run_info_free(info);
  check_run(store, 1, 1, 10);
  aq_store_close(store);
  return 0;
}

START_TEST(a_store_in_a_read_only_folder_can_be_read)
{
  /* "?" must not end the name in the URI that this needs. */
  char *folder = fresh_path("read-only?x"), *path;
  ck_assert_int_eq(chmod(aqtest_tmpdir(), 0755), 0);
  path = path_of("%s/runs.db", folder);
  ck_assert_int_eq(mkdir(folder, 0777), 0);
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  make_run(store, "m", 1, 10);
  aq_store_close(store);
  for (int writable = 0; writable < 2; writable++) {
    ck_assert_int_eq(chmod(path, writable ? 0666 : 0444), 0);
    ck_assert_int_eq(chmod(folder, 0555), 0);
    int pid = fork();
    if (pid == 0)
      _exit(use_read_only_folder(path, writable));
    ck_assert_int_eq(child_exit(pid), 0);
  }
  ck_assert_int_eq(chmod(folder, 0755), 0);
}
END_TEST

/* 0: it is refused by its version, as it cannot be upgraded. */
static int open_older(const char *path)
{
  aq_store *store;
  aq_diag diag = AQ_DIAG_INIT;
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
    return 1;
  if (aq_store_open(path, AQ_STORE_READ, &store, &diag) != AQ_ERR_INPUT)
    return 2;
  return strstr(diag.text, "tables of version 11, expected 12, and it is "
                           "read-only")
             ? 0
             : 3;
}

START_TEST(an_older_store_that_is_read_only_names_its_version)
{
  char *folder = fresh_path("older"), *path;
  ck_assert_int_eq(chmod(aqtest_tmpdir(), 0755), 0);
  path = path_of("%s/runs.db", folder);
  ck_assert_int_eq(mkdir(folder, 0777), 0);
  aq_store_close(store_open(path, AQ_STORE_WRITE));
  sql_run(path, "PRAGMA user_version = 11");
  ck_assert_int_eq(chmod(path, 0444), 0);
  ck_assert_int_eq(chmod(folder, 0555), 0);
  int pid = fork();
  if (pid == 0)
    _exit(open_older(path));
  ck_assert_int_eq(child_exit(pid), 0);
  ck_assert_int_eq(chmod(folder, 0755), 0);
}
END_TEST

static int open_as_nobody(const char *path, aq_store_mode mode)
{
  aq_store *store;
  aq_diag diag = AQ_DIAG_INIT;
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
    return 1;
  if (aq_store_open(path, mode, &store, &diag) != AQ_ERR_INPUT)
    return 2;
  return !strstr(diag.text, "Permission denied");
}

START_TEST(what_may_not_be_read_or_made_is_bad_input)
{
  char *path = fresh_path("secret.db"), *folder = fresh_path("locked");
  ck_assert_int_eq(chmod(aqtest_tmpdir(), 0755), 0);
  aq_store_close(store_open(path, AQ_STORE_WRITE));
  ck_assert_int_eq(chmod(path, 0), 0);
  ck_assert_int_eq(mkdir(folder, 0555), 0);
  /* The folders of the default store are made; here they cannot be. */
  ck_assert_int_eq(setenv("XDG_DATA_HOME", folder, 1), 0);
  const struct {
    const char *path;
    aq_store_mode mode;
  } cases[] = {
      {path, AQ_STORE_READ}, {path, AQ_STORE_WRITE}, {NULL, AQ_STORE_WRITE}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    int pid = fork();
    if (pid == 0)
      _exit(open_as_nobody(cases[i].path, cases[i].mode));
    ck_assert_int_eq(child_exit(pid), 0);
  }
}
END_TEST

START_TEST(a_store_in_memory_is_its_own)
{
  aq_store *a = store_open(":memory:", AQ_STORE_WRITE);
  aq_store *b = store_open(":memory:", AQ_STORE_WRITE);
  ck_assert_ptr_null(aq_store_notice(a));
  make_run(a, "m", 1, 10);
  make_run(b, "m", 2, 10);
  check_run(a, 1, 1, 10);
  check_run(b, 1, 2, 10);
  aq_store_close(a);
  aq_store_close(b);
  aq_store_close(NULL);
}
END_TEST

/* SQLite's locks belong to the process: reading the header while another
 * connection is open must not drop them. */
START_TEST(one_process_may_open_a_store_twice)
{
  char *path = fresh_path("runs.db");
  aq_store *first = store_open(path, AQ_STORE_WRITE);
  aq_diag diag = AQ_DIAG_INIT;
  aq_store_writer *writer = writer_open(first, "a");
  ck_assert_status(write_rows(writer, 1, 0, 20000, &diag), AQ_OK, &diag);
  aq_store *second = store_open(path, AQ_STORE_WRITE);
  int64_t other = make_run(second, "b", 2, 20000);
  ck_assert_status(write_rows(writer, 1, 20000, 20000, &diag), AQ_OK, &diag);
  writer_finish(writer);
  check_run(second, 1, 1, 40000);
  check_run(first, other, 2, 20000);
  aq_store_close(first);
  aq_store_close(second);
}
END_TEST

AQ_TEST_MAIN("store/store", what_is_not_a_database_is_left_alone,
             the_database_of_another_application_is_left_alone,
             a_store_of_a_newer_version_is_left_alone,
             a_folder_or_a_pipe_is_refused,
             reading_what_is_not_there_says_how_to_make_it,
             an_empty_file_becomes_a_store_only_when_written,
             odd_paths_name_files, the_default_store_is_in_the_data_folder,
             a_local_store_uses_wal_and_cleans_up,
             on_a_network_file_system_a_rollback_journal_is_used_and_said,
             a_store_opened_to_read_takes_no_runs,
             a_store_in_a_read_only_folder_can_be_read,
             an_older_store_that_is_read_only_names_its_version,
             what_may_not_be_read_or_made_is_bad_input,
             a_store_in_memory_is_its_own, one_process_may_open_a_store_twice)
