# Tests of src/run.
