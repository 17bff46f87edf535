# Tests of src/queue.
