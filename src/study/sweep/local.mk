# Studies and sweeps: many runs from a plan, in shards, with their inputs
# kept.
libaqcore_a_SOURCES += \
	src/study/sweep/candidates.c src/study/sweep/candidates.h \
	src/study/sweep/completeness.c src/study/sweep/completeness.h \
	src/study/sweep/figures.def \
	src/study/sweep/summary.c src/study/sweep/summary.h \
	src/study/sweep/summary_build.c \
	src/study/sweep/serving_figures.c src/study/sweep/serving_figures.h \
	src/study/sweep/plot.c src/study/sweep/plot.h \
	src/study/sweep/plot_axis.c src/study/sweep/plot_axis.h \
	src/study/sweep/plot_labels.c src/study/sweep/plot_labels.h \
	src/study/sweep/plan_point.c src/study/sweep/plan_point.h \
	src/study/sweep/study.c src/study/sweep/study.h \
	src/study/sweep/run_figures.c src/study/sweep/run_figures.h \
	src/study/sweep/sweep_folder.c src/study/sweep/sweep_folder.h \
	src/study/sweep/sweep_inputs.c src/study/sweep/sweep_inputs.h \
	src/study/sweep/sweep_progress.c \
	src/study/sweep/sweep_share.c \
	src/study/sweep/sweep_scripts.c src/study/sweep/sweep_scripts.h \
	src/study/sweep/sweep_status.c \
	src/study/sweep/sweep_submit.c \
	src/study/sweep/study_json.c src/study/sweep/study_json.h \
	src/study/sweep/sweep_tasks.c src/study/sweep/sweep_tasks.h \
	src/study/sweep/workers.c src/study/sweep/workers.h
