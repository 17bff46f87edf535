# From a workload to stored runs: the loop, replays, sweeps, what-if and
# calibration.
include src/study/loop/local.mk
include src/study/serving/local.mk
include src/study/workload/local.mk
include src/study/launch/local.mk
include src/study/calibrate/local.mk
include src/study/chain/local.mk
include src/study/session/local.mk
include src/study/sweep/local.mk
include src/study/whatif/local.mk
