# Tests of src/backend_hsa.
