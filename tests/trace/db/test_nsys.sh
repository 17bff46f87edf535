#!/bin/sh
# SPDX-License-Identifier: MIT
# The SQLite export of Nsight Systems: a database of its published schema, made
# here, is imported row by row, and is not replayed.
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
if ! command -v python3 > /dev/null; then
  skip "the export of nsys is imported" "needs python3"
  finish
  exit
fi
cat > "$work/make.py" << 'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
whole = sys.argv[2] == "whole"
shape = ", gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER," \
    " blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER," \
    " registersPerThread INTEGER, globalPid INTEGER, demangledName INTEGER" if whole else ""
db.executescript(f"""
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
  streamId INTEGER, correlationId INTEGER, shortName INTEGER{shape});
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,
  streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER, bytes INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
  globalTid INTEGER, textId INTEGER);
CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, smCount INTEGER);
""")
db.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(
    ["gemm", "void gemm<float>(float*)", "cudaLaunchKernel_v7000",
     "cudaMemcpyAsync_v3020", "cudaStreamSynchronize_v3020", "forward",
     "cudaMemsetAsync_v3020"], 1))
process = 0x0100_0000_0000_0000 | 4242 << 24
thread = process | 4243
if not whole:
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 2000, 0, 7, 1, 1)")
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3000, 4000, 0, 7, 2, 99)")
else:
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (5000, 7000, 1, 7, 11, 1,"
               " 3, 2, 1, 128, 2, 1, 1024, 512, 40, ?, 2)", (process,))
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (8000, 9000, 1, 13, 12, ?, 4096, 1)",
               (process,))
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (8000, 9000, 1, 13, 15, ?, 1, 9)",
               (process,))
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (9500, 9600, 1, 7, 13, ?, 0, 64)",
               (process,))
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 1, ?, ?, ?, 0)",
                   [(4000, 4500, thread, 11, 3), (7500, 7600, thread, 12, 4),
                    (9000, 9100, thread, 13, 7), (9700, 9900, thread, 14, 5)])
    db.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, ?, ?, ?, ?)",
                   [(3900, 9950, 59, None, thread, 6), (3950, 9000, 60, "layer", thread, None),
                    (3960, None, 34, "mark", thread, None)])
    db.executemany("INSERT INTO TARGET_INFO_GPU VALUES (?, ?, ?)",
                   [(0, "NVIDIA A", 1), (1, "NVIDIA H100", 132)])
db.commit()
END
python3 "$work/make.py" "$work/whole.sqlite" whole
try "$aqueduct" import "$work/whole.sqlite" --name whole
check "it is imported" contains "$err" \
  "nsys, 1 kernel, 2 copies, 1 wait, 2 ranges; 3 with host times"
check "a copy from host to host is counted" contains "$err" "skipped 1 host-to-host transfer"
"$aqueduct" export whole --format csv -o "$work/whole.csv"
cat > "$work/check.py" << 'END'
import csv, sys
rows = {(r["kind"], r["name"]): r for r in csv.DictReader(open(sys.argv[1]))}
zero = int(rows["range", "forward"]["host_begin"]) // 1000 - 3900
want = {
    ("kernel", "void gemm<float>(float*)"): {
        "start": 5000, "end": 7000, "host_begin": 4000, "host_end": 4500, "stream": 7,
        "correlation": 11, "pid": 4242, "tid": 4243, "grid_x": 3 * 128, "grid_y": 2 * 2,
        "grid_z": 1, "wg_x": 128, "wg_y": 2, "wg_z": 1, "lds": 1536, "vgpr": 40},
    ("copy", "Memcpy HtoD"): {"start": 8000, "end": 9000, "host_begin": 7500, "bytes": 4096},
    ("fill", "Memset"): {"start": 9500, "end": 9600, "host_begin": 9000, "bytes": 64},
    ("wait", "cudaStreamSynchronize"): {"host_begin": 9700, "host_end": 9900, "tid": 4243},
    ("range", "forward"): {"host_begin": 3900, "host_end": 9950},
    ("range", "layer"): {"host_begin": 3950, "host_end": 9000},
}
assert set(rows) == set(want), set(rows) ^ set(want)
for key, fields in want.items():
    for name, value in fields.items():
        got = int(rows[key][name])
        if name in ("start", "end", "host_begin", "host_end"):
            got = got // 1000 - zero
        assert got == value, (key, name, got, value)
END
try python3 "$work/check.py" "$work/whole.csv"
check "every row is as it was written" [ "$status" = 0 ]
try "$aqueduct" show whole
check "its GPU has its name" contains "$out" "NVIDIA H100"
try "$aqueduct" stats whole --between layer --by kernel
check "ranges are projected on the GPU" contains "$out" "gemm"
try "$aqueduct" replay whole
check "it is not replayed" [ "$status" = 2 ]
check "because of its GPU" contains "$err" "no device model is of an NVIDIA GPU"

# An early export has fewer columns.
python3 "$work/make.py" "$work/early.sqlite" early
try "$aqueduct" import "$work/early.sqlite" --name early
check "an early export is imported" contains "$err" "nsys, 2 kernels"
check "a name that the file lacks is counted" contains "$err" 'kernel without a name: "kernel 99"'

# nsys writes no table of kernels where none ran.
cp "$work/whole.sqlite" "$work/copies.sqlite"
python3 -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL")
db.execute("DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET")' "$work/copies.sqlite"
try "$aqueduct" import "$work/copies.sqlite" --name copies
check "an export of copies alone is imported" contains "$err" "nsys, 0 kernels, 1 copy"

# A graph is recorded as a whole, unless it is asked for: its kernels are missing.
cat > "$work/graphs.py" << 'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end INTEGER, deviceId"
           " INTEGER, graphId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER)")
db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (?, ?, 0, 3, 7, 5, NULL)",
               [(12000, 900000), (950000, 990000)])
db.commit()
END
cp "$work/whole.sqlite" "$work/some.sqlite"
python3 "$work/graphs.py" "$work/some.sqlite"
try "$aqueduct" import "$work/some.sqlite" --name some
check "the launches of graphs are counted" contains "$err" \
  "skipped 2 unreadable rows"
check "with how to record their kernels" contains "$err" "nsys profile --cuda-graph-trace=node"
python3 "$work/graphs.py" "$work/only.sqlite"
try "$aqueduct" import "$work/only.sqlite" --name only
check "a file of graphs alone is refused" [ "$status" = 2 ]
check "because of them" contains "$err" "in this nsys trace: skipped 2 rows, the first at"
check "and says what to record" contains "$err" "nsys profile --cuda-graph-trace=node"

# Two processes use a GPU each, which both number 0.
cat > "$work/gpus.py" << 'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER)")
db.executemany("INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (?, ?, ?)", [(0, 0, 4242), (1, 0, 99)])
for table in ("KERNEL", "MEMCPY", "MEMSET"):
    db.execute(f"UPDATE CUPTI_ACTIVITY_KIND_{table} SET deviceId = 0")
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT start, end, 0, streamId, correlationId,"
           " shortName, gridX, gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory,"
           " dynamicSharedMemory, registersPerThread, 99 << 24, demangledName"
           " FROM CUPTI_ACTIVITY_KIND_KERNEL")
if sys.argv[2] == "null":
    db.execute("UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET deviceId = NULL WHERE copyKind = 1")
if sys.argv[2] == "lack":
    db.execute("DELETE FROM TARGET_INFO_CUDA_DEVICE WHERE pid = 99")
db.commit()
END
for all in all lack null; do
  cp "$work/whole.sqlite" "$work/$all.sqlite"
  python3 "$work/gpus.py" "$work/$all.sqlite" $all
  try "$aqueduct" import "$work/$all.sqlite" --name $all
  echo "$err" > "$work/$all.err"
  "$aqueduct" export $all --format csv -o "$work/$all.csv"
done
check "no number of a GPU is unknown" [ "$(grep -c "deviceId" "$work/all.err")" = 0 ]
cat > "$work/pairs.py" << 'END'
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["kind"] in ("kernel", "copy", "fill")]
print(*sorted({(int(r["pid"]), r["kind"], int(r["device"])) for r in rows}))
END
try python3 "$work/pairs.py" "$work/all.csv"
check "processes with a GPU each have a device each" [ "$out" = \
  "(99, 'kernel', 1) (4242, 'copy', 0) (4242, 'fill', 0) (4242, 'kernel', 0)" ]
try "$aqueduct" show all
check "the first one's GPU has its name" contains "$out" "NVIDIA A"
check "so has the second one's" contains "$out" "NVIDIA H100"
check "a number that the file lacks is counted" contains "$(cat "$work/lack.err")" \
  "deviceId that TARGET_INFO_CUDA_DEVICE lacks"
check "a copy without a number is counted" contains "$(cat "$work/null.err")" \
  "1 record of a device that the source does not list (first: id 8000: no device or agent is recorded: counted as device 0"
finish
