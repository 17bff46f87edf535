#!/bin/sh
# SPDX-License-Identifier: MIT
# Tools libraries: one that is compiled against AMD's own header counts the
# calls of a client that was not compiled for it.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP the client is not sanitized, the library is"
  exit 0 ;;
esac
builddir=${AQ_BUILDDIR:-.}
library=$(cd "$builddir/.libs" && pwd)
header=/usr/include/hsa/hsa_api_trace.h

if [ ! -e "$header" ] || ! command -v g++ > /dev/null; then
  echo "1..0 # SKIP no g++, or no hsa_api_trace.h of ROCr"
  exit 0
fi

cat > "$work/tool.cc" <<'END'
#include <stdio.h>
#include <stdint.h>
#include <hsa/hsa_api_trace.h>
static HsaApiTable *table;
static decltype(hsa_queue_create) *queue_create;
static decltype(hsa_signal_create) *signal_create;
static decltype(hsa_signal_load_scacquire) *signal_load;
static int queues, signals, loads;
static hsa_status_t queue_count(hsa_agent_t agent, uint32_t size,
  hsa_queue_type32_t type, void (*error)(hsa_status_t, hsa_queue_t *, void *),
  void *data, uint32_t priv, uint32_t group, hsa_queue_t **queue)
{
  queues++;
  return queue_create(agent, size, type, error, data, priv, group, queue);
}
static hsa_status_t signal_count(hsa_signal_value_t value, uint32_t count,
  const hsa_agent_t *agents, hsa_signal_t *signal)
{
  signals++;
  return signal_create(value, count, agents, signal);
}
static hsa_signal_value_t load_count(hsa_signal_t signal)
{
  loads++;
  return signal_load(signal);
}
static hsa_status_t agent_count(hsa_agent_t, void *data)
{
  ++*(int *)data;
  return HSA_STATUS_SUCCESS;
}
extern "C" bool OnLoad(HsaApiTable *given, uint64_t version, uint64_t failed,
                       const char *const *names)
{
  int agents = 0;
  table = given;
  printf("version %d, sizes %d %d %d %d %d, failed %d%s%s\n", (int)version,
         given->version.minor_id == sizeof *given,
         given->core_->version.minor_id == sizeof *given->core_,
         given->amd_ext_->version.minor_id == sizeof *given->amd_ext_,
         given->finalizer_ext_->version.minor_id ==
           sizeof *given->finalizer_ext_,
         given->image_ext_->version.minor_id == sizeof *given->image_ext_,
         (int)failed, failed ? " " : "", failed ? names[0] : "");
  /* The functions are those that its names say. */
  given->core_->hsa_iterate_agents_fn(agent_count, &agents);
  bool yes = false;
  given->core_->hsa_system_extension_supported_fn(HSA_EXTENSION_AMD_LOADER, 1,
                                                  0, &yes);
  printf("agents %d, loader %d\n", agents, yes);
  queue_create = given->core_->hsa_queue_create_fn;
  signal_create = given->core_->hsa_signal_create_fn;
  signal_load = given->core_->hsa_signal_load_scacquire_fn;
  given->core_->hsa_queue_create_fn = queue_count;
  given->core_->hsa_signal_create_fn = signal_count;
  given->core_->hsa_signal_load_scacquire_fn = load_count;
  return true;
}
extern "C" void OnUnload()
{
  hsa_signal_t signal;
  int alive = table->core_->hsa_signal_create_fn(0, 0, NULL, &signal) == 0;
  if (alive)
    table->core_->hsa_signal_destroy_fn(signal);
  printf("queues %d, signals %d, loads %d, alive %d\n", queues, signals, loads,
         alive);
}
END
echo 'extern "C" bool OnLoad() { return false; }' > "$work/unwilling.cc"
echo 'int nothing;' > "$work/nothing.cc"
# hsa_api_trace.h includes its neighbours by a name of ROCr's own tree.
ln -s /usr/include/hsa "$work/inc"
for tool in tool unwilling nothing; do
  g++ -shared -fPIC -I"$work" -I/usr/include/hsa -o "$work/$tool.so" \
    "$work/$tool.cc" 2> "$work/$tool.log"
done
out=$(cat "$work/tool.log") err=
check "a tool compiles against AMD's header" [ -e "$work/tool.so" ]

cat > "$work/client.c" <<'END'
#include <hsa/hsa.h>
#include <stdio.h>
static hsa_status_t gpu(hsa_agent_t agent, void *out)
{
  hsa_device_type_t type;
  hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
  if (type == HSA_DEVICE_TYPE_GPU)
    *(hsa_agent_t *)out = agent;
  return HSA_STATUS_SUCCESS;
}
int main(void)
{
  for (int i = 0; i < 2; i++) {
    hsa_agent_t agent = {0};
    hsa_queue_t *queue;
    hsa_signal_t signal;
    long value = 0;
    if (hsa_init() || hsa_iterate_agents(gpu, &agent) ||
        hsa_queue_create(agent, 64, HSA_QUEUE_TYPE_MULTI, NULL, NULL, 0, 0,
                         &queue) ||
        hsa_signal_create(7, 0, NULL, &signal))
      return 1;
    value = hsa_signal_load_scacquire(signal) + hsa_signal_load_acquire(signal);
    hsa_queue_destroy(queue);
    hsa_signal_destroy(signal);
    printf("value %ld, shut down %d\n", value, hsa_shut_down());
  }
  return 0;
}
END
# shellcheck disable=SC2086 # a compiler may be several words
try ${AQ_CC:-cc} -Wno-deprecated-declarations -o "$work/client" \
  "$work/client.c" -L"$library" -l:libhsa-runtime64.so.1
check "and a client links" [ "$status" = 0 ]
LD_LIBRARY_PATH=$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

try "$work/client"
check "without a tool the client runs" [ "$out" = "value 14, shut down 0
value 14, shut down 0" ]

HSA_TOOLS_LIB="$work/missing.so $work/nothing.so $work/unwilling.so $work/tool.so"
export HSA_TOOLS_LIB
try "$work/client"
check "with tools too" [ "$status" = 0 ]
check "a tool gets tables of the sizes of AMD's structures, and failed names" \
  contains "$out" "version 1, sizes 1 1 1 1 1, failed 3 $work/missing.so"
check "it calls the functions that it finds there" \
  contains "$out" "agents 2, loader 1"
check "the client gets the same values" \
  contains "$out" "value 14, shut down 0
version 1, sizes 1 1 1 1 1, failed 3 $work/missing.so"
check "its own count each call, by old names too, and the runtime is alive at its end" \
  contains "$out" "queues 1, signals 2, loads 2, alive 1"
check "when the runtime opens again, it is loaded again" \
  [ "$(echo "$out" | grep -c 'queues 1, signals 2')" = 2 ]
check "a library without OnLoad is printed" contains "$err" \
  "aqueduct: HSA_TOOLS_LIB: $work/nothing.so: it has no OnLoad"
check "so is a tool that declines" contains "$err" \
  "HSA_TOOLS_LIB: $work/unwilling.so: its OnLoad returned false"
finish
