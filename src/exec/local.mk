libaqcore_a_SOURCES += \
	src/exec/coverage.c src/exec/coverage.h \
	src/exec/covered_code.c src/exec/covered_code.h \
	src/exec/device.c src/exec/device.h \
	src/exec/ended.c src/exec/ended.h \
	src/exec/environment.c src/exec/environment.h \
	src/exec/fidelity.c src/exec/fidelity.h \
	src/exec/fidelity_facts.c src/exec/fidelity_facts.h \
	src/exec/findings.c src/exec/findings.h \
	src/exec/findings_json.c src/exec/findings_priv.h \
	src/exec/findings_text.c \
	src/exec/isolation.c src/exec/isolation.h \
	src/exec/junit.c src/exec/junit.h \
	src/exec/missing_kernels.c src/exec/missing_kernels.h \
	src/exec/program.c src/exec/program.h \
	src/exec/program_files.c src/exec/program_files.h \
	src/exec/reports.c src/exec/reports.h \
	src/exec/spools.c src/exec/spools.h \
	src/exec/suppressions.c
