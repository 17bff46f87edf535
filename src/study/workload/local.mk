# Scenarios and plans: read, checked, and executed as jobs.
libaqcore_a_SOURCES += \
	src/study/workload/distribution.c src/study/workload/distribution.h \
	src/study/workload/plan.c src/study/workload/plan.h \
	src/study/workload/plan_workloads.c \
	src/study/workload/plan_points.c \
	src/study/workload/plan_policies.c \
	src/study/workload/plan_priv.h \
	src/study/workload/plan_values.c \
	src/study/workload/request_log.c src/study/workload/request_log.h \
	src/study/workload/scenario.c src/study/workload/scenario.h \
	src/study/workload/scenario_clients.c \
	src/study/workload/scenario_cost.c \
	src/study/workload/scenario_disb.c \
	src/study/workload/scenario_dnn.c \
	src/study/workload/scenario_files.c \
	src/study/workload/scenario_model.h \
	src/study/workload/scenario_parameters.c \
	src/study/workload/scenario_player.c \
	src/study/workload/scenario_player.h \
	src/study/workload/scenario_read.c \
	src/study/workload/scenario_requests.c \
	src/study/workload/scenario_serving.c \
	src/study/workload/scenario_toposort.c

aq_folder_headers += src/study/workload/scenario.h
