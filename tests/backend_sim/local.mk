# Tests of src/backend_sim.
