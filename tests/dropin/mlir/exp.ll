; exp of a work-item's number, by ocml.
declare float @__ocml_exp_f32(float)
declare i32 @llvm.amdgcn.workitem.id.x()

define amdgpu_kernel void @exp(ptr addrspace(1) %out) {
  %i = call i32 @llvm.amdgcn.workitem.id.x()
  %x = sitofp i32 %i to float
  %e = call float @__ocml_exp_f32(float %x)
  %to = getelementptr float, ptr addrspace(1) %out, i32 %i
  store float %e, ptr addrspace(1) %to
  ret void
}
