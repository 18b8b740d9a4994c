"""What instructions do, in a sentence."""

import pytest

from viewer import opcodes_ptx, opcodes_sass
from viewer.opcodes import KINDS, kind, sentence

PTX = """\
ld.global.v4.b32
    Reads four 32-bit words (16 bytes at once) from global memory into registers.
ld.shared.f32
    Reads a float32 number from shared memory into registers.
ld.param.u64
    Reads an unsigned 64-bit integer from the kernel's parameters into registers.
fma.rn.f32
    Computes a × b + c on float32 numbers in one step, rounded only once; rounded to nearest.
ex2.approx.ftz.f32
    Computes 2 to the power of a float32 number; a fast approximation; subnormal numbers count as zero.
setp.ltu.f32
    Compares two float32 numbers (less or one of them not a number) and writes the answer to a predicate.
cvt.rn.bf16x2.f32
    Converts float32 numbers to pairs of bf16 numbers; rounded to nearest.
cvt.rni.f32.f32
    Rounds float32 numbers; to the nearest integer.
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
    Tensor cores: the warp multiplies 16×16 by 16×8 matrices of bf16 numbers and adds to float32 numbers.
cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes
    Starts a copy of a tile of a tensor of 2 dimensions by the copy engine (TMA) from global to shared memory,
    and goes on.
atom.global.gpu.relaxed.add.f32
    Changes a float32 number in global memory in one indivisible step (adding) and gives the value from
    before; for the whole GPU; without ordering other accesses.
no.such.thing
    -
"""
SASS = """\
LDG.E.128
    Reads 128 bits (16 bytes) from global memory into registers.
HMMA.16816.F32.BF16
    Tensor cores: the warp multiplies 16×16 by 16×8 matrices of bf16 numbers and adds.
HGMMA.64x256x16.F32
    Tensor cores: four warps start multiplying 64×16 by 16×256 matrices of float16 numbers from shared memory,
    and go on.
MUFU.EX2
    Special function unit: a fast approximation of 2 to the power x.
FSETP.GEU.AND
    Compares two float32 numbers (greater or equal or one of them not a number) and writes the answer to a
    predicate.
IMAD.MOV.U32
    Copies a register, by multiplying with zero: another unit than MOV's does it.
UIADD3.X
    Adds three integers, one of which may be zero; once for the whole warp, in uniform registers; with the
    carry of the addition before.
F2F.F64.F32
    Converts a float32 to a float64 number.
ATOMG.ADD
    Changes global memory in one indivisible step (adding) and gives the value from before.
LDSM.16.MT88.4
    Loads 4 8×8 matrices from shared memory into the registers of a warp, as the tensor cores want them;
    transposed.
NOSUCH
    -
"""


def said(table: str) -> dict[str, str]:
    """What is said of opcodes: a sentence stands indented under its opcode, a dash for none."""
    found: dict[str, list[str]] = {}
    opcode = ""
    for line in table.splitlines():
        if line.startswith(" "):
            found[opcode].append(line.strip().removeprefix("-"))
        else:
            opcode = line
            found[opcode] = []
    return {name: " ".join(words) for name, words in found.items()}


@pytest.mark.parametrize(("stage", "table"), [("ptx", PTX), ("sass", SASS)], ids=["ptx", "sass"])
def test_sentences(stage: str, table: str):
    assert {opcode: sentence(opcode, stage) for opcode in said(table)} == said(table)


@pytest.mark.parametrize(
    ("stage", "table"), [("ptx", opcodes_ptx.SENTENCES), ("sass", opcodes_sass.SENTENCES)], ids=["ptx", "sass"]
)
def test_every_entry_makes_a_sentence(stage: str, table: dict[str, str]):
    for opcode in table:
        said = sentence(opcode, stage)
        assert said[0].isupper() and said.endswith(".") and "{" not in said, opcode


KIND = {
    "ptx": {
        "load": "ld.global.b32 ld.shared.v4.b32 ldmatrix.sync.aligned.m8n8.x4.shared.b16 cp.async.cg.shared.global "
        "cp.async.bulk.tensor.2d.shared::cta.global tcgen05.ld.sync.aligned.32x32b.x128.b32 ld.volatile.global.f32",
        "store": "st.global.v4.b32 st.shared.b16 stmatrix.sync.aligned.m8n8.x4.shared.b16 "
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group tcgen05.st.sync.aligned.32x32b.x128.b32",
        "fma": "fma.rn.f32 fma.rn.ftz.f32x2 mad.rn.f32",
        "tensor": "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 wgmma.mma_async.sync tcgen05.mma.cta_group::1",
        "barrier": "bar.sync barrier.cta.sync barrier.cluster.wait mbarrier.try_wait.parity.shared::cta.b64 "
        "cp.async.wait_group cp.async.bulk.wait_group.read wgmma.wait_group.sync.aligned tcgen05.wait::ld.sync.aligned",
        "": "ld.param.b32 st.param.b32 mad.lo.s32 mov.u32 bar.arrive barrier.cluster.arrive "
        "mbarrier.init.shared::cta.b64 cp.async.commit_group wgmma.fence.sync.aligned "
        "createpolicy.fractional.L2::evict_first.b64",
    },
    "sass": {
        "load": "LDG.E.128 LDS LDSM.16.M88.4 LDGSTS.E.BYPASS.128 LDTM.16dp32bit_t0_t15.x32 UTMALDG.2D LDL",
        "store": "STG.E STS.128 STSM.16.M88.4 STTM.x32 UTMASTG.2D STL",
        "fma": "FFMA FFMA.FTZ DFMA HFMA2 FFMA2",
        "tensor": "HMMA.1688.F32.TF32 HGMMA.64x64x8.F32.TF32 IMMA.16832.S8.S8 UTCHMMA QGMMA.64x64x32.F32",
        "barrier": "BAR.SYNC.DEFER_BLOCKING DEPBAR.LE SYNCS.PHASECHK.TRANS64.TRYWAIT WARPGROUP.DEPBAR.LE WARPSYNC.ALL",
        "": "LDC ULDC.64 LDGDEPBAR IMAD.WIDE BAR.ARV SYNCS.EXCH.64 WARPGROUP.ARRIVE BSYNC S2R FADD STT2 UTCBAR EXIT",
    },
}


@pytest.mark.parametrize("stage", KIND)
def test_kinds(stage: str):
    assert {*KIND[stage]} == {*KINDS, ""}
    for name, opcodes in KIND[stage].items():
        assert {opcode: kind(opcode, stage) for opcode in opcodes.split()} == dict.fromkeys(opcodes.split(), name)
