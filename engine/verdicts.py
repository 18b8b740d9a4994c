"""Holds the claims of a lecture, once it has ended, against what its kernels were compiled to."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

import msgspec

from engine.claims import Claim, judge
from engine.trace import Evidence, Kernel, Observation, Variant

StageText = Callable[[Variant, str], str]
"Text of a stage of a variant. Raises OSError."
SourceText = Callable[[Kernel], str]
"The kernel's own lines."


def verdict(
    claim: Claim, kernels: Sequence[Kernel], stage_text: StageText, source_text: SourceText
) -> tuple[Observation, list[str]]:
    """The observation of `claim` with its evidence, and what the author should be told: why it does not hold, or could
    not be checked."""
    number = claim.observation.kernel if not claim.kernel else _named(claim.kernel, kernels)
    if number < 0:
        known = ", ".join(dict.fromkeys(kernel.name for kernel in kernels)) or "none"
        return _unchecked(claim, f"the recording has no kernel {claim.kernel!r}; it has {known}")
    found = msgspec.structs.replace(claim.observation, kernel=number, reason="")
    kernel = kernels[number]
    if found.stage == "source":
        evidence, absent = [judge(claim, source_text(kernel), kernel.line)], []
    else:
        variants = [variant for variant in kernel.variants if set(claim.constants) <= set(variant.constants.items())]
        if not variants:
            return _unchecked(claim, _uncompiled(kernel, claim), number)
        evidence, absent = _looked_at(claim, variants, stage_text), _absent(claim, variants)
    return msgspec.structs.replace(found, evidence=(*evidence, *absent)), _complaints(claim, evidence)


def _named(pattern: str, kernels: Sequence[Kernel]) -> int:
    """Number of the first kernel of that name; -1 for none."""
    return next((number for number, kernel in enumerate(kernels) if fnmatchcase(kernel.name, pattern)), -1)


def _uncompiled(kernel: Kernel, claim: Claim) -> str:
    if not kernel.variants:
        return f"{kernel.name} was not compiled"
    wanted = ", ".join(f"{name} = {value}" for name, value in claim.constants)
    return f"{kernel.name} was not compiled with {wanted}"


def _unchecked(claim: Claim, reason: str, kernel: int = -1) -> tuple[Observation, list[str]]:
    found = msgspec.structs.replace(claim.observation, kernel=kernel, reason=reason)
    return found, [f"{_quoted(claim)} could not be checked: {reason}"]


def _looked_at(claim: Claim, variants: Sequence[Variant], stage_text: StageText) -> list[Evidence]:
    """What each compilation says that the claim is about."""
    return [
        msgspec.structs.replace(
            _of_variant(claim, variant, stage_text),
            target=variant.target, key=variant.key, told=_told(variant, variants),
        )
        for variant in variants
        if not claim.targets or _plain(variant.target) in claim.targets
    ]  # fmt: skip


def _absent(claim: Claim, variants: Sequence[Variant]) -> list[Evidence]:
    """That there is no compilation for some of the targets the claim names: nobody asked for them."""
    there = {_plain(variant.target) for variant in variants}
    return [Evidence(target, reason="not compiled for it") for target in claim.targets if target not in there]


def _plain(target: str) -> str:
    """`sm_90` for `sm_90a`, which is the same machine."""
    return target.rstrip("af")


def _of_variant(claim: Claim, variant: Variant, stage_text: StageText) -> Evidence:
    stage = claim.observation.stage
    if stage not in variant.stages:
        return Evidence(reason=variant.reason.partition("\n")[0] or f"it has no stage {stage}")
    try:
        return judge(claim, stage_text(variant, stage))
    except OSError as error:
        return Evidence(reason=f"its {stage} cannot be read: {error.strerror}")


def _told(variant: Variant, variants: Sequence[Variant]) -> str:
    """What tells `variant` from the others for its target."""
    others = [other for other in variants if other.target == variant.target and other is not variant]
    parts = [f"{name} = {value}" for name, value in variant.constants.items()
             if any(other.constants.get(name) != value for other in others)]  # fmt: skip
    if any(other.num_warps != variant.num_warps for other in others):
        parts.append(f"{variant.num_warps} warps")
    return ", ".join(parts)


def _complaints(claim: Claim, evidence: Sequence[Evidence]) -> list[str]:
    """What to tell the author."""
    refuted = _grouped([one for one in evidence if one.holds is False])
    unknown = _grouped([one for one in evidence if one.holds is None])
    held = _grouped([one for one in evidence if one.holds])
    said = []
    if refuted:
        said.append(f"{_quoted(claim)} does not hold: {refuted}{f' (it holds for {held})' if held else ''}")
    if unknown:
        said.append(f"{_quoted(claim)} could not be checked: {unknown}")
    return said


def _grouped(evidence: Sequence[Evidence]) -> str:
    """The evidence in words, targets of which the same is to be said together: `sm_80, sm_90: nothing found`."""
    targets: dict[tuple[str, str], list[str]] = {}
    for one in evidence:
        targets.setdefault((one.told, one.reason), []).append(one.target)
    said = []
    for (told, reason), group in targets.items():
        where = ", ".join(group) + (f" with {told}" if told else "")
        said.append(": ".join(part for part in (where, reason) if part))
    return "; ".join(said)


def _quoted(claim: Claim) -> str:
    """The claim's beginning, on one line."""
    words = " ".join(claim.observation.markdown.split())
    return f"observe({words if len(words) <= 60 else words[:59] + '…'!r})"
