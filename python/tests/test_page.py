"""The example of docs/python.md, which prints what the page says. `UPDATE_GUIDE=1` writes what it prints and draws."""

import os
import re
from pathlib import Path

import matplotlib
import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_example_prints_and_draws_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # Without these the bytes of a picture differ from run to run.
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setitem(matplotlib.rcParams, "svg.hashsalt", "tvlb")
    matplotlib.use("svg")
    names: dict[str, object] = {}

    def run(block: re.Match[str]) -> str:
        exec(compile(block["code"], "docs/python.md", "exec"), names)
        shown = capsys.readouterr().out
        return f"```python\n{block['code']}```\n" + (f"\n```text\n{shown}```\n" if shown else "")

    page, picture = DOCS / "python.md", DOCS / "pictures" / "saturation.svg"
    again = re.sub(r"```python\n(?P<code>.*?)```\n(\n```text\n.*?```\n)?", run, page.read_text(), flags=re.DOTALL)
    drawn = Path(picture.name).read_text()
    if "UPDATE_GUIDE" in os.environ:
        page.write_text(again)
        picture.write_text(drawn)
    assert again == page.read_text(), "UPDATE_GUIDE=1 writes what is printed into docs/python.md"
    if f"Matplotlib v{matplotlib.__version__}," not in picture.read_text():
        pytest.skip(f"docs/pictures/{picture.name} was drawn by another version of matplotlib")
    assert drawn == picture.read_text(), "UPDATE_GUIDE=1 writes the picture"
