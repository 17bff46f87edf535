/* SPDX-License-Identifier: MIT */
/* The library that libhsakmt loads as a model, called as libhsakmt calls it:
 * by dlopen, with the kernel's requests, mapping the file that it gives. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropin/kfd/client.h"
#include "dropin/kfd/door/model_abi.h"
#include "gpu/codeobj/code_object.h"

static const aqkfd_model *model_load(void)
{
  const char *folder = getenv("AQ_BUILDDIR");
  char path[4096];
  setenv("AQUEDUCT_DEVICE", "mi210*2", 1);
  snprintf(path, sizeof path, "%s/.libs/libaqueduct-model.so",
           folder ? folder : ".");
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  ck_assert_msg(library != NULL, "%s", dlerror());
  const aqkfd_model *(*get)(void);
  *(void **)&get = dlsym(library, "get_hsakmt_model_functions");
  ck_assert_msg(get != NULL, "%s", dlerror());
  return get();
}

START_TEST(a_client_of_the_model_dispatches_a_kernel)
{
  const aqkfd_model *model = model_load();
  ck_assert_uint_eq(model->major, 1);
  ck_assert_uint_ge(model->minor, 1);
  client c = {.hold = PTHREAD_MUTEX_INITIALIZER,
              .file = model->create_memfd(),
              .ioctl = model->handle_ioctl};
  ck_assert_int_ge(c.file, 0);
  uint32_t version[2];
  ck_assert_int_eq(client_call(&c, 0x01, sizeof version, version), 0);
  ck_assert_uint_eq(version[0], 1);
  const client_block text = client_allocate(&c, 4096, CLIENT_CODE),
                     data = client_allocate(&c, 4096, CLIENT_PLAIN);
  const uint32_t event = client_event(&c, AQKFD_EVENT_SIGNAL, true);
  client_queue queue = client_queue_create(&c);
  *(uint64_t *)(void *)(data.at + 64) = (uintptr_t)data.at;
  client_dispatch(&queue,
                  client_kernel(&text, client_store_42, CLIENT_STORE_WORDS),
                  data.at + 64, client_signal(&c, &data, 1024, event));
  ck_assert_int_eq(client_wait(&c, event, 20000, NULL), AQKFD_WAIT_COMPLETE);
  ck_assert_int_eq(*(int *)(void *)data.at, 42);
  errno = 0;
  ck_assert_int_eq(client_call(&c, 0x7f, 8, version), -ENOTTY);
}
END_TEST

START_TEST(libdrms_calls_find_the_devices)
{
  const aqkfd_model *model = model_load();
  ck_assert_int_ge(model->create_memfd(), 0);
  for (int i = 0; i < 2; i++) {
    int fd = -1, again = -1;
    uint32_t major = 0, minor = 0;
    void *device = NULL;
    const char *name = NULL;
    aqkfd_drm_info info = {0};
    aqkfd_drm_open_render open = {128 + i, &fd};
    ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_OPEN_RENDER, &open), 0);
    aqkfd_drm_initialize begin = {fd, &major, &minor, &device};
    ck_assert_int_eq(
        model->handle_drm_call(AQKFD_DRM_DEVICE_INITIALIZE, &begin), 0);
    ck_assert_uint_eq(major, 3);
    aqkfd_drm_device args = {.device = device, .fd_out = &again};
    ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_DEVICE_GET_FD, &args), 0);
    ck_assert_int_ge(fcntl(again, F_GETFD), 0);
    args.name_out = &name;
    ck_assert_int_eq(
        model->handle_drm_call(AQKFD_DRM_GET_MARKETING_NAME, &args), 0);
    ck_assert_ptr_nonnull(strstr(name, "MI210"));
    args.info_out = &info;
    ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_QUERY_GPU_INFO, &args),
                     0);
    ck_assert_uint_eq(info.cus, 104);
    ck_assert_uint_eq(info.asic, 0x740f);
    ck_assert_int_eq(
        model->handle_drm_call(AQKFD_DRM_DEVICE_DEINITIALIZE, &args), 0);
    aqkfd_drm_close end = {fd};
    ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_CLOSE, &end), 0);
  }
}
END_TEST

START_TEST(a_device_that_is_initialised_twice_ends_with_the_second_user)
{
  const aqkfd_model *model = model_load();
  ck_assert_int_ge(model->create_memfd(), 0);
  int fds[2], kept = -1;
  uint32_t number;
  void *devices[2];
  for (int i = 0; i < 2; i++) {
    aqkfd_drm_open_render open = {128, &fds[i]};
    ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_OPEN_RENDER, &open), 0);
    aqkfd_drm_initialize begin = {fds[i], &number, &number, &devices[i]};
    ck_assert_int_eq(
        model->handle_drm_call(AQKFD_DRM_DEVICE_INITIALIZE, &begin), 0);
    aqkfd_drm_close end = {fds[i]};
    ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_CLOSE, &end), 0);
  }
  ck_assert_ptr_eq(devices[0], devices[1]);
  aqkfd_drm_device args = {.device = devices[0], .fd_out = &kept};
  for (int users = 2; users > 0; users--) {
    ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_DEVICE_GET_FD, &args), 0);
    ck_assert_int_ge(fcntl(kept, F_GETFD), 0);
    ck_assert_int_eq(
        model->handle_drm_call(AQKFD_DRM_DEVICE_DEINITIALIZE, &args), 0);
  }
  ck_assert_int_eq(fcntl(kept, F_GETFD), -1);
  ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_DEVICE_GET_FD, &args), -1);
  ck_assert_int_eq(errno, EINVAL);
}
END_TEST

START_TEST(calls_that_are_not_offered_have_an_errno)
{
  const aqkfd_model *model = model_load();
  int fd = -1;
  uint32_t number;
  void *device;
  aqkfd_drm_open_render open = {130, &fd};
  errno = 0;
  ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_OPEN_RENDER, &open), -1);
  ck_assert_int_eq(errno, ENODEV); /* the machine is not there yet, too */
  ck_assert_int_ge(model->create_memfd(), 0);
  ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_OPEN_RENDER, &open), -1);
  ck_assert_int_eq(errno, ENODEV);
  aqkfd_drm_initialize begin = {STDERR_FILENO, &number, &number, &device};
  ck_assert_int_eq(model->handle_drm_call(AQKFD_DRM_DEVICE_INITIALIZE, &begin),
                   -1);
  ck_assert_int_eq(errno, EBADF);
  for (unsigned call = AQKFD_DRM_BO_VA_OP; call < AQKFD_DRM_OPEN_RENDER;
       call++) {
    ck_assert_int_eq(model->handle_drm_call(call, &begin), -1);
    ck_assert_int_eq(errno, ENOTSUP);
  }
  ck_assert_int_eq(model->handle_drm_call(99, &begin), -1);
  ck_assert_int_eq(errno, EINVAL);
}
END_TEST

AQ_TEST_MAIN("dropin/kfd/model", a_client_of_the_model_dispatches_a_kernel,
             libdrms_calls_find_the_devices,
             a_device_that_is_initialised_twice_ends_with_the_second_user,
             calls_that_are_not_offered_have_an_errno)
