# SPDX-License-Identifier: MIT
"""Launches of a run's records, for the scripts that make tables of them."""

KERNEL, COPY, WAIT = 1, 2, 8  # kinds of records
DIRECT, GRAPH = 1, 2  # values of via
COLUMNS = ("device, kind, via, host_begin_ps, host_end_ps, submit_ps, start_ps, "
           "end_ps")


def onto_idle(rows):
    """Direct launches whose call began on an idle device.

    `rows` are kernels, copies and fills by their starts; each begins with
    COLUMNS (times in ps, None where unknown). Yields of each such launch its
    row, the time that its device was idle when the call returned (rows without
    calls: at their submission) and the time from there to its start, in us."""
    idle_from = {}
    for row in rows:
        device, kind, via, begin, end, submit, start, done = row[:8]
        before = idle_from.get(device)
        idle_from[device] = max(before or done, done)
        submitted = end if end is not None else submit
        called = begin if begin is not None else submitted
        if (kind == KERNEL and via == DIRECT and before is not None
                and submitted is not None and called > before):
            yield row, (submitted - before) / 1e6, (start - submitted) / 1e6
