#!/bin/sh
# SPDX-License-Identifier: MIT
# Which device model stands for the GPU of an imported run.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# A rocprof v1 table, which names no GPU: kernels of 50 steps, 200 apart.
rocprof() { # STEP FILE
  awk -v step="$1" 'BEGIN {
    print "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds," \
      "scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,DispatchNs,BeginNs," \
      "EndNs,CompleteNs"
    for (i = 0; i < 40; i++) {
      begin = int(1000000 + 200 * i * step + 0.5)
      end = int(1000000 + (200 * i + 50 + i % 7) * step + 0.5)
      printf "%d,\"k\",0,0,%d,1,1,64,64,0,0,4,0,16,64,0x0,0x1,%d,%d,%d,%d\n",
        i, i, begin - 9000, begin, end, end + 9000
    }
  }' > "$work/$2"
}

chooses() { # NAME RUN MODEL
  try "$aqueduct" replay "$2"
  check "$1: $3" contains "$err" "device model $3,"
}

rocprof 160 gfx90a.csv
rocprof 40.09 gfx942.csv
rocprof 37 odd.csv
for name in gfx90a gfx942 odd; do
  try "$aqueduct" import "$work/$name.csv" -q --name $name
done
chooses "timestamps that step by 160 ns" gfx90a mi250x
check "the guess is told" contains "$err" "guessed from timestamps"
chooses "timestamps that step by 40 ns of a fast clock" gfx942 mi300x-rocprof1
try "$aqueduct" replay odd
check "other steps tell nothing" [ "$status" = 2 ]
check "the line says what to do" contains "$err" "choose one with --device"

# A replay is on the model that it was made on.
try "$aqueduct" replay gfx90a --device mi250x --name on
chooses "a simulated run" on mi250x
check "and why is told" contains "$err" "on which the run was made"
try "$aqueduct" whatif on --clock x2
check "a what-if of it too" contains "$out" "closed loop on mi250x;"
try "$aqueduct" replay gfx90a --device mi250x --set dispatch_setup=3x \
  --name edited
try "$aqueduct" replay edited
check "edits are not, and it is told" contains "$err" \
  "on which the run was made, without its edits"

# A card and its neighbour of the same chip.
card() { # NAME GPU
  sed 's/MI350X/'"$2"'/; s/gfx950/gfx1201/; s/"cu_count":256/"cu_count":64/' \
    "$srcdir/tests/trace/data/rocprofv3.json" > "$work/$1.json"
  try "$aqueduct" import "$work/$1.json" -q --name "$1"
}
card r9700 "Radeon AI PRO R9700"
chooses "an R9700" r9700 r9700
card rx9070xt "Radeon RX 9070 XT"
chooses "an RX 9070 XT" rx9070xt rx9070xt
# Times in whole us are multiples of 40 ns too, and are no evidence; host calls
# of CUDA are evidence of another vendor.
whole_us() { # CALL FILE
  awk -v call="$1" 'BEGIN {
    printf "{\"traceEvents\":["
    for (i = 0; i < 60; i++)
      printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0," \
        "\"tid\":0,\"ts\":%d,\"dur\":%d,\"args\":{\"device\":0,\"stream\":0," \
        "\"correlation\":%d}},{\"ph\":\"X\",\"cat\":\"cuda_runtime\"," \
        "\"name\":\"%s\",\"pid\":9,\"tid\":9,\"ts\":%d,\"dur\":5,\"args\":{" \
        "\"correlation\":%d}}", i ? "," : "", 1000000 + 40 * i, 20 + i % 3,
        i + 1, call, 999990 + 40 * i, i + 1
    print "]}"
  }' > "$work/$2.json"
  try "$aqueduct" import "$work/$2.json" -q --name "$2"
  try "$aqueduct" replay "$2"
}
whole_us hipLaunchKernel whole
check "times in whole us tell nothing" [ "$status" = 2 ]
whole_us cudaLaunchKernel cuda
check "a run of CUDA is refused" [ "$status" = 2 ]
check "by its host calls" contains "$err" "CUDA"

# Of rocprof v1, waves of 32 work-items show that it is no gfx9 GPU.
sed 's/,16,64,0x0,/,128,32,0x0,/' "$work/gfx942.csv" > "$work/gfx1201.csv"
try "$aqueduct" import "$work/gfx1201.csv" -q --name rdna
try "$aqueduct" replay rdna
check "a GPU of another family is never chosen" [ "$status" = 2 ]
check "and the line says why" contains "$err" "by its waves or registers is of RDNA"

# Of rocprofv3, 128 scalar registers show it.
cat > "$work/rdna_kernel_trace.csv" << EOF
Agent_Id,Queue_Id,Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp,SGPR_Count
Agent 1,1,a,1,4000,8000,128
Agent 1,1,a,2,12000,16000,128
EOF
try "$aqueduct" import "$work/rdna_kernel_trace.csv" -q --name registers
try "$aqueduct" replay registers
check "registers show another family" [ "$status" = 2 ]
check "and the line says so" contains "$err" "by its waves or registers is of RDNA"

# A part without a model has the model of its ISA named.
sed 's/MI300X/MI308X/; s/"numSms": *304/"numSms": 80/' \
  "$srcdir/tests/trace/data/kineto.json" > "$work/part.json"
try "$aqueduct" import "$work/part.json" -q --name part
try "$aqueduct" replay part
check "a part without a model is refused" [ "$status" = 2 ]
check "its neighbour is named" contains "$err" "of the same ISA: mi300x;"

# The stack is the nearest measured one, and the line names it.
kineto() { # VERSION NAME
  sed '1s/{/{"hip_runtime_version": '"$1"',/' \
    "$srcdir/tests/trace/data/kineto.json" > "$work/$2.json"
  try "$aqueduct" import "$work/$2.json" -q --name "$2"
}
kineto 70253211 hip72
chooses "HIP 7.2" hip72 mi300x
kineto 71360850 hip713
chooses "HIP 7.13" hip713 mi300x-rocm7.13
kineto 71560850 hip715
chooses "HIP 7.15" hip715 mi300x-rocm7.14
check "HIP 7.15 is near 7.14" contains "$err" "HIP 7.15, the nearest"
check "which is named" contains "$err" "measured: 7.14"
kineto 70100000 hip71
chooses "HIP 7.1" hip71 mi300x
kineto 60443483 hip64
chooses "HIP 6.4 on bare metal" hip64 mi300x-rocm6.4-vf

kineto 50643483 hip56
chooses "HIP 5.6" hip56 mi300x-rocm6.4-vf
check "another major version is a warning" contains "$err" \
  "measured: 6.4 (warning: another major version)"

# The profiler chooses too. No model of the MI210 is of rocprofv3.
try "$aqueduct" import "$srcdir/tests/trace/data/rocprofv3.json" -q --name own
chooses "rocprofv3 on its own GPU" own mi350x
check "which needs no warning" [ "${err#*warning}" = "$err" ]
sed 's/MI350X/MI210/; s/gfx950/gfx90a/; s/"cu_count":256/"cu_count":104/' \
  "$srcdir/tests/trace/data/rocprofv3.json" > "$work/v3.json"
try "$aqueduct" import "$work/v3.json" -q --name v3
chooses "rocprofv3 on an MI210" v3 mi210
check "with a warning" contains "$err" "no model of this GPU is of rocprofv3"
try "$aqueduct" export v3 --format rocpd -o "$work/v3.db"
try "$aqueduct" import "$work/v3.db" -q --name v3db
try "$aqueduct" replay v3db
check "one of rocpd too" contains "$err" "no model of this GPU is of rocprofv3"

data=$AQ_DATA
[ -n "$data" ] || data=$srcdir/../shared/data
if [ ! -d "$data/measured/raw" ]; then
  skip "published traces choose their models" "no published traces in AQ_DATA"
  finish
  exit 0
fi
raw=$data/measured/raw
while read -r file model; do
  try "$aqueduct" import "$raw/$file.gz" -q --name "$file"
  chooses "$file" "$file" "$model"
done << 'LIST'
mi210_resnet_bwd.json mi210
mi250_minitoy.json mi250
mi250x_seis_03052024_114238_128_64_1.csv mi250x
mi300x_bert.json mi300x-rocm6.4-vf
mi300x_flux_aiter.json mi300x-rocm7.13
mi300x_gunrock.csv mi300x-rocprof1
mi300x_norm.json mi300x-rocm7.0
mi300x_resnet18.json mi300x
mi300x_sglang_decode_graph.json mi300x
mi300x_vllm_pd_piecewise.json mi300x-rocm7.0
LIST
finish
