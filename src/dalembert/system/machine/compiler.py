"""LLVM text to machine code, and machine code to an address."""

from __future__ import annotations

import ctypes
import ctypes.util
from functools import cache
from typing import Any

from llvmlite import binding

from .writer import LIBRARY


@cache
def _target() -> Any:
    """The processor at hand."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple()
    return target.create_target_machine(
        cpu=binding.get_host_cpu_name(), features=binding.get_host_cpu_features().flatten(), opt=2, reloc="default", codemodel="jitdefault",
        jit=True,
    )  # fmt: skip


@cache
def _engine() -> Any:
    """What holds the code of this process."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    for name in LIBRARY:
        binding.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)
    empty = binding.parse_assembly("")
    return binding.create_mcjit_compiler(empty, _target())


def machine_code(text: str) -> bytes:
    """Object code of a module."""
    module = binding.parse_assembly(text)
    module.verify()
    machine = _target()
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.slp_vectorization = options.loop_vectorization = options.loop_unrolling = False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return bytes(machine.emit_object(module))


_kept: list[Any] = []


def load(code: bytes, name: str) -> int:
    """Address of a function of object code, valid as long as the process lives."""
    _target()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _new_target())
    _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _kept.append(engine)
    return int(engine.get_function_address(name))


def _new_target() -> Any:
    # an engine takes its target machine for itself
    _target.cache_clear()
    made = _target()
    _target.cache_clear()
    return made


__all__ = ["load", "machine_code"]
