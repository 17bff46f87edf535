# Documentation that is installed or built.
