"""LLVM text to machine code, and machine code to an address."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from typing import Any

from llvmlite import binding

from ..errors import MethodError

# functions of the mathematics library that machine code may call
LIBRARY = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "log10", "pow", "hypot", "floor", "fma",
)  # fmt: skip


# instructions of x86-64-v3 beyond those of x86-64
_LEVEL_3 = ("avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")


@cache
def _target() -> Any:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()


@cache
def _host() -> tuple[str, binding.FeatureMap]:
    return binding.get_host_cpu_name(), binding.get_host_cpu_features()


def processors() -> tuple[str, ...]:
    """Values of DALEMBERT_CPU on this architecture."""
    return ("native", *(("x86-64", "x86-64-v3") if _target().name == "x86-64" else ()), "generic")


def processor() -> tuple[str, str]:
    """Name and features of the processor that machine code is made for: that of this machine, or that of DALEMBERT_CPU."""
    chosen = os.environ.get("DALEMBERT_CPU") or "native"
    if chosen not in processors():
        raise MethodError(
            f"machine code for the processor {chosen!r} of DALEMBERT_CPU", f"{_target().description}; its processors are {', '.join(processors())}",
            "machine code is made for these only", "set DALEMBERT_CPU to one of them, or leave it out",
        )  # fmt: skip
    if chosen != "native":
        return chosen, ""
    name, features = _host()
    return name, features.flatten()


def _machine(level: int) -> Any:
    name, features = processor()
    return _target().create_target_machine(
        cpu=name, features=features, opt=level, reloc="default", codemodel="jitdefault", jit=True
    )


def _check_instructions() -> None:
    """Refuse code whose instructions the processor of this machine lacks: running it would end the process."""
    host, features = _host()
    lacking = [x for x in _LEVEL_3 if not features.get(x)] if processor()[0] == "x86-64-v3" else []
    if lacking:
        raise MethodError(
            "machine code for the processor 'x86-64-v3' of DALEMBERT_CPU", f"this processor, {host}, lacks {', '.join(lacking)}",
            "code with these instructions ends the process", "set DALEMBERT_CPU to native, x86-64 or generic",
        )  # fmt: skip


@cache
def _library() -> None:
    # Python itself has them loaded, but on Windows
    library = ctypes.CDLL("ucrtbase" if os.name == "nt" else None)
    for name in LIBRARY:
        binding.add_symbol(name, ctypes.cast(getattr(library, name), ctypes.c_void_p).value)


def provide(name: str, address: int) -> None:
    """Let machine code call what is at an address by a name."""
    binding.add_symbol(name, address)


def machine_code(text: str, straight: bool = False, vectors: bool = True) -> bytes:
    """Object code of a module; `straight` code, without loops, is taken as it stands; short loops gain nothing from `vectors`."""
    module = binding.parse_assembly(text)
    module.verify()
    if not straight:
        machine = _machine(3)
        # level 3 takes longer and makes the time loop longer and no faster, and short loops the same
        options = binding.create_pipeline_tuning_options(speed_level=2)
        options.loop_vectorization = options.slp_vectorization = vectors
        builder = binding.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        return bytes(machine.emit_object(module))
    machine = _machine(2)
    # the graph is as short as it gets: combining instructions again makes code longer (by a seventh, and as much slower, for ten bodies in space)
    passes = binding.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=1)))
    return bytes(machine.emit_object(module))


_kept: list[Any] = []


def load(code: bytes, *names: str) -> tuple[int, ...]:
    """Addresses of functions of object code, valid as long as the process lives."""
    _check_instructions()
    _library()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine(2))
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _kept.append(engine)
    return tuple(int(engine.get_function_address(name)) for name in names)
