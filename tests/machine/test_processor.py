"""DALEMBERT_CPU chooses the processor that machine code is made for; the code of each lies in a file of its own."""

from __future__ import annotations

import pytest
from llvmlite import binding

import dalembert as da
from dalembert.kernels.compiler import COMPILE
from dalembert.machine import disk, llvm
from dalembert.machine.entry import Entry, module_of

pytestmark = pytest.mark.skipif(not COMPILE, reason="nothing is compiled")

X86 = "x86-64" in llvm.processors()


def fused(a: float, b: float, c: float):
    return a * b + c


def assembly() -> str:
    """Assembly text of `fused` for the chosen processor; it is not run."""
    return str(llvm._machine(2).emit_assembly(binding.parse_assembly(module_of(fused, ("f", "f", "f")))))


@pytest.fixture
def choose(monkeypatch, tmp_path):
    """Function that sets DALEMBERT_CPU; the cache is empty."""
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))
    return lambda name: monkeypatch.setenv("DALEMBERT_CPU", name)


def test_each_processor_has_files_of_its_own(choose):
    paths = set()
    for name in llvm.processors():
        choose(name)
        paths.add(disk.path_of("fused", "key"))
    assert len(paths) == len(llvm.processors())
    assert {"native", "generic"} <= set(llvm.processors())


@pytest.mark.parametrize("name", ["", "native"])
def test_native_is_the_default(choose, monkeypatch, name):
    monkeypatch.delenv("DALEMBERT_CPU", raising=False)
    default = disk.path_of("fused", "key")
    choose(name)
    assert disk.path_of("fused", "key") == default
    assert llvm.processor()[0] == binding.get_host_cpu_name()


@pytest.mark.skipif(not X86, reason="levels of x86-64")
@pytest.mark.parametrize(("name", "has"), [("x86-64", False), ("x86-64-v3", True), ("generic", False)])
def test_fused_operations_are_those_of_the_processor(choose, name, has):
    choose(name)
    text = assembly()
    assert ("vfmadd" in text) == has and ("mulsd" in text) != has


@pytest.mark.parametrize("name", [x for x in llvm.processors() if x not in ("native", "x86-64-v3")])
def test_code_of_the_least_processor_runs(choose, tmp_path, name):
    choose(name)
    assert Entry(fused, lambda: "sources")(3.0, 4.0, 5.0) == 17.0
    assert len(list(tmp_path.glob("*.code"))) == 1


@pytest.mark.parametrize("name", ["Pentium", "x86_64", "skylake", " "])
def test_an_unknown_processor_is_refused(choose, tmp_path, name):
    choose(name)
    with pytest.raises(da.MethodError) as refused:
        Entry(fused, lambda: "sources")(3.0, 4.0, 5.0)
    assert repr(name) in refused.value.asked and all(x in refused.value.found for x in llvm.processors())
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not X86, reason="levels of x86-64")
def test_instructions_that_this_processor_lacks_are_not_run(choose, monkeypatch):
    choose("x86-64-v3")
    monkeypatch.setattr(llvm, "_host", lambda: ("old", {"avx": True, "fma": False}))
    with pytest.raises(da.MethodError) as refused:
        Entry(fused, lambda: "sources")(3.0, 4.0, 5.0)
    assert "fma" in refused.value.found and "avx," not in refused.value.found
