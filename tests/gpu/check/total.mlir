// Workgroups add to one word without atomics; test_sites.sh makes the fixed one.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @total(%sum: memref<1xi32>) kernel {
      %c0 = arith.constant 0 : index
      %one = arith.constant 1 : i32
      // FIXED %y = memref.atomic_rmw addi %one, %sum[%c0] : (i32, memref<1xi32>) -> i32
      %x = memref.load %sum[%c0] : memref<1xi32> // BAD
      %y = arith.addi %x, %one : i32 // BAD
      memref.store %y, %sum[%c0] : memref<1xi32> // BAD
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %host = memref.alloc() : memref<1xi32>
    %c0 = arith.constant 0 : index
    memref.store %zero, %host[%c0] : memref<1xi32>
    %any = memref.cast %host : memref<1xi32> to memref<*xi32>
    gpu.host_register %any : memref<*xi32>
    gpu.launch_func @kernels::@total blocks in (%c8, %c1, %c1) threads in (%c1, %c1, %c1) args(%host : memref<1xi32>)
    return
  }
}
