// SPDX-License-Identifier: MIT
// A kernel prints: more words than one packet to the host has, and floats.
module attributes {gpu.container_module} {
gpu.module @k {
  gpu.func @tell(%factor: f32) kernel {
    %x = gpu.thread_id x
    %b = gpu.block_id x
    %i = arith.index_cast %x : index to i32
    %f = arith.uitofp %i : i32 to f32
    %v = arith.mulf %f, %factor : f32
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %x, %c0 : index
    scf.if %first {
      gpu.printf "block %d of a grid has work-items that print lines\n", %b : index
    }
    gpu.printf "item %d of %d: %.2f and %d, %d, %d, %d\n", %x, %b, %v, %i, %i, %i, %i : index, index, f32, i32, i32, i32, i32
    gpu.return
  }
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %half = arith.constant 0.5 : f32
  gpu.launch_func @k::@tell blocks in (%c2, %c1, %c1)
    threads in (%c2, %c1, %c1) args(%half : f32)
  return
}
}
