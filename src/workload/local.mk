libaqcore_a_SOURCES += \
	src/workload/distribution.c src/workload/distribution.h \
	src/workload/plan.c src/workload/plan.h \
	src/workload/plan_places.c \
	src/workload/plan_points.c \
	src/workload/plan_policies.c \
	src/workload/plan_priv.h \
	src/workload/plan_values.c \
	src/workload/request_log.c src/workload/request_log.h \
	src/workload/scenario.c src/workload/scenario.h \
	src/workload/scenario_clients.c \
	src/workload/scenario_cost.c \
	src/workload/scenario_disb.c \
	src/workload/scenario_dnn.c \
	src/workload/scenario_files.c \
	src/workload/scenario_model.h \
	src/workload/scenario_parameters.c \
	src/workload/scenario_player.c src/workload/scenario_player.h \
	src/workload/scenario_read.c \
	src/workload/scenario_requests.c \
	src/workload/scenario_serving.c \
	src/workload/scenario_sort.c

aq_folder_headers += src/workload/scenario.h
