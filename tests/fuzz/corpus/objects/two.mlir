module attributes {gpu.container_module} {
  gpu.binary @k  [#gpu.object<#rocdl.target, kernels = <[#gpu.kernel_metadata<"f", !llvm.func<void (ptr)>, metadata = {sgpr_count = 10 : i64}>]>, bin = "\7FELF\02">, #gpu.object<#rocdl.target<O = 3, chip = "gfx90a">, assembly = "\09s_endpgm\0A">]
  gpu.binary @"a b" <#gpu.select_object<0 : i64>> [#gpu.object<#rocdl.target<chip = "gfx942">, "BC\C0\DE">]
  llvm.func @main() -> i32 attributes {x = "gpu.binary @no"} {
  }
}
