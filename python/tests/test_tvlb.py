"""The functions of the package, on the installed programs and a fabric of 36 switches."""

import inspect
import tomllib
import typing
from pathlib import Path

import pandas
import pytest

import tvlb
from tvlb import _commands

REPOSITORY = Path(__file__).parent.parent.parent
FABRIC = REPOSITORY / "tables" / "dfly-2-4-2-9.toml"
SHORT: dict[str, typing.Any] = {"window": 200, "warm_up": 1}


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tvlb.generate(FABRIC, directory := tmp_path_factory.mktemp("tables") / "out", set="all by shape")
    return directory


def test_both_programs_are_installed_and_every_function_is_on_the_page() -> None:
    version = tomllib.loads((REPOSITORY / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    for program in typing.get_args(_commands.Program):
        assert tvlb.run(program, "--version") == f"{program} {version}\n"
    page = (REPOSITORY / "docs" / "python.md").read_text()
    for name in tvlb.__all__:
        assert inspect.getdoc(getattr(tvlb, name)) and f"`{name}" in page, name


def test_a_fabric_is_loaded_or_made_of_sizes_or_of_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loaded = tvlb.fabric(FABRIC)
    sizes = tvlb.fabric("dfly(2, 4, 2, 9) relative")
    keys = {"name": "keys", "dragonfly": {"p": 2, "a": 4, "h": 2, "g": 9, "arrangement": "relative"}}
    with pytest.raises(tvlb.TvlbError, match="p must be 1"):
        tvlb.fabric("dfly(0,4,2,9)", "other.toml")
    assert tvlb.fabric(keys, "other.toml").wiring == sizes.wiring != loaded.wiring
    assert [loaded.path, sizes.path] == [FABRIC, Path("dfly-2-4-2-9-relative.toml")] and Path("other.toml").exists()
    written: dict[str, object] = {"a b": 'c"\n\u00e9', "d": [2.5e-7, True, {"e": {}, "f": [1]}]}
    assert tomllib.loads(_commands.to_toml(written)) == written
    tvlb.fabric("dfly(2,4,2,9) relative", sizes.path)
    with pytest.raises(FileExistsError, match="has other contents"):
        tvlb.fabric("dfly(2,4,2,5)", sizes.path)


def test_tables_are_generated_verified_inspected_and_compared(tables: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    sets = tvlb.generate(tvlb.fabric(FABRIC), out, set=["all by shape", "par shapes:011"])["sets"]
    assert [sets[name]["set"] for name in ("ugal-l", "par-source")] == ["all by shape", "shapes:011"]
    assert tvlb.inspect(out)["sets"] == sets and len(tvlb.inspect(out, from_=0, to=8)["min"]) == 1
    assert tvlb.diff(tables, tables)["same"] and not tvlb.diff(tables, out)["same"]
    assert tvlb.verify(out)["verified"]
    (out / "fabric.tvlb").write_bytes(b"?")
    assert "fabric.tvlb: found 1 bytes" in tvlb.verify(out)["finding"]


def test_simulations_are_frames(tables: Path) -> None:
    runs = tvlb.simulate(tables, scheme="par", load=["0.1:0.2:0.1", 0.3], seeds=range(1, 3), **SHORT)
    assert (runs["load"].tolist(), runs["seed"].tolist()) == ([0.1, 0.1, 0.2, 0.2, 0.3, 0.3], [1, 2] * 3)
    assert runs["saturated"].dtype == bool and runs["latency"].min() > 40 and runs["traffic-content"].isna().all()
    other = tvlb.simulate(tables, load=0.1, conventional=True, traffic="shift(2,0)", **SHORT)
    assert (other["set"][0], other["traffic"][0]) == ("conventional", "shift(2,0)")
    assert tvlb.simulate(tables, saturation=True, resolution=0.2, **SHORT)["by-latency"].between(0.2, 1).all()


def test_a_study_is_a_file_or_a_dictionary_and_its_tables_are_frames(tmp_path: Path) -> None:
    study = {"fabrics": ["dfly(2,4,2,9)"], "schemes": ["min", "ugal-l"], "sets": ["conventional"], "loads": [0.1]}
    study |= {"traffic": ["uniform"], "seeds": [1, 2], "settings": {"window": 200, "warm-up": 1}}
    made = tvlb.sweep(study, tmp_path / "runs")
    assert [*made["runs"]["scheme"], *made["summary"]["seeds"]] == ["min", "min", "ugal-l", "ugal-l", 2, 2]
    (tmp_path / "study.toml").write_text(_commands.to_toml(study))
    again = tvlb.sweep(tmp_path / "study.toml", tmp_path / "runs", collect=True)
    pandas.testing.assert_frame_equal(again["runs"], made["runs"])
    with pytest.raises(tvlb.TvlbError, match="2 of 6 runs are not there yet"):
        tvlb.sweep({**study, "seeds": [1, 2, 3]}, tmp_path / "runs", collect=True)


def test_paths_loads_models_and_other_commands() -> None:
    assert sum(tvlb.paths(FABRIC, 0, 8)["min_paths_by_hops"]) == 1
    drawn = tvlb.paths(FABRIC, 0, "(2,0)", set="5-hop")["vlb"]
    assert pandas.DataFrame(drawn)["probability"].sum() == pytest.approx(1)
    assert tvlb.load(FABRIC, traffic="shift(2,0)", set="min")["loads"][0]["static-saturation"] == 0.125
    modelled = pandas.DataFrame(tvlb.model(FABRIC, set=["all", "shapes:011"], patterns="shift(2,0)")["sets"])
    assert modelled["set"].tolist() == ["all", "shapes:011"]
    assert tvlb.run_json("tvlb-lab", "bisection", FABRIC)["json-version"] == 1
    axes = ["routing=ugal-l", "load=0.1", "cycles=500"]
    assert len(tvlb.run_csv("tvlb-lab", "sweep", FABRIC, axis=axes)) == 1


def test_errors_and_warnings_are_the_commands_own(tables: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(tvlb.TvlbError, match=r"nowhere\.toml: cannot read it") as error:
        tvlb.generate("nowhere.toml", tables / "out")
    assert error.value.exit_code == 2 and error.value.command[1:3] == ["generate", "nowhere.toml"]
    tvlb.simulate(tables, load=0.1, buffer=2, **SHORT)
    assert "buffer" in capfd.readouterr().err
