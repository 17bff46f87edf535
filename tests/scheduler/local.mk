# Tests of src/scheduler.
