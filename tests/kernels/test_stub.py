"""The types that are committed for the extension are those that nanobind reads from it."""

from pathlib import Path

from nanobind import stubgen

from shoal import kernels

STUB = Path(kernels.__file__).with_name("_core.pyi")


def test_the_stub_is_the_generated_one(tmp_path):
    made = tmp_path / "made.pyi"
    stubgen.main(["-q", "-m", "shoal.kernels._core", "-o", str(made)])
    command = "python -m nanobind.stubgen -m shoal.kernels._core -o src/shoal/kernels/_core.pyi"
    assert made.read_text() == STUB.read_text(), f"the kernels have other types now; run: {command}"


def test_no_type_is_left_open():
    text = STUB.read_text()
    for vague in ("object", "Any", " list:", " tuple:", "-> tuple: ", "-> list: "):
        assert vague not in text
