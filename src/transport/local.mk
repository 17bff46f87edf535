# Makers of transports: by name, wrapped, empty, or inside a unit test.
include src/transport/null/local.mk
include src/transport/fault/local.mk
include src/transport/registry/local.mk
include src/transport/testbed/local.mk
