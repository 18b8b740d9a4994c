"""Compiles the kernels of a recording for GPUs that need not be here, and keeps what came of it by its hash."""

import hashlib
import re
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

import msgspec

from engine.argument_words import argument_words
from engine.errors import TraceError, UsageError
from engine.folders import without_folders
from engine.occupancy import occupancy
from engine.renewal import renewed
from engine.request import CudaRequest, Facts, Job, Result, TritonRequest, Work, sources
from engine.toolkit import cuda_version, triton_version
from engine.trace import KernelLines, Residency, Variant, write_whole
from engine.workers import SECONDS, Workers, environment, run_jobs

DEFAULT_TARGETS = ("sm_80", "sm_90", "sm_100")
"A100, H100, B200."
REASON_LIMIT = 4000
"Characters kept of what a compiler says."
_KEPT = "facts.json"
"Written last: a folder without it is not complete."
_WORK = "work.json"
"What was compiled, so that it can be compiled again when its file has changed."


@dataclass(frozen=True)
class Wanted:
    """One compilation that is wanted of a kernel."""

    name: str
    "The kernel's."
    work: Work | None
    "None where it could not be captured; then `reason` says why."
    path: str
    "Its file, as in `File.path`."
    sha256: str
    "Of the file's bytes."
    launched_for: str = ""
    "Target of the launched binary; empty where it is to be compiled, for all targets asked for."
    device: str = ""
    "Where it was launched."
    reason: str = ""


class _Done(msgspec.Struct):
    """`work.json`."""

    name: str
    path: str
    target: str
    work: TritonRequest | CudaRequest


class _Kept(msgspec.Struct, omit_defaults=True):
    """`facts.json`."""

    stages: tuple[str, ...] = ()
    facts: dict[str, Facts] = {}
    reason: str = ""


def parse_targets(targets: Iterable[str]) -> tuple[str, ...]:
    """The targets, `sm_90`, each once. Raises UsageError for a word that is none."""
    chosen = tuple(dict.fromkeys(targets))
    for target in chosen:
        if not re.fullmatch(r"sm_\d{2,3}[af]?", target):
            raise UsageError(f"{target!r} is no target; name an architecture such as sm_80, sm_90 or sm_100")
    return chosen


def compile_all(
    wanted: Mapping[int, Sequence[Wanted]],
    targets: Sequence[str],
    store: Path,
    progress: Callable[[int, int], None] | None = None,
    seconds: float = SECONDS,
    workers: Workers | None = None,
    claimed: Mapping[int, Collection[str]] | None = None,
    others: Sequence[Path] = (),
) -> dict[int, tuple[Variant, ...]]:
    """The variants of each kernel, by its number; their files are then in `store`/kernels.

    A kernel is compiled for `targets`; where these are empty, for `DEFAULT_TARGETS`, or, if it was launched on a GPU
    and so has that binary to show, for what is `claimed` of it. What was compiled before is only looked up, also in the
    stores `others`, to which nothing is written. The rest is compiled in processes of their own, those of `workers`
    where these are given; `progress` is told how many of how many are done.
    A compilation that fails is a variant with the compiler's reason; nothing is raised.
    """
    folder, *known = (each / "kernels" for each in (store, *others))
    of_claims = claimed or {}
    plan = {number: list(_planned(wants, targets, of_claims.get(number, ()))) for number, wants in wanted.items()}
    kept: dict[str, _Kept] = {}
    missing: dict[str, tuple[Wanted, Job]] = {}
    for planned in plan.values():
        for want, _, job in planned:
            if job is None or job.key in kept:
                continue
            found = _look_up(folder, known, job.key, want, job.target)
            if found is None:
                missing[job.key] = (want, job)
            else:
                kept[job.key] = found
    _compile_missing(missing, folder, kept, progress, workers.run if workers is not None else run_jobs, seconds)
    return {
        number: tuple(_variant(want, target, job, kept) for want, target, job in planned)
        for number, planned in plan.items()
    }


def _planned(
    wants: Sequence[Wanted], targets: Sequence[str], claimed: Collection[str]
) -> Iterator[tuple[Wanted, str, Job | None]]:
    """What is to be had of one kernel: for which target, and by which job where there is something to do."""
    if not targets:
        launched = {want.launched_for for want in wants if want.launched_for}
        targets = [target for target in claimed if target not in launched] if launched else DEFAULT_TARGETS
    for want in wants:
        work = want.work
        for target in [want.launched_for] if want.launched_for else targets:
            yield want, target, Job(work, target, want.sha256, _tools(work)) if work is not None else None


def _tools(work: Work) -> str:
    """Versions and settings that change what comes of `work`."""
    if isinstance(work, CudaRequest):
        return cuda_version(work.nvcc)
    settings = sorted(
        f"{name}={value}"
        for name, value in environment().items()
        if name.startswith(("TRITON_", "DISABLE_", "LLVM_", "PTXAS_")) and name not in _HARMLESS
    )
    return " ".join([f"triton-{triton_version()}", *settings])


_HARMLESS = frozenset({"TRITON_INTERPRET", "TRITON_CACHE_DIR", "TRITON_HOME", "TRITON_PRINT_AUTOTUNING"})
"Settings that change nothing in what is compiled."


def _compile_missing(
    missing: Mapping[str, tuple[Wanted, Job]],
    folder: Path,
    kept: dict[str, _Kept],
    progress: Callable[[int, int], None] | None,
    run: Callable[[Sequence[Job], Callable[[Job, Result], None], float], None],
    seconds: float,
) -> None:
    if not missing:
        return
    count = 0

    def done(job: Job, result: Result) -> None:
        nonlocal count
        want, _ = missing[job.key]
        kept[job.key] = _keep(folder / job.key, want, job.target, result)
        count += 1
        if progress is not None:
            progress(count, len(missing))

    run([job for _, job in missing.values()], done, seconds)


def recompile(
    store: Path,
    made: Path,
    key: str,
    texts: Mapping[str, str],
    workers: Workers | None = None,
    until: Literal["", "ptx"] = "",
) -> Variant:
    """The variant that is kept under `key` in `store`, compiled anew with the files that now hold other `texts`.

    What comes of it is kept in the store `made`, since the recording's own may lie in a repository. The texts are by
    path as in `File.path`; `until` is as for `TritonRequest`. What cannot be compiled without another launch is a
    variant that says so.
    """
    home = store / "kernels" / key
    try:
        done = msgspec.json.decode((home / _WORK).read_bytes(), type=_Done)
        digest = msgspec.json.decode((home / "lines.json").read_bytes(), type=KernelLines).sha256
    except (OSError, msgspec.DecodeError):
        return Variant("", "compiled", key, reason="what it was compiled from was not kept; record the lecture again")
    if done.path in texts:
        digest = hashlib.sha256(texts[done.path].encode()).hexdigest()
    try:
        work = renewed(done.work, texts)
        if isinstance(work, TritonRequest):
            work = msgspec.structs.replace(work, until=until)
        wanted = Wanted(done.name, work, done.path, digest)
    except SyntaxError as error:
        said = "".join(traceback.format_exception_only(error)).rstrip()
        reason = f"{error.filename}:{error.lineno}: SyntaxError: {error.msg}\n\n{said}"
        wanted = Wanted(done.name, None, done.path, digest, reason=reason)
    except (LookupError, ValueError, RecursionError) as error:
        wanted = Wanted(done.name, None, done.path, digest, reason=str(error))
    return compile_all({0: [wanted]}, [done.target], made, workers=workers, others=[store])[0][0]


def _keep(folder: Path, want: Wanted, target: str, result: Result) -> _Kept:
    """Write what came of a job. What may come out otherwise the next time is not marked as complete."""
    kept = _Kept(tuple(result.stages), result.facts, _shortened(without_folders(result.reason)))
    lines = KernelLines(want.path, want.sha256, result.lines)
    files = {name: text.encode() for name, text in result.stages.items()}
    files["lines.json"] = msgspec.json.encode(lines)
    if isinstance(want.work, TritonRequest | CudaRequest):
        files[_WORK] = msgspec.json.encode(_Done(want.name, want.path, target, want.work))
    if result.lasting:
        files[_KEPT] = msgspec.json.encode(kept)
    try:
        for name, data in files.items():
            write_whole(data, folder / name)
    except TraceError as error:
        return _Kept(reason=str(error))
    return kept


def _shortened(reason: str) -> str:
    if len(reason) <= REASON_LIMIT:
        return reason
    return f"{reason[:REASON_LIMIT]}\n... cut after {REASON_LIMIT} characters"


def _look_up(folder: Path, others: Sequence[Path], key: str, want: Wanted, target: str) -> _Kept | None:
    """What is kept under `key`, or, also in `others`, under that of the same kernel in another version of its file."""
    kept = _read(folder / key)
    if kept is not None:
        return kept
    versions = f"{key.rpartition('-')[0]}-*"
    for earlier in chain.from_iterable(sorted(place.glob(versions)) for place in (folder, *others)):
        kept = _read(earlier)
        if kept is not None and _copied(earlier, folder / key, kept, want, target):
            return kept
    return None


def _read(folder: Path) -> _Kept | None:
    try:
        kept = msgspec.json.decode((folder / _KEPT).read_bytes(), type=_Kept)
    except (OSError, msgspec.DecodeError):
        return None
    return kept if all((folder / name).is_file() for name in (*kept.stages, "lines.json")) else None


def _copied(earlier: Path, folder: Path, kept: _Kept, want: Wanted, target: str) -> bool:
    """Whether what is kept in `earlier` now stands in `folder` too, said to belong to the file as it is now."""
    try:
        lines = msgspec.json.decode((earlier / "lines.json").read_bytes(), type=KernelLines)
        stages = {name: (earlier / name).read_text() for name in kept.stages}
    except (OSError, ValueError, msgspec.DecodeError):
        return False
    return _keep(folder, want, target, Result(stages, lines.stages, kept.facts, kept.reason)) == kept


def _variant(want: Wanted, target: str, job: Job | None, all_kept: Mapping[str, _Kept]) -> Variant:
    kept = all_kept[job.key] if job is not None else _Kept(reason=want.reason)
    facts = _facts_of(want.name, kept.facts)
    signature, constants = argument_words(want.work)
    fits = _fits(target, facts)
    return Variant(
        target=target,
        origin="launched" if want.launched_for else "compiled",
        key=job.key if job is not None else "",
        stages=kept.stages,
        device=want.device,
        signature=signature,
        constants=constants,
        num_warps=facts.num_warps,
        num_stages=facts.num_stages,
        registers=facts.registers,
        spills=facts.spills,
        shared=facts.shared,
        occupancy=fits.fraction if fits is not None else None,
        residency=fits,
        reason=kept.reason,
        sources=tuple(sorted(sources(want.work) - {want.path})) if want.work is not None else (),
    )


def _facts_of(name: str, known: Mapping[str, Facts]) -> Facts:
    """What is known of the kernel, whose name in the binary may be mangled; nothing where several could be meant."""
    return known.get(name) or (next(iter(known.values())) if len(known) == 1 else Facts())


def _fits(target: str, facts: Facts) -> Residency | None:
    if not facts.threads or facts.registers is None or facts.shared is None:
        return None
    capability = int(re.sub(r"\D", "", target))
    return occupancy(capability, facts.threads, facts.registers, facts.shared, facts.tensor_columns)
