# The command line: commands, their table, man pages, doctor, and running
# programs.
include src/cli/commands/local.mk
include src/cli/exec/local.mk
include src/cli/doctor/local.mk
include src/cli/table/local.mk
include src/cli/gendoc/local.mk
