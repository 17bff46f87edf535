# Tests of src/cmdbuf.
