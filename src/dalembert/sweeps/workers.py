"""Where cases run: in this process, in processes of our own, or by any executor with `submit`.

Each way is a generator of (number of the case, record), as they finish.  Processes live for the whole sweep, so that a thousand small cases
do not pay for a thousand starts.  Where that is sound (Linux, no other thread in this process) they are forked, with everything loaded, and are
at work at once; else they are spawned, which takes a second or two, with one thread of linear algebra in each.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import queue
import signal
import sys
import threading
import time
import types
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait as wait_for
from typing import Any

from ..errors import MethodError, shown
from .case import Record, Task, failed, run_case

_THREADS = [f"{name}_NUM_THREADS" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR")] + ["VECLIB_MAXIMUM_THREADS"]
PATIENCE, WORTH = 2.0, 5.0  # seconds after which, and for which, other processes are asked to help
_AHEAD = 1000  # cases given to an executor of the user's before the first of them is back

Cases = Sequence[Mapping[str, Any]]
Found = Generator[tuple[int, Record], None, None]
INTERRUPTED: Record = {"interrupted": True}


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def here(task: Task, cases: Cases, numbers: Sequence[int], help_after: bool) -> Found:
    """Cases in this process, one after the other; with `help_after` long work is handed to other processes."""
    begun, many = time.perf_counter(), cores()
    for done, k in enumerate(numbers, 1):
        yield k, run_case(task, cases[k])
        spent, left = time.perf_counter() - begun, len(numbers) - done
        if help_after and many > 1 and spent > PATIENCE and spent / done * left > WORTH and can_travel(task):
            yield from in_processes(task, cases, numbers[done:], min(many, left))
            return


def can_travel(task: Task) -> bool:
    """Whether other processes can import what the task needs, without running the user's script again."""
    with contextlib.suppress(Exception):  # pickle raises many kinds
        pickle.dumps(task)
        return not _of_script(task)
    return False


def _of_script(task: Task) -> bool:
    functions = (task.model, task.ask, *(task.keep or {}).values())
    return any(f.__module__ == "__main__" for f in functions if callable(f))


def _through(submit: Callable[[int], Any], rest: deque[int], running: dict[int, Any], ahead: int) -> Iterator[int]:
    """Submit cases from `rest`, so many ahead, and give the numbers of those that are back; their futures stay in `running`."""
    back: queue.SimpleQueue[int] = queue.SimpleQueue()
    while rest or running:
        while rest and len(running) < ahead and back.empty():
            k = rest[0]
            running[k] = future = submit(k)  # a pool that is broken refuses it: it is still to be done
            rest.popleft()
            if hasattr(future, "add_done_callback"):
                future.add_done_callback(lambda _, k=k: back.put(k))
            else:
                back.put(k)
        yield back.get()


# -- processes of our own ----------------------------------------------------------------------------------------------


def in_processes(task: Task, cases: Cases, numbers: Sequence[int], processes: int) -> Found:
    """Cases in other processes; a case that kills its process is told so, and the others go on."""
    try:
        pickle.dumps(task)
    except Exception as error:
        raise MethodError(
            f"sweep(processes={processes})", shown(str(error), 200)[1:-1],
            "other processes import functions by their name, which functions inside others and lambdas do not have",
            "define the function at the top of a module, or leave out processes",
        ) from None  # fmt: skip
    rest = deque(numbers)
    while rest:
        lost: list[int] = []
        yield from _pool(task, cases, rest, processes, lost)
        for k in lost:
            # one of these ended its process; alone, a case has nobody else to blame
            again: list[int] = []
            yield from _pool(task, cases, deque([k]), 1, again)
            if again:
                yield k, _ended(cases[k])


def _pool(task: Task, cases: Cases, rest: deque[int], processes: int, lost: list[int]) -> Found:
    """Take cases from `rest` until it is empty or a worker dies; `lost` are those that were under way then."""
    forked = sys.platform == "linux" and threading.active_count() == 1
    context: Any = multiprocessing.get_context("fork" if forked else "spawn")
    stop, held = context.Pipe(duplex=False)
    if forked:
        task.load()
    # a forked process has both ends of the pipe, and must let go of this one to see when it is closed
    pool = ProcessPoolExecutor(processes, context, _begin, (stop, held if forked else None, task))
    running: dict[int, Future[Record]] = {}

    def submit(k: int) -> Future[Record]:
        # forked processes have all begun by now
        with contextlib.nullcontext() if forked else _launching(task):
            return pool.submit(_run, dict(cases[k]))

    try:
        with _launching(task), warnings.catch_warnings():
            # Python warns of forks beside threads; those of linear algebra, the only ones here, know how to be forked
            warnings.simplefilter("ignore", DeprecationWarning)
            ready = [pool.submit(os.getpid) for _ in range(processes)]
        _check_started(ready, processes)
        for k in _through(submit, rest, running, 2 * processes):
            record = running[k].result()
            del running[k]
            yield k, record
    except BrokenProcessPool:
        lost += sorted(running)
    except KeyboardInterrupt:
        for k, future in running.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                yield k, future.result()
        raise
    finally:
        # workers see the end of the pipe and leave what they are doing; without this process they see it, too
        held.close()
        pool.shutdown(wait=True, cancel_futures=True)
        stop.close()


def _check_started(ready: list[Future[int]], processes: int) -> None:
    try:
        for future in ready:
            future.result()
    except BrokenProcessPool:
        raise MethodError(
            f"sweep(processes={processes})", "the processes end as soon as they begin",
            "they import the script again to find a function of yours in it, and the script starts the sweep again",
            'put the sweep under `if __name__ == "__main__":`, or the function into a module of its own',
        ) from None  # fmt: skip


@contextlib.contextmanager
def _launching(task: Task) -> Iterator[None]:
    """Surroundings in which new processes begin: one thread of linear algebra, deaf to Ctrl-C until they are up, without the user's script.

    A spawned process imports the main script first, which a script without `if __name__ == "__main__"` does not survive.  Nothing of it is
    needed unless a function of the task lives there.
    """
    before = {name: os.environ.get(name) for name in _THREADS}
    main = sys.modules.get("__main__")
    hide = main is not None and not _of_script(task)
    # Ctrl-C waits where signals can be held back; elsewhere one that comes in this instant is lost
    waits = hasattr(signal, "pthread_sigmask")
    if waits:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    deaf = not waits and threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN) if deaf else None
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    if hide:
        sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        if hide and main is not None:
            sys.modules["__main__"] = main
        for name, x in before.items():
            del os.environ[name]
            if x is not None:
                os.environ[name] = x
        if deaf:
            signal.signal(signal.SIGINT, handler)
        if waits:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


# what follows runs in the workers

_busy = threading.Event()
# what all cases share goes to a worker once: it finds the model as it was the last time
_task: list[Task] = []


def _begin(stop: Any, held: Any, task: Task) -> None:
    _task[:] = [task]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    if held is not None:
        held.close()
    threading.Thread(target=_watch, args=(stop,), daemon=True).start()


def _watch(stop: Any) -> None:
    """Leave the current case when the sweep is over, and the process when its parent is gone (killed, perhaps)."""
    wait_for([stop])
    if _busy.is_set():
        signal.raise_signal(signal.SIGINT)
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)


def _run(values: dict[str, Any]) -> Record:
    """One case in a worker; Ctrl-C reaches it only while it computes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _busy.set()
    try:
        return run_case(_task[0], values)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        _busy.clear()
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _ended(values: Mapping[str, Any]) -> Record:
    found, why = "the process that computed it ended", "it ran out of memory, was killed, or a library in it crashed"
    do = "run this case alone, or with fewer processes"
    # not kept for a later sweep: it may go well then
    return failed("WorkerEnded", f"case {shown(dict(values))}", found, why, do, passing=True)


# -- executors of others -----------------------------------------------------------------------------------------------


def by_executor(executor: Any, task: Task, cases: Cases, numbers: Sequence[int]) -> Found:
    """Cases by anything with `submit(function, *arguments)` that returns futures: pools of threads, dask, MPI."""
    running: dict[int, Any] = {}
    try:
        for k in _through(lambda k: executor.submit(run_case, task, dict(cases[k])), deque(numbers), running, _AHEAD):
            yield k, _record_of(running.pop(k), cases[k])
    finally:
        for future in running.values():
            if hasattr(future, "cancel"):
                future.cancel()


def _record_of(future: Any, values: Mapping[str, Any]) -> Record:
    try:
        record = future.result()
    except Exception as error:  # of the executor: a lost machine, arguments that do not travel
        kind, why = type(error).__name__, "the executor did not return a result"
        do = "look at the executor; run the sweep again for the cases that are missing"
        found = shown(str(error) or kind, 300)[1:-1]
        return failed(kind, f"case {shown(dict(values))}", found, why, do, passing=True)
    return record  # type: ignore[no-any-return]
