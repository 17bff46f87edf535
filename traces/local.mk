# Traces and scenarios that are installed.
scenariosdir = $(pkgdatadir)/scenarios
dist_scenarios_DATA = \
	traces/scenarios/arrivals.json \
	traces/scenarios/closed-clients.json \
	traces/scenarios/two-queue-pipeline.json
