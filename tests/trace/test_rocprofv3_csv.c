/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/fixture.h"

/* The fixture's clock counts from its first waiting call. */
#define AT(ns) (INT64_C(ns) * AQ_NS - 1000 * AQ_NS)

#define KERNELS                                                                \
  "Agent_Id,Queue_Id,Kernel_Name,Correlation_Id,Start_Timestamp,"              \
  "End_Timestamp\n"
#define CALLS                                                                  \
  "Domain,Function,Process_Id,Thread_Id,Correlation_Id,Start_Timestamp,"       \
  "End_Timestamp\n"
#define AGENTS "Node_Id,Logical_Node_Id,Agent_Type,Cu_Count,Name,Product_Name\n"

/* A file in a folder of its own below the temporary directory. */
static void put(const char *folder, const char *name, const char *text)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", aqtest_tmpdir(), folder);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  aqtest_write(path, text, strlen(text));
}

static fixture import_folder(const char *folder)
{
  char path[512];
  snprintf(path, sizeof path, "%s/%s", aqtest_tmpdir(), folder);
  return fixture_path(path);
}

START_TEST(a_directory_is_one_run_joined_by_correlation)
{
  fixture f = fixture_data("rocprofv3_set");
  const aq_record *row = fixture_row(
      &f, "void add<float>(float*, float const*, int)", AQ_KIND_KERNEL);
  ck_assert_str_eq(f.result.format, "rocprofv3-csv");
  ck_assert_int_eq(row->host_begin, AT(10000));
  ck_assert_int_eq(row->host_end, AT(13000));
  ck_assert_int_eq(row->start, AT(15000));
  ck_assert_int_eq(row->end, AT(18000));
  ck_assert_int_eq(row->via, AQ_VIA_DIRECT);
  ck_assert_int_eq(row->grid_x, 1024);
  ck_assert_int_eq(row->grid_y, 16);
  ck_assert_int_eq(row->wg_y, 2);
  ck_assert_int_eq(row->lds, 512);
  ck_assert_int_eq(row->scratch, 16);
  ck_assert_int_eq(row->vgpr, 8);
  ck_assert_int_eq(row->agpr, 4);
  ck_assert_int_eq(row->sgpr, 32);
  ck_assert_int_eq(row->pid, 4242);
  ck_assert_int_eq(row->tid, 4243);
  ck_assert_int_eq(f.result.base_ns, 1000000000001000);
  ck_assert_uint_eq(f.result.with_host, 5);
  ck_assert_ptr_null(f.result.advice);
  fixture_repaired(&f, AQ_REPAIR_OUT_OF_ORDER, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(kernels_without_an_agent_are_counted)
{
  put("agentless", "5_kernel_trace.csv",
      KERNELS "Agent 4,1,a,1,10,20\n,1,a,2,30,40\n");
  fixture f = import_folder("agentless");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_UNLISTED_DEVICE], 1);
  fixture_free(&f);
}
END_TEST

START_TEST(roctx_ranges_are_rows)
{
  put("markers", "5_kernel_trace.csv", KERNELS "Agent 4,1,a,1,10,20\n");
  put("markers", "5_marker_api_trace.csv",
      CALLS "MARKER_CORE_API,\"step, 1\",5,6,7,4,40\n"
            "MARKER_CORE_RANGE_API,mark,5,6,8,12,12\n"
            "MARKER_CONTROL_API,roctxProfilerPause,5,6,9,13,14\n"
            "MARKER_CORE_API,open,5,6,10,x,14\n");
  fixture f = import_folder("markers");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.ranges, 2);
  ck_assert_uint_eq(f.sink.count, 3);
  const aq_record *range = fixture_row(&f, "step, 1", AQ_KIND_RANGE);
  ck_assert_int_eq(range->host_end - range->host_begin, 36 * AQ_NS);
  ck_assert_int_eq(range->tid, 6);
  const aq_record *mark = fixture_row(&f, "mark", AQ_KIND_RANGE);
  ck_assert_int_eq(mark->host_end, mark->host_begin);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  fixture_free(&f);
}
END_TEST

START_TEST(names_may_hold_quotes_and_line_ends)
{
  fixture f = fixture_data("rocprofv3_set");
  ck_assert_int_eq(
      fixture_row(&f, "operator\"\"_km(long\ndouble)", AQ_KIND_KERNEL)->grid_x,
      640);
  fixture_free(&f);
}
END_TEST

START_TEST(graph_nodes_copies_and_waits_are_rows)
{
  fixture f = fixture_data("rocprofv3_set");
  const aq_record *first = fixture_row(&f, "node_1", AQ_KIND_KERNEL);
  const aq_record *second = fixture_row(&f, "node_2", AQ_KIND_KERNEL);
  const aq_record *copy =
      fixture_row(&f, "MEMORY_COPY_HOST_TO_DEVICE", AQ_KIND_COPY);
  const aq_record *wait = fixture_row(&f, "hipStreamSynchronize", AQ_KIND_WAIT);
  ck_assert_int_eq(first->via, AQ_VIA_GRAPH);
  ck_assert_int_eq(first->flags, AQ_FLAG_GRAPH_FIRST);
  ck_assert_int_eq(second->flags, 0);
  ck_assert_int_eq(copy->host_begin, 0);
  ck_assert_int_eq(f.sink.queues[copy->queue].source_id, -1);
  ck_assert_int_eq(wait->host_end, AT(50000));
  ck_assert_uint_eq(f.result.waits, 2);
  fixture_free(&f);
}
END_TEST

START_TEST(the_agent_file_describes_the_device)
{
  fixture f = fixture_data("rocprofv3_set");
  ck_assert_uint_eq(f.sink.device_count, 1);
  ck_assert_int_eq(f.sink.devices[0].source_id, 4);
  ck_assert_str_eq(f.sink.devices[0].name, "AMD Instinct MI300X");
  ck_assert_str_eq(f.sink.devices[0].gfx, "gfx942");
  ck_assert_int_eq(f.sink.devices[0].cus, 304);
  fixture_free(&f);
}
END_TEST

START_TEST(one_kernel_file_alone_says_how_to_record_host_calls)
{
  fixture f = fixture_data("rocprofv3_set/node7/4242_kernel_trace.csv");
  ck_assert_uint_eq(f.result.dispatches, 4);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_NO_HOST_CALL], 4);
  ck_assert_ptr_nonnull(strstr(f.result.advice, "--hip-runtime-trace"));
  fixture_free(&f);
}
END_TEST

START_TEST(agents_may_be_written_in_three_ways)
{
  fixture f = fixture_text(KERNELS "Agent 4,1,a,1,10,20\n"
                                   "Agent-4,1,b,2,20,30\n"
                                   "4,1,c,3,30,40.5\n"
                                   "GPU 0,1,d,4,40,50\n");
  fixture_repaired(&f, AQ_REPAIR_NO_HOST_CALL, 4);
  ck_assert_uint_eq(f.sink.device_count, 2);
  ck_assert_int_eq(f.sink.devices[0].source_id, 4);
  ck_assert_int_eq(f.sink.devices[1].source_id, 0);
  ck_assert_int_eq(fixture_row(&f, "c", AQ_KIND_KERNEL)->end, 30500 * AQ_PS);
  fixture_free(&f);
}
END_TEST

START_TEST(gpu_numbers_and_logical_nodes_are_the_agents_they_mean)
{
  put("numbers", "kernel_trace.csv",
      KERNELS "GPU 1,1,a,1,10,20\nAgent 2,1,b,2,20,30\nAgent 5,1,c,3,30,40\n");
  put("numbers", "agent_info.csv",
      AGENTS "0,0,CPU,0,x,x\n4,1,GPU,304,gfx942,MI300X\n"
             "5,2,GPU,304,gfx942,MI300X\n");
  fixture f = import_folder("numbers");
  fixture_repaired(&f, AQ_REPAIR_NO_HOST_CALL, 3);
  ck_assert_uint_eq(f.sink.device_count, 1);
  ck_assert_int_eq(f.sink.devices[0].source_id, 5);
  fixture_free(&f);
}
END_TEST

START_TEST(processes_of_one_directory_are_kept_apart)
{
  put("pids", "11_kernel_trace.csv", KERNELS "Agent 4,1,a,3,100,200\n");
  put("pids", "11_hip_api_trace.csv",
      CALLS "HIP_RUNTIME_API,hipLaunchKernel,11,11,3,10,20\n");
  put("pids", "12_kernel_trace.csv", KERNELS "Agent 4,1,b,3,150,250\n");
  put("pids", "12_hip_api_trace.csv",
      CALLS "HIP_RUNTIME_API,hipLaunchKernel,12,12,3,60,70\n");
  fixture f = import_folder("pids");
  fixture_repaired(&f, AQ_REPAIR_COUNT, 0);
  const aq_record *a = fixture_row(&f, "a", AQ_KIND_KERNEL);
  const aq_record *b = fixture_row(&f, "b", AQ_KIND_KERNEL);
  ck_assert_int_eq(a->start - a->host_begin, 90 * AQ_NS);
  ck_assert_int_eq(b->start - b->host_begin, 90 * AQ_NS);
  ck_assert_int_eq(a->pid, 11);
  ck_assert_int_eq(b->pid, 12);
  ck_assert_int_eq(a->device, b->device);
  ck_assert_int_ne(a->queue, b->queue);
  fixture_free(&f);
}
END_TEST

#define COUNTERS                                                               \
  "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Grid_Size,Kernel_Name,"        \
  "Workgroup_Size,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"

START_TEST(a_dispatch_with_several_counters_is_one_row)
{
  static const char text[] =
      COUNTERS "1,1,Agent 4,1,1024,a,256,SQ_WAVES,4,100,200\n"
               "1,1,Agent 4,1,1024,a,256,GRBM_COUNT,9,100,200\n"
               "2,2,Agent 4,1,1024,b,256,SQ_WAVES,4,300,400\n"
               "2,,Agent 4,1,1024,b,256,GRBM_COUNT,9,300,400\n";
  fixture f = fixture_text(text);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.sink.count, 2);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_COUNTER_ROW], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  const aq_record *row = fixture_row(&f, "a", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->grid_x, 1024);
  ck_assert_int_eq(row->grid_z, 1);
  ck_assert_int_eq(row->wg_x, 256);
  ck_assert_int_eq(row->wg_y, 1);
  fixture_free(&f);
  put("counted", "5_counter_collection.csv", text);
  put("counted", "5_kernel_trace.csv",
      KERNELS "Agent 4,1,a,1,100,200\nAgent 4,1,b,2,300,400\n");
  f = import_folder("counted");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.sink.count, 2);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_COUNTER_ROW], 3);
  fixture_free(&f);
}
END_TEST

START_TEST(a_set_without_kernels_is_refused)
{
  fixture_refused(CALLS "HIP_RUNTIME_API,hipLaunchKernel,11,11,3,10,20\n",
                  "in: no kernel_trace.csv (rocprofv3 --kernel-trace)");
}
END_TEST

START_TEST(an_absent_column_is_refused)
{
  fixture_refused("Agent_Id,Queue_Id,Kernel_Name,Correlation_Id,"
                  "Start_Timestamp\nAgent 4,1,a,1,10\n",
                  "in: line 1: no column \"End_Timestamp\"");
}
END_TEST

/* As rocpd converts several databases to one set. */
START_TEST(a_guid_tells_processes_of_one_file_apart)
{
  put("guid", "out_hip_api_trace.csv",
      "Guid," CALLS "A,HIP_RUNTIME_API,hipLaunchKernel,11,1,1,50,52\n"
      "B,HIP_RUNTIME_API,hipLaunchKernel,22,1,1,46,48\n");
  put("guid", "out_kernel_trace.csv",
      "Guid," KERNELS "A,Agent 4,1,first,1,60,80\n"
      "B,Agent 4,1,second,1,56,76\n");
  fixture f = import_folder("guid");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  const aq_record *first = fixture_row(&f, "first", AQ_KIND_KERNEL);
  const aq_record *second = fixture_row(&f, "second", AQ_KIND_KERNEL);
  ck_assert_int_eq(first->pid, 11);
  ck_assert_int_eq(first->start - first->host_begin, 10 * AQ_NS);
  ck_assert_int_eq(second->pid, 22);
  ck_assert_int_eq(second->start - second->host_begin, 10 * AQ_NS);
  ck_assert_int_ne(first->queue, second->queue);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_DUPLICATE_CORRELATION], 0);
  fixture_free(&f);
}
END_TEST

#define COUNTERS                                                               \
  "Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Grid_Size,Kernel_Name,"        \
  "Workgroup_Size,Counter_Name,Counter_Value,Start_Timestamp,End_Timestamp\n"

static void put_pass(const char *folder, const char *name, const char *rows)
{
  char path[128], text[1024];
  snprintf(path, sizeof path, "passes/%s", folder);
  put("passes", "keep.txt", "");
  snprintf(text, sizeof text, "%s%s", COUNTERS, rows);
  put(path, name, text);
}

/* The program runs once for each group of counters, each time with another
 * pid and at another time. */
START_TEST(passes_of_counters_are_one_run)
{
  put_pass("pmc_2", "55_counter_collection.csv",
           "1,1,Agent 4,1,1024,a,64,X,1,1000,1010\n"
           "2,2,Agent 4,1,1024,b,64,X,1,1020,1040\n");
  put_pass("pmc_10", "61_counter_collection.csv",
           "1,1,Agent 4,1,1024,a,64,Y,1,9000,9011\n"
           "2,2,Agent 4,1,1024,b,64,Y,1,9020,9041\n"
           "3,3,Agent 4,1,1024,c,64,Y,1,9060,9070\n");
  put("passes/pmc_10", "61_kernel_trace.csv",
      KERNELS "Agent 4,1,a,1,9000,9011\n");
  fixture f = import_folder("passes");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.dispatches, 2);
  ck_assert_uint_eq(f.sink.device_count, 1);
  const aq_record *row = fixture_row(&f, "b", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->start, 20 * AQ_NS);
  ck_assert_int_eq(row->end, 40 * AQ_NS);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_COUNTER_ROW], 2);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_OTHER_PASS], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_OTHER_PASS_FILE], 1);
  fixture_free(&f);
}
END_TEST

/* ROCm/rocm-systems #11422. */
START_TEST(passes_of_a_kernel_replay_are_counted)
{
  put("replayed", "5_kernel_trace.csv",
      "Kind,Agent_Id,Queue_Id,Dispatch_Id,Kernel_Name,Correlation_Id,"
      "Start_Timestamp,End_Timestamp\n"
      "KERNEL_DISPATCH,Agent 4,1,7,a,7,10,20\n"
      "KERNEL_DISPATCH,Agent 4,1,7,a,7,30,40\n"
      "KERNEL_DISPATCH,Agent 4,1,7,a,7,50,60\n"
      "KERNEL_DISPATCH,Agent 4,1,8,a,8,70,80\n");
  fixture f = import_folder("replayed");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.dispatches, 4);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_DISPATCH_AGAIN], 2);
  fixture_free(&f);
}
END_TEST

START_TEST(a_copy_from_host_to_host_is_no_gpus)
{
  put("hosts", "5_kernel_trace.csv", KERNELS "Agent 4,1,a,1,10,20\n");
  put("hosts", "5_memory_copy_trace.csv",
      "Kind,Direction,Source_Agent_Id,Destination_Agent_Id,Correlation_Id,"
      "Start_Timestamp,End_Timestamp\n"
      "MEMORY_COPY,MEMORY_COPY_HOST_TO_HOST,Agent 0,Agent 0,5,30,40\n");
  fixture f = import_folder("hosts");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.copies, 0);
  ck_assert_uint_eq(f.sink.device_count, 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_HOST_COPY], 1);
  fixture_free(&f);
}
END_TEST

AQ_TEST_MAIN(
    "trace/rocprofv3_csv", a_directory_is_one_run_joined_by_correlation,
    kernels_without_an_agent_are_counted, roctx_ranges_are_rows,
    names_may_hold_quotes_and_line_ends, graph_nodes_copies_and_waits_are_rows,
    the_agent_file_describes_the_device,
    one_kernel_file_alone_says_how_to_record_host_calls,
    agents_may_be_written_in_three_ways,
    gpu_numbers_and_logical_nodes_are_the_agents_they_mean,
    processes_of_one_directory_are_kept_apart,
    a_dispatch_with_several_counters_is_one_row,
    a_guid_tells_processes_of_one_file_apart, passes_of_counters_are_one_run,
    passes_of_a_kernel_replay_are_counted, a_copy_from_host_to_host_is_no_gpus,
    a_set_without_kernels_is_refused, an_absent_column_is_refused)
