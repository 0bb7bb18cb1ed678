import shutil
from pathlib import Path

import pytest

from proset_study.base.records import read_json, read_json_lines, write_json_lines
from proset_study.release.verify.restore import restore
from proset_study.store.packed import pack, unpack
from proset_study.study import layout

ARCHIVE = "records/replicate_0_searches.tar.xz"


@pytest.fixture
def elsewhere(report, tmp_path, monkeypatch):
    """A copy of the report, and a folder without results."""
    folder = shutil.copytree(report, tmp_path / "report")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    return folder


@pytest.fixture
def files(whole):
    """Of custom data."""
    return [whole.study.config["data_sets"]["odd"]["file"]]


def test_records_of_searches_are_restored_once_and_nothing_is_changed(elsewhere, whole, files, tmp_path):
    n_records, replicates = restore(elsewhere, tmp_path / "first", files)
    found = sorted(Path("results").rglob("*.json"))
    assert (len(found), replicates) == (n_records, [0])
    unpack(elsewhere / ARCHIVE, layout.record_names(whole.study, "replicate_0_searches"), tmp_path / "packed")
    packed = read_json_lines(tmp_path / "packed/replicate_0/flowers/E3/stage1/folds_0-2_trials_0-5.jsonl")
    folder = Path(f"results/{whole.study.name}/replicate_0/flowers/E3/stage1")
    assert [read_json(folder / f"fold_{r['fold']}/trials/{r['trial']}.json") for r in packed] == packed
    found[0].write_text("{}\n", encoding="utf-8")
    assert restore(elsewhere, tmp_path / "second", files) == (0, [0])
    assert found[0].read_text(encoding="utf-8") == "{}\n"


def test_without_searches_nothing_is_restored(elsewhere, files, tmp_path):
    (elsewhere / ARCHIVE).unlink()
    assert restore(elsewhere, tmp_path / "scratch", files) == (0, [])


@pytest.mark.parametrize("fold", ["../../../../../stranger", None, "first"])
def test_a_record_cannot_name_a_place_of_its_own(elsewhere, whole, files, tmp_path, fold):
    names = layout.record_names(whole.study, "replicate_0_searches")
    unpack(elsewhere / ARCHIVE, names, tmp_path / "changed")
    path = tmp_path / "changed" / names[0]
    write_json_lines(path, [record | {"fold": fold} for record in read_json_lines(path)])
    pack(tmp_path / "changed", names, elsewhere / ARCHIVE)
    with pytest.raises(ValueError, match=f"{ARCHIVE}: a record of .* does not say which it is"):
        restore(elsewhere, tmp_path / "scratch", files)
    assert not list(tmp_path.rglob("*stranger*"))
