# SPDX-License-Identifier: MIT
"""pytest --aqueduct-device mi210: a library of HIP code, called by ctypes."""
import ctypes
import pathlib
import subprocess

import pytest

FOLDER = pathlib.Path(__file__).parent


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """The library, built as the project builds it."""
    built = tmp_path_factory.mktemp("build") / "libvadd.so"
    subprocess.run(["hipcc", "--offload-arch=gfx90a", "-O2", "-fPIC", "-shared",
                    "-x", "hip", "-o", built, FOLDER / "vadd.cpp"], check=True)
    return ctypes.CDLL(str(built))


@pytest.mark.gpu
@pytest.mark.parametrize("n", [1, 255, 256, 1000])
def test_sums_are_right(library, n):
    floats = ctypes.c_float * n
    a, b, c = floats(*range(n)), floats(*[0.5] * n), floats()
    assert library.vadd_run(a, b, c, n) == 0
    assert list(c) == [i + 0.5 for i in range(n)]


def test_of_the_host_runs_everywhere():
    assert (FOLDER / "vadd.cpp").exists()
