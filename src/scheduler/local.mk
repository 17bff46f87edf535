# Policies that choose which packet runs when, their registry and their
# watchdog.
libaqcore_a_SOURCES += \
	src/scheduler/policies/amd.c \
	src/scheduler/policies/per_client.h \
	src/scheduler/policies/drr.c \
	src/scheduler/policies/edf.c \
	src/scheduler/policies/fifo.c \
	src/scheduler/policies/immediate.c \
	src/scheduler/policies/priority_queue.h \
	src/scheduler/policies/krisp.c \
	src/scheduler/policies/lax.c \
	src/scheduler/policies/llf.c \
	src/scheduler/policies/lottery.c \
	src/scheduler/policies/mlfq.c \
	src/scheduler/policies/orion.c \
	src/scheduler/policies/policies.h \
	src/scheduler/policies/preemptive.c \
	src/scheduler/policies/job_list.h \
	src/scheduler/policies/priority.c \
	src/scheduler/policies/reef.c \
	src/scheduler/policies/rr.c \
	src/scheduler/policies/server.c src/scheduler/policies/server.h \
	src/scheduler/policies/sjf.c \
	src/scheduler/policies/srpt.c \
	src/scheduler/policies/stride.c \
	src/scheduler/policies/wfq.c \
	src/scheduler/policies/xsched.c \
	src/scheduler/queue_map.c src/scheduler/queue_map.h \
	src/scheduler/registry.c src/scheduler/registry.h \
	src/scheduler/policy_watchdog.c src/scheduler/policy_watchdog.h
