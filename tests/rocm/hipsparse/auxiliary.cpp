// SPDX-License-Identifier: MIT
// Handles and descriptors: what one call sets another one gets.
#include "hipsparse.hpp"

// Pointers that nothing follows.
static char place[8];

static void check_handle()
{
  check_run("handle", [] {
    hipsparseHandle_t own;
    hipStream_t stream, got;
    hipsparsePointerMode_t mode;
    int version = 0;
    char revision[64] = "-";
    HIP(hipStreamCreate(&stream));
    PLAIN(Create, &own);
    PLAIN(SetStream, own, stream);
    PLAIN(GetStream, own, &got);
    PLAIN(SetPointerMode, own, HIPSPARSE_POINTER_MODE_DEVICE);
    PLAIN(GetPointerMode, own, &mode);
    PLAIN(GetVersion, own, &version);
    PLAIN(GetGitRevision, own, revision);
    PLAIN(Destroy, own);
    HIP(hipStreamDestroy(stream));
    verdict_equal(got == stream && mode == HIPSPARSE_POINTER_MODE_DEVICE &&
                  version == hipsparseVersionMajor * 100000 +
                                 hipsparseVersionMinor * 100 +
                                 hipsparseVersionPatch &&
                  revision[0] != '-');
  });
}

static void check_mat_descr()
{
  check_run("MatDescr", [] {
    hipsparseMatDescr_t a, b;
    PLAIN(CreateMatDescr, &a);
    PLAIN(CreateMatDescr, &b);
    PLAIN(SetMatIndexBase, a, HIPSPARSE_INDEX_BASE_ONE);
    PLAIN(SetMatType, a, HIPSPARSE_MATRIX_TYPE_TRIANGULAR);
    PLAIN(SetMatFillMode, a, HIPSPARSE_FILL_MODE_UPPER);
    PLAIN(SetMatDiagType, a, HIPSPARSE_DIAG_TYPE_UNIT);
    PLAIN(CopyMatDescr, b, a);
    const bool same =
        hipsparseGetMatIndexBase(b) == HIPSPARSE_INDEX_BASE_ONE &&
        hipsparseGetMatType(b) == HIPSPARSE_MATRIX_TYPE_TRIANGULAR &&
        hipsparseGetMatFillMode(b) == HIPSPARSE_FILL_MODE_UPPER &&
        hipsparseGetMatDiagType(b) == HIPSPARSE_DIAG_TYPE_UNIT;
    // These return no status.
    for (const char *getter :
         {"GetMatIndexBase", "GetMatType", "GetMatFillMode", "GetMatDiagType"})
      answer_note(getter, DONE, 0);
    PLAIN(DestroyMatDescr, a);
    PLAIN(DestroyMatDescr, b);
    verdict_equal(same);
  });
}

// What other checks make and end without a note.
#define ENDS(type, create, destroy)                                            \
  check_run(#destroy, [] {                                                     \
    type own;                                                                  \
    PLAIN(create, &own);                                                       \
    PLAIN(destroy, own);                                                       \
    verdict_equal(true);                                                       \
  })

static void check_ends()
{
  ENDS(csrsv2Info_t, CreateCsrsv2Info, DestroyCsrsv2Info);
  ENDS(csrsm2Info_t, CreateCsrsm2Info, DestroyCsrsm2Info);
  ENDS(bsrsv2Info_t, CreateBsrsv2Info, DestroyBsrsv2Info);
  ENDS(bsrsm2Info_t, CreateBsrsm2Info, DestroyBsrsm2Info);
  ENDS(csrilu02Info_t, CreateCsrilu02Info, DestroyCsrilu02Info);
  ENDS(csric02Info_t, CreateCsric02Info, DestroyCsric02Info);
  ENDS(bsrilu02Info_t, CreateBsrilu02Info, DestroyBsrilu02Info);
  ENDS(bsric02Info_t, CreateBsric02Info, DestroyBsric02Info);
  ENDS(csrgemm2Info_t, CreateCsrgemm2Info, DestroyCsrgemm2Info);
  ENDS(csru2csrInfo_t, CreateCsru2csrInfo, DestroyCsru2csrInfo);
  ENDS(pruneInfo_t, CreatePruneInfo, DestroyPruneInfo);
  ENDS(hipsparseColorInfo_t, CreateColorInfo, DestroyColorInfo);
  ENDS(hipsparseHybMat_t, CreateHybMat, DestroyHybMat);
  ENDS(hipsparseSpGEMMDescr_t, SpGEMM_createDescr, SpGEMM_destroyDescr);
  ENDS(hipsparseSpSVDescr_t, SpSV_createDescr, SpSV_destroyDescr);
  ENDS(hipsparseSpSMDescr_t, SpSM_createDescr, SpSM_destroyDescr);
}

static const hipsparseIndexType_t i32 = HIPSPARSE_INDEX_32I,
                                  i64 = HIPSPARSE_INDEX_64I;
static const hipsparseIndexBase_t one = HIPSPARSE_INDEX_BASE_ONE;
static const hipDataType f64 = HIP_R_64F;

static void check_vectors_set()
{
  int64_t size, nnz;
  void *indices, *values, *others;
  hipsparseIndexType_t type;
  hipsparseIndexBase_t based, again;
  hipDataType data;
  check_run("SpVec", [&] {
    hipsparseSpVecDescr_t v;
    PLAIN(CreateSpVec, &v, 99, 7, place, place + 1, i64, one, f64);
    PLAIN(SpVecGet, v, &size, &nnz, &indices, &values, &type, &based, &data);
    PLAIN(SpVecGetIndexBase, v, &again);
    PLAIN(SpVecSetValues, v, place + 2);
    PLAIN(SpVecGetValues, v, &others);
    PLAIN(DestroySpVec, v);
    verdict_equal(size == 99 && nnz == 7 && indices == place &&
                  values == place + 1 && type == i64 && based == one &&
                  again == one && data == f64 && others == place + 2);
  });
  check_run("DnVec", [&] {
    hipsparseDnVecDescr_t v;
    PLAIN(CreateDnVec, &v, 99, place, f64);
    PLAIN(DnVecGet, v, &size, &values, &data);
    PLAIN(DnVecSetValues, v, place + 2);
    PLAIN(DnVecGetValues, v, &others);
    PLAIN(DestroyDnVec, v);
    verdict_equal(size == 99 && values == place && data == f64 &&
                  others == place + 2);
  });
  check_run("DnMat", [&] {
    hipsparseDnMatDescr_t m;
    int64_t rows, columns, leading, stride;
    hipsparseOrder_t order;
    int count;
    PLAIN(CreateDnMat, &m, 9, 8, 10, place, f64, HIPSPARSE_ORDER_COLUMN);
    PLAIN(DnMatGet, m, &rows, &columns, &leading, &values, &data, &order);
    PLAIN(DnMatSetValues, m, place + 2);
    PLAIN(DnMatGetValues, m, &others);
    PLAIN(DnMatSetStridedBatch, m, 3, 100);
    PLAIN(DnMatGetStridedBatch, m, &count, &stride);
    PLAIN(DestroyDnMat, m);
    verdict_equal(rows == 9 && columns == 8 && leading == 10 &&
                  values == place && data == f64 &&
                  order == HIPSPARSE_ORDER_COLUMN && others == place + 2 &&
                  count == 3 && stride == 100);
  });
}

// What every sparse descriptor has: its size, form, base, values, attributes.
static void check_common(hipsparseSpMatDescr_t m, hipsparseFormat_t format,
                         int64_t rows, int64_t columns)
{
  int64_t r, c, nnz;
  hipsparseFormat_t form;
  hipsparseIndexBase_t based;
  void *values;
  hipsparseFillMode_t fill = HIPSPARSE_FILL_MODE_UPPER, got;
  PLAIN(SpMatGetSize, m, &r, &c, &nnz);
  PLAIN(SpMatGetFormat, m, &form);
  PLAIN(SpMatGetIndexBase, m, &based);
  PLAIN(SpMatSetValues, m, place + 7);
  PLAIN(SpMatGetValues, m, &values);
  PLAIN(SpMatSetAttribute, m, HIPSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill);
  PLAIN(SpMatGetAttribute, m, HIPSPARSE_SPMAT_FILL_MODE, &got, sizeof got);
  PLAIN(DestroySpMat, m);
  verdict_equal(r == rows && c == columns && form == format && based == one &&
                values == place + 7 && got == fill);
}

static void check_pairs_set()
{
  hipsparseSpMatDescr_t m;
  int64_t rows, columns, nnz;
  void *a, *b, *c;
  hipsparseIndexType_t type;
  hipsparseIndexBase_t based;
  hipDataType data;
  int count;
  check_run("Coo", [&] {
    PLAIN(CreateCoo, &m, 9, 8, 7, place, place, place, i64, one, f64);
    PLAIN(CooSetPointers, m, place + 1, place + 2, place + 3);
    PLAIN(CooGet, m, &rows, &columns, &nnz, &a, &b, &c, &type, &based, &data);
    PLAIN(CooSetStridedBatch, m, 3, 100);
    PLAIN(SpMatGetStridedBatch, m, &count);
    verdict_equal(rows == 9 && columns == 8 && nnz == 7 && a == place + 1 &&
                  b == place + 2 && c == place + 3 && type == i64 &&
                  based == one && data == f64 && count == 3);
    PLAIN(SpMatSetStridedBatch, m, 5);
    PLAIN(SpMatGetStridedBatch, m, &count);
    verdict_equal(count == 5);
    check_common(m, HIPSPARSE_FORMAT_COO, 9, 8);
  });
  check_run("CooAoS", [&] {
    PLAIN(CreateCooAoS, &m, 9, 8, 7, place, place + 2, i64, one, f64);
    PLAIN(CooAoSGet, m, &rows, &columns, &nnz, &a, &b, &type, &based, &data);
    verdict_equal(rows == 9 && columns == 8 && nnz == 7 && a == place &&
                  b == place + 2 && type == i64 && based == one && data == f64);
    check_common(m, HIPSPARSE_FORMAT_COO_AOS, 9, 8);
  });
}

static void check_rows_set()
{
  hipsparseSpMatDescr_t m;
  int64_t rows, columns, nnz, block, width;
  void *a, *b, *c;
  hipsparseIndexType_t first, second;
  hipsparseIndexBase_t based;
  hipDataType data;
  int count;
  check_run("Csr", [&] {
    PLAIN(CreateCsr, &m, 9, 8, 7, place, place, place, i64, i32, one, f64);
    PLAIN(CsrSetPointers, m, place + 1, place + 2, place + 3);
    PLAIN(CsrGet, m, &rows, &columns, &nnz, &a, &b, &c, &first, &second, &based,
          &data);
    PLAIN(CsrSetStridedBatch, m, 3, 10, 100);
    PLAIN(SpMatGetStridedBatch, m, &count);
    verdict_equal(rows == 9 && columns == 8 && nnz == 7 && a == place + 1 &&
                  b == place + 2 && c == place + 3 && first == i64 &&
                  second == i32 && based == one && data == f64 && count == 3);
    check_common(m, HIPSPARSE_FORMAT_CSR, 9, 8);
  });
  check_run("Csc", [&] {
    PLAIN(CreateCsc, &m, 9, 8, 7, place, place, place, i64, i32, one, f64);
    PLAIN(CscSetPointers, m, place + 1, place + 2, place + 3);
    check_common(m, HIPSPARSE_FORMAT_CSC, 9, 8);
  });
  check_run("BlockedEll", [&] {
    PLAIN(CreateBlockedEll, &m, 12, 8, 4, 8, place, place + 1, i64, one, f64);
    PLAIN(BlockedEllGet, m, &rows, &columns, &block, &width, &a, &b, &first,
          &based, &data);
    verdict_equal(rows == 12 && columns == 8 && block == 4 && width == 8 &&
                  a == place && b == place + 1 && first == i64 &&
                  based == one && data == f64);
    check_common(m, HIPSPARSE_FORMAT_BLOCKED_ELL, 12, 8);
  });
}

void check_auxiliary()
{
  check_handle();
  check_mat_descr();
  check_ends();
  check_vectors_set();
  check_pairs_set();
  check_rows_set();
}
