# SPDX-License-Identifier: MIT
"""Traces whose latencies are known, for test_fit.sh: of rocprof v1, or of Kineto on
an MI300X, with a call of 4 us that returns at the dispatch.

usage: fit_truth.py late|once|stray|brief [kineto]

late   80 of 200 kernels are queued; the others start 6 us after their dispatch
       on an idle device, 8.5 us where it idled for more than 15 us.
once   every 40th of 200 kernels finds the device idle for 500 us and starts
       14 us after its dispatch, the others 9 us.
stray  kernels start 9 us after their dispatch; after 106 us of idle time 12 us,
       but up to 190 us three of seven do after 9.
brief  61 kernels: three are queued, the others start 9 us after their dispatch.
"""
import json
import sys

FIELDS = ("Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,"
          "arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,DispatchNs,BeginNs,EndNs,"
          "CompleteNs")


def late(i):
    """Idle time, latency in ns; None: queued."""
    idle = (5000, 20000, 10000, 40000, 12000, 60000)[i % 6]
    return None if 0 < i < 81 else (idle, 8500 if idle > 15000 else 6000)


def once(i):
    return (500000, 14000) if i % 40 == 20 else (30000, 9000)


def stray(i):
    if i % 4:
        return 20000 + i * 100, 9000
    idle = 106000 + i * 1000
    return idle, 9000 if idle <= 190000 and i // 4 % 7 in (0, 2, 4) else 12000


def brief(i):
    return None if 0 < i < 4 else (30000, 9000)


def rows(rule, count):
    """Dispatch, start and end in ns."""
    end = 1000000
    for i in range(count):
        known = rule(i)
        dispatch = end + known[0] if known else 1000000 + i
        begin = dispatch + known[1] if known else end
        end = begin + 10000
        yield dispatch, begin, end


def rocprof(times):
    print(FIELDS)
    for i, (dispatch, begin, end) in enumerate(times):
        print(f"{i},k,0,0,{i},1,1,64,64,0,0,4,0,16,64,0x0,0x1,{dispatch},{begin},"
              f"{end},{end + 4000}")


def kineto(times):
    events = []
    for i, (dispatch, begin, end) in enumerate(times):
        args = {"correlation": i + 1}
        events.append({"ph": "X", "cat": "cuda_runtime", "pid": 1, "tid": 1,
                       "name": "hipLaunchKernel", "ts": dispatch / 1e3 - 4,
                       "dur": 4, "args": args})
        events.append({"ph": "X", "cat": "kernel", "pid": 0, "tid": 0,
                       "name": "k", "ts": begin / 1e3,
                       "dur": (end - begin) / 1e3,
                       "args": dict(args, device=0, stream=0)})
    print(json.dumps({"deviceProperties": [{"id": 0,
                                            "name": "AMD Instinct MI300X"}],
                      "traceEvents": events}))


def main():
    rule = {"late": late, "once": once, "stray": stray,
            "brief": brief}[sys.argv[1]]
    times = rows(rule, 61 if rule is brief else 200)
    (kineto if sys.argv[2:] == ["kineto"] else rocprof)(times)


main()
