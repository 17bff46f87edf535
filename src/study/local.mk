libaqcore_a_SOURCES += \
	src/study/completeness.c src/study/completeness.h \
	src/study/figures.def \
	src/study/kept.c src/study/kept.h \
	src/study/kept_make.c \
	src/study/serving_figures.c src/study/serving_figures.h \
	src/study/plot.c src/study/plot.h \
	src/study/plot_axis.c src/study/plot_axis.h \
	src/study/plot_words.c src/study/plot_words.h \
	src/study/point.c src/study/point.h \
	src/study/study.c src/study/study.h \
	src/study/study_run.c src/study/study_run.h \
	src/study/sweep_folder.c src/study/sweep_folder.h \
	src/study/sweep_inputs.c src/study/sweep_inputs.h \
	src/study/sweep_progress.c \
	src/study/sweep_scripts.c src/study/sweep_scripts.h \
	src/study/sweep_status.c \
	src/study/sweep_submit.c \
	src/study/study_json.c src/study/study_json.h \
	src/study/sweep_tasks.c src/study/sweep_tasks.h \
	src/study/workers.c src/study/workers.h
