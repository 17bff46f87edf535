# Traces and scenarios that are installed.
scenariosdir = $(pkgdatadir)/scenarios
dist_scenarios_DATA = \
	traces/scenarios/arrivals.json \
	traces/scenarios/chain-512.json \
	traces/scenarios/closed-clients.json \
	traces/scenarios/edge-dispatch.json \
	traces/scenarios/edge.json \
	traces/scenarios/empty-kernel.json \
	traces/scenarios/graph-1.json \
	traces/scenarios/graph-512.json \
	traces/scenarios/launch-sync.json \
	traces/scenarios/loop-512.json \
	traces/scenarios/two-queue-pipeline.json
EXTRA_DIST += traces/published.tsv traces/rdna3-vectors.tsv
