# Runs a program on the drop-in and reports the program's actions.
libaqcore_a_SOURCES += \
	src/cli/exec/coverage.c src/cli/exec/coverage.h \
	src/cli/exec/coverage_code.c src/cli/exec/coverage_code.h \
	src/cli/exec/descendants.c src/cli/exec/descendants.h \
	src/cli/exec/device.c src/cli/exec/device.h \
	src/cli/exec/ended.c src/cli/exec/ended.h \
	src/cli/exec/environment.c src/cli/exec/environment.h \
	src/cli/exec/fidelity.c src/cli/exec/fidelity.h \
	src/cli/exec/fidelity_facts.c src/cli/exec/fidelity_facts.h \
	src/cli/exec/findings.c src/cli/exec/findings.h \
	src/cli/exec/findings_json.c src/cli/exec/findings_priv.h \
	src/cli/exec/findings_text.c \
	src/cli/exec/mount_namespace.c src/cli/exec/mount_namespace.h \
	src/cli/exec/junit.c src/cli/exec/junit.h \
	src/cli/exec/missing_kernels.c src/cli/exec/missing_kernels.h \
	src/cli/exec/program_process.c src/cli/exec/program_process.h \
	src/cli/exec/program_files.c src/cli/exec/program_files.h \
	src/cli/exec/reports.c src/cli/exec/reports.h \
	src/cli/exec/driver_files.c src/cli/exec/driver_files.h \
	src/cli/exec/spools.c src/cli/exec/spools.h \
	src/cli/exec/suppressions.c
