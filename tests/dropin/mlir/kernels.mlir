// An all-reduce, functions of ocml, and memory that a workgroup shares.
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  %c100 = arith.constant 100 : index
  %c99 = arith.constant 99 : index
  %sums = memref.alloc() : memref<2xi32>
  %roots = memref.alloc() : memref<4xf32>
  %back = memref.alloc() : memref<100xi32>
  %sums_all = memref.cast %sums : memref<2xi32> to memref<*xi32>
  %roots_all = memref.cast %roots : memref<4xf32> to memref<*xf32>
  %back_all = memref.cast %back : memref<100xi32> to memref<*xi32>
  gpu.host_register %sums_all : memref<*xi32>
  gpu.host_register %roots_all : memref<*xf32>
  gpu.host_register %back_all : memref<*xi32>
  %sums_any = memref.cast %sums : memref<2xi32> to memref<?xi32>
  %roots_any = memref.cast %roots : memref<4xf32> to memref<?xf32>
  %back_any = memref.cast %back : memref<100xi32> to memref<?xi32>
  %sums_there = call @mgpuMemGetDeviceMemRef1dInt32(%sums_any) : (memref<?xi32>) -> memref<?xi32>
  %roots_there = call @mgpuMemGetDeviceMemRef1dFloat(%roots_any) : (memref<?xf32>) -> memref<?xf32>
  %back_there = call @mgpuMemGetDeviceMemRef1dInt32(%back_any) : (memref<?xi32>) -> memref<?xi32>

  // 0 + 1 + ... + 99 in workgroup 0, 100 more of each in workgroup 1.
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c2, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c100, %sy = %c1, %sz = %c1) {
    %base = arith.muli %bx, %c100 : index
    %at = arith.addi %base, %tx : index
    %v = arith.index_cast %at : index to i32
    %sum = gpu.all_reduce add %v uniform {} : (i32) -> i32
    memref.store %sum, %sums_there[%bx] : memref<?xi32>
    gpu.terminator
  }
  // exp(0) * cos(0), exp(1) * cos(1), ...
  %c4 = arith.constant 4 : index
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c4, %sy = %c1, %sz = %c1) {
    %i = arith.index_cast %tx : index to i32
    %x = arith.sitofp %i : i32 to f32
    %e = math.exp %x : f32
    %c = math.cos %x : f32
    %y = arith.mulf %e, %c : f32
    memref.store %y, %roots_there[%tx] : memref<?xf32>
    gpu.terminator
  }
  // Each work-item puts its number, and gets that of its mirror.
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c100, %sy = %c1, %sz = %c1)
      workgroup(%shared : memref<100xi32, 3>) {
    %v = arith.index_cast %tx : index to i32
    memref.store %v, %shared[%tx] : memref<100xi32, 3>
    gpu.barrier
    %mirror = arith.subi %c99, %tx : index
    %w = memref.load %shared[%mirror] : memref<100xi32, 3>
    memref.store %w, %back_there[%tx] : memref<?xi32>
    gpu.terminator
  }
  call @printMemrefI32(%sums_all) : (memref<*xi32>) -> ()
  call @printMemrefF32(%roots_all) : (memref<*xf32>) -> ()
  call @printMemrefI32(%back_all) : (memref<*xi32>) -> ()
  return
}
func.func private @mgpuMemGetDeviceMemRef1dInt32(memref<?xi32>) -> memref<?xi32>
func.func private @mgpuMemGetDeviceMemRef1dFloat(memref<?xf32>) -> memref<?xf32>
func.func private @printMemrefI32(memref<*xi32>)
func.func private @printMemrefF32(memref<*xf32>)
