/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include "gpu/duration/kernel_class.h"

START_TEST(names_of_libraries_tell_their_families)
{
  static const struct {
    const char *kernel;
    aq_family family;
  } cases[] = {
      {"Cijk_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_MT256x256x64_MI16x16x1",
       AQ_FAMILY_GEMM},
      {"igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt64x64x32", AQ_FAMILY_CONVOLUTION},
      {"aiter::fmha_fwd_hd128_bf16_rtz", AQ_FAMILY_ATTENTION},
      {"MIOpenBatchNormFwdTrainSpatial", AQ_FAMILY_NORM},
      {"void at::native::(anonymous namespace)::cunn_SoftMaxForwardReg<float>",
       AQ_FAMILY_SOFTMAX},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>",
       AQ_FAMILY_REDUCE},
      {"void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add>",
       AQ_FAMILY_ELEMENTWISE},
      {"__amd_rocclr_copyBuffer", AQ_FAMILY_COPY},
      {"ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)",
       AQ_FAMILY_COLLECTIVE},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long)",
       AQ_FAMILY_COLLECTIVE},
      {"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", AQ_FAMILY_COLLECTIVE},
      {"ncclSendRecvKernel_copy_i8(ncclColl)", AQ_FAMILY_COLLECTIVE},
      {"ncclBroadcastRingLLKernel_copy_i8(ncclColl)", AQ_FAMILY_COLLECTIVE},
      {"mscclKernel_Sum_half_LL_1(mscclAlgo*)", AQ_FAMILY_COLLECTIVE},
      {"void vllm::cross_device_reduce_1stage<c10::Half, 8>",
       AQ_FAMILY_COLLECTIVE},
      {"void deep_ep::internode_ll::dispatch<true, 3, 7168>",
       AQ_FAMILY_COLLECTIVE},
      {"triton_red_fused_add_all_reduce_mean_mul_pow_rsqrt_3",
       AQ_FAMILY_REDUCE},
      {"triton_poi_fused_all_reduce_wait_tensor_0", AQ_FAMILY_ELEMENTWISE},
      {"void vllm::rotary_embedding_kernel<c10::Half, true>(long const*)",
       AQ_FAMILY_ELEMENTWISE},
      {"void rope_norm<true, false, float, float>", AQ_FAMILY_ELEMENTWISE},
      {"_fused_qk_rope_reshape_kernel", AQ_FAMILY_ELEMENTWISE},
      {"void at::native::(anonymous "
       "namespace)::embedding_backward_kernel<float>",
       AQ_FAMILY_INDEX},
      {"void (anonymous namespace)::elementwise_kernel_with_index<int, "
       "at::native::arange_cuda_out>",
       AQ_FAMILY_ELEMENTWISE},
      {"void soft_max_f32<true, 512, 512, float>", AQ_FAMILY_SOFTMAX},
      {"Im2d2Col_v2", AQ_FAMILY_CONVOLUTION},
      {"wvSpltK_hf_sml_<64, 4, 16, 8, 1, 4>", AQ_FAMILY_GEMM},
      {"void k_get_rows<float, long>", AQ_FAMILY_INDEX},
      {"at::native::(anonymous namespace)::ComputeFusedParamsCUDAKernel<float>",
       AQ_FAMILY_NORM},
      {"laplacian_kernel", AQ_FAMILY_UNKNOWN},
      {"", AQ_FAMILY_UNKNOWN},
      {NULL, AQ_FAMILY_UNKNOWN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_msg(aq_family_find(cases[i].kernel) == cases[i].family,
                  "%s is %s", cases[i].kernel ? cases[i].kernel : "nothing",
                  aq_family_name(aq_family_find(cases[i].kernel)));
}
END_TEST

START_TEST(a_memo_recalls_what_the_name_says)
{
  aq_family_memo memo = {0};
  ck_assert_int_eq(aq_family_recall(&memo, 1000, "Cijk_A"), AQ_FAMILY_GEMM);
  ck_assert_int_eq(aq_family_recall(&memo, 3, "sort"), AQ_FAMILY_SORT);
  ck_assert_int_eq(aq_family_recall(&memo, 1000, "forgotten"), AQ_FAMILY_GEMM);
  ck_assert_int_eq(aq_family_recall(&memo, -1, "sort"), AQ_FAMILY_SORT);
  ck_assert_int_eq(aq_family_recall(&memo, INT64_MAX, "sort"), AQ_FAMILY_SORT);
  aq_family_memo_fini(&memo);
}
END_TEST

START_TEST(an_unchanged_device_changes_no_duration)
{
  for (int f = 0; f < AQ_FAMILY_COUNT; f++)
    for (int end = -1; end <= 1; end++)
      ck_assert_int_eq(
          aq_family_scale((aq_family)f, 123456789, 1, 1, (aq_end)end),
          123456789);
}
END_TEST

START_TEST(the_middle_lies_between_the_ends_whatever_changes)
{
  static const double factors[] = {0.25, 0.8, 1, 1.2, 4};
  for (int f = 0; f < AQ_FAMILY_COUNT; f++)
    for (int i = 0; i < 25; i++) {
      const double clock = factors[i / 5], bandwidth = factors[i % 5];
      aq_time at[3];
      for (int end = -1; end <= 1; end++)
        at[end + 1] =
            aq_family_scale((aq_family)f, AQ_MS, clock, bandwidth, (aq_end)end);
      ck_assert_msg(at[0] <= at[1] && at[1] <= at[2],
                    "%s, clock %g, bandwidth %g: %lld %lld %lld",
                    aq_family_name((aq_family)f), clock, bandwidth,
                    (long long)at[0], (long long)at[1], (long long)at[2]);
    }
}
END_TEST

START_TEST(no_duration_shrinks_more_than_the_device_got_faster)
{
  for (int f = 0; f < AQ_FAMILY_COUNT; f++) {
    const aq_time least =
        aq_family_scale((aq_family)f, AQ_MS, 2, 2, AQ_END_LEAST);
    ck_assert_int_ge(least, AQ_MS / 2);
    ck_assert_int_le(least, AQ_MS);
  }
}
END_TEST

AQ_TEST_MAIN("gpu/duration/family", names_of_libraries_tell_their_families,
             a_memo_recalls_what_the_name_says,
             an_unchanged_device_changes_no_duration,
             the_middle_lies_between_the_ends_whatever_changes,
             no_duration_shrinks_more_than_the_device_got_faster)
