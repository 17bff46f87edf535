/* SPDX-License-Identifier: MIT */
/* The table of calls, and the way of one to its function. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include "dropin/kfd/kfd_priv.h"

enum { ARGUMENTS = 256 /* bytes of all arguments but SVM's */ };

static const struct call {
  aqkfd_call *function;
  aqkfd_call_info info;
} calls[] = {
#define C(number, name, direction, arguments, function, answer, error, text)   \
  {aqkfd_call_##function,                                                      \
   {number, #name, AQKFD_##direction, sizeof(arguments), AQKFD_##answer,       \
    error, text}},
#include "dropin/kfd/calls.def"
#undef C
};

enum { CALLS = sizeof calls / sizeof *calls };

int aqkfd_call_none(aqkfd_process *process, void *arguments)
{
  (void)process, (void)arguments;
  return -EINVAL;
}

bool aqkfd_call_describe(size_t index, aqkfd_call_info *out)
{
  if (index >= CALLS)
    return false;
  *out = calls[index].info;
  return true;
}

static const struct call *call_find(uint32_t number)
{
  size_t i = number - 1; /* most numbers have their place */
  if (i >= CALLS || calls[i].info.number != number)
    for (i = 0; i < CALLS && calls[i].info.number != number;)
      i++;
  return i < CALLS ? &calls[i] : NULL;
}

/* The list of SVM's attributes ends within the arguments. */
static bool list_fits(const struct call *call, const char *arguments,
                      uint32_t size)
{
  const aqkfd_svm_args *svm = (const void *)arguments;
  return call->function != aqkfd_call_svm ||
         svm->nattr <= (size - sizeof *svm) / sizeof svm->attrs[0];
}

/* Arguments may be longer or shorter than ours: the rest is zero, and bytes
 * that the client does not know stay where they are. SVM's have a list
 * behind them, which the size in the request counts. A call that fails answers
 * in them all the same: devices that were mapped, a wait's result. */
static int call_make(aqkfd_process *process, const struct call *call,
                     uint32_t size, void *arguments)
{
  _Alignas(8) char local[ARGUMENTS] = {0};
  const uint32_t own = call->info.bytes, whole = size > own ? size : own;
  char *copy = whole <= sizeof local ? local : calloc(1, whole);
  if (!copy)
    return -ENOMEM;
  if (call->info.direction & AQKFD_IN)
    memcpy(copy, arguments, size);
  int result = -EINVAL;
  if (list_fits(call, copy, whole))
    result = call->function(process, copy);
  if (call->info.direction & AQKFD_OUT)
    memcpy(arguments, copy, size);
  if (copy != local)
    free(copy);
  return result;
}

int aqkfd_ioctl(aqkfd_process *process, unsigned long request, void *argument)
{
  const struct call *call = call_find(_IOC_NR(request));
  if (_IOC_TYPE(request) != 'K' || !call)
    return -ENOTTY;
  if (call->info.answer == AQKFD_REFUSED)
    return -call->info.error;
  if (!aqkfd_reaches((uintptr_t)argument, _IOC_SIZE(request),
                     call->info.direction & AQKFD_OUT))
    return -EFAULT;
  /* As the kernel's calls it is no cancellation point: a thread that ended in
   * it would keep its locks. */
  int before;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
  const int result = call_make(process, call, _IOC_SIZE(request), argument);
  pthread_setcancelstate(before, &before);
  return result;
}
