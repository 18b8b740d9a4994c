"""What autotuning found out: for each key the configurations tried, their times, and which one ran.

Nothing here measures. The times are those that Triton's `Autotuner` has kept; where it kept none, there are none.
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from engine.trace import TunedConfig, Tuning
from engine.words import clean

CONFIGS = 200
"Configurations kept of one key."
FAILED = "it could not run: too large for this GPU, or it did not compile"
LEFT_OUT = "left out before anything was measured"
OWN_BENCHMARK = "the do_bench that the kernel was given"
FROM_CACHE = "kept by Triton since an earlier run"


def key_of(tuner: Any, args: Iterable[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
    """The key under which `tuner`, an `Autotuner`, keeps what it found for these arguments, made as Triton makes it."""
    known = {name: value for name, value in _arguments(tuner, args, kwargs).items() if name in tuner.arg_names}
    own = [known[name] for name in tuner.keys if name in known]
    return (*own, *(str(value.dtype) for value in known.values() if hasattr(value, "dtype")))


def _arguments(tuner: Any, args: Iterable[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    return {**dict(zip(tuner.arg_names, args, strict=False)), **kwargs}


def tuning(
    tuner: Any, args: Iterable[Any], kwargs: Mapping[str, Any], timings: Mapping[Any, Any], method: str, ran: Any
) -> Tuning:
    """What is known for these arguments. `timings` has milliseconds, or a list that begins with them, by configuration,
    and is empty where nothing was measured; `ran` is the configuration that was launched."""
    known = _arguments(tuner, args, kwargs)
    values = [f"{name} = {known[name]!r:.80}" for name in tuner.keys if name in known]
    types = key_of(tuner, args, kwargs)[len(values) :]
    configs = list(tuner.configs)
    return Tuning(
        key=tuple(map(clean, [*values, *types])),
        configs=tuple(_config(config, timings) for config in configs[:CONFIGS]),
        ran=next((number for number, config in enumerate(configs[:CONFIGS]) if config == ran), -1),
        method=method,
        truncated=len(configs) > CONFIGS,
    )


def _config(config: Any, timings: Mapping[Any, Any]) -> TunedConfig:
    milliseconds, reason = None, ""
    if timings:
        milliseconds, reason = _time(timings[config]) if config in timings else (None, LEFT_OUT)
    more = {name: value for name in ("num_ctas", "maxnreg") if (value := getattr(config, name, None)) not in (None, 1)}
    return TunedConfig(
        constants={str(name): repr(value) for name, value in {**config.kwargs, **more}.items()},
        num_warps=config.num_warps,
        num_stages=config.num_stages,
        milliseconds=milliseconds,
        reason=reason,
    )


def _time(timing: Any) -> tuple[float | None, str]:
    """Median milliseconds; None, and why, for what did not run."""
    first = float(timing[0] if isinstance(timing, list | tuple) else timing)
    return (first, "") if math.isfinite(first) else (None, FAILED)
