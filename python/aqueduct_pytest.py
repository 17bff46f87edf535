# SPDX-License-Identifier: MIT
"""pytest on a simulated GPU: pytest --aqueduct-device mi210.

For tests of programs that load HIP or HSA in the process of the tests, by ctypes or
bindings. The GPU's runtime has to be there before a process loads it, so pytest
starts itself again below `aqueduct exec`, which ends with its status; a finding of
--aqueduct-check makes it fail. Without these options pytest is what it was.

The marker `gpu` says that a test needs a GPU: without a device it is skipped. The
fixture `aqueduct_device` is the name of the device, or None.
"""
import os
import subprocess
import sys

import pytest

INSIDE = "AQUEDUCT_PYTEST"  # the device, in the process below `aqueduct exec`


def pytest_addoption(parser):
    group = parser.getgroup("aqueduct", "simulated GPUs (aqueduct)")
    group.addoption("--aqueduct-device", metavar="DEVICE",
                    help="run the tests on this device model (mi210, mi300x*2)")
    group.addoption("--aqueduct-check", metavar="CHECKS",
                    help="check executed kernels: memory, race, all...")
    group.addoption("--aqueduct-timeout", metavar="T",
                    help="end the tests after this time (60s) and name the "
                         "kernel that still runs")
    group.addoption("--aqueduct-option", metavar="OPTION", action="append",
                    default=[], help="a further option of `aqueduct exec`")


def command(options, args):
    """The command line that runs these arguments of pytest on the device."""
    line = [os.environ.get("AQUEDUCT", "aqueduct"), "exec", "--host-only", "allow",
            "--device", options.aqueduct_device]
    if options.aqueduct_check:
        line.append("--check=" + options.aqueduct_check)
    if options.aqueduct_timeout:
        line += ["--timeout", options.aqueduct_timeout]
    line += options.aqueduct_option
    return line + ["--", sys.executable, "-m", "pytest", *args]


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    options = config.option
    if not options.aqueduct_device:
        for name in ("check", "timeout", "option"):
            if getattr(options, "aqueduct_" + name):
                raise pytest.UsageError(
                    f"--aqueduct-{name} without --aqueduct-device")
        return None
    if os.environ.get(INSIDE) or options.help or options.version:
        return None
    capture = config.pluginmanager.getplugin("capturemanager")
    if capture:
        capture.suspend_global_capture(in_=True)
    try:
        return subprocess.run(
            command(options, [str(a) for a in config.invocation_params.args]),
            check=False, cwd=config.invocation_params.dir,
            env={**os.environ, INSIDE: options.aqueduct_device}).returncode
    except OSError as error:
        raise pytest.UsageError(
            f"--aqueduct-device: {error.filename}: {error.strerror}; expected "
            "the command aqueduct in PATH, or its place in AQUEDUCT") from error


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "gpu: needs a GPU; skipped without --aqueduct-device")


def pytest_report_header(config):
    device = config.option.aqueduct_device
    return f"aqueduct: {device}" if device else None


def pytest_runtest_setup(item):
    if item.get_closest_marker("gpu") and not os.environ.get(INSIDE):
        pytest.skip("needs a GPU: --aqueduct-device")


@pytest.fixture(scope="session")
def aqueduct_device():
    return os.environ.get(INSIDE)
