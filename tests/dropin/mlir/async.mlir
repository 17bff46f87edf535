// Memory, copies, fills and kernels in streams that wait for one another: the
// kernel waits for a copy and a fill of two other streams.
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c13 = arith.constant 13 : index
  %c100 = arith.constant 100 : i32
  %in = memref.alloc() : memref<13xi32>
  %out = memref.alloc() : memref<13xi32>
  scf.for %i = %c0 to %c13 step %c1 {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %in[%i] : memref<13xi32>
  }
  %t0 = gpu.wait async
  %a, %t1 = gpu.alloc async [%t0] () : memref<13xi32>
  %b, %t2 = gpu.alloc async [%t1] () : memref<13xi32>
  %t3 = gpu.memcpy async [%t2] %a, %in : memref<13xi32>, memref<13xi32>
  %u0 = gpu.wait async [%t2]
  %u1 = gpu.memset async [%u0] %b, %c100 : memref<13xi32>, i32
  %w0 = gpu.wait async [%t3, %u1]
  %w1 = gpu.launch async [%w0] blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %c13, %sy = %c1, %sz = %c1) {
    %x = memref.load %a[%tx] : memref<13xi32>
    %y = memref.load %b[%tx] : memref<13xi32>
    %s = arith.addi %x, %y : i32
    memref.store %s, %a[%tx] : memref<13xi32>
    gpu.terminator
  }
  %w2 = gpu.memcpy async [%w1] %out, %a : memref<13xi32>, memref<13xi32>
  %w3 = gpu.dealloc async [%w2] %a : memref<13xi32>
  %w4 = gpu.dealloc async [%w3] %b : memref<13xi32>
  gpu.wait [%w4]
  %all = memref.cast %out : memref<13xi32> to memref<*xi32>
  call @printMemrefI32(%all) : (memref<*xi32>) -> ()
  return
}
func.func private @printMemrefI32(memref<*xi32>)
