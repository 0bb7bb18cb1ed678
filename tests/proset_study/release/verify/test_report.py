import json
import lzma
import re
import shutil
from itertools import product
from pathlib import Path

import pytest
from tests.proset_study.release.verify.conftest import change_manifest, one_digit_changed
from tests.proset_study.small_study import compute, pack_archive, write_all

from proset_study import methods
from proset_study.base.records import read_json, read_json_lines, read_text, write_json, write_json_lines, write_text
from proset_study.release.release import release
from proset_study.report.analysis.manifest import made_with, manifest
from proset_study.store.metrics import LOSSES, SCORES, Score
from proset_study.store.packed import pack, read_files, records_sha256, unpack, write_files
from proset_study.store.results import Row, case_rows, read_csv, text_of, write_rows
from proset_study.store.stored import Stored
from proset_study.study import layout


@pytest.fixture
def changed(report, tmp_path):
    """A copy to spoil."""
    return shutil.copytree(report, tmp_path / "report")


def change_archive(path, added=None, removed=()):
    files = dict(read_files(path, lambda name: True)) | (added or {})
    write_files(path, ((name, content) for name, content in files.items() if name not in removed))


ARCHIVES = ("replicate_0", "replicate_0_first_fits", "replicate_0_searches")


def repack(folder, whole, change, archives=ARCHIVES):
    """Change the records below a folder, pack them again, and give the manifest their checksum, as a liar would."""
    scratch = folder.parent / "scratch/small"
    names = {archive: layout.record_names(whole.study, archive) for archive in ARCHIVES}
    digests = {}
    for archive in ("replicate_0", "replicate_0_searches"):
        unpack(folder / f"records/{archive}.tar.xz", names[archive], scratch)
    change(scratch / "replicate_0")
    for archive in archives:
        pack_archive(scratch, whole.study, archive, folder / f"records/{archive}.tar.xz")
        first_fits = archive.endswith(layout.FIRST_FITS)
        digests[archive] = records_sha256(scratch, names[archive], first_fits)
    change_manifest(folder, lambda known: known["records_sha256"].update(digests))
    shutil.rmtree(folder / layout.STORE)  # it has what the records had


def test_an_honest_report_passes_with_many_refits_and_it_is_said_what_was_done(report, check):
    assert check(report, n_refits=6) == []
    said = "\n".join(check.said)
    assert "compared to the byte" in said
    assert re.search(r"\d+ fits and evaluations are repeated and compared exactly", said)
    assert re.search(
        r"not checked: 8 pages and figures \(index.html, ...\), not rendered again: made by other code", said
    )


def test_predictions_of_other_programs_are_those_of_the_records_to_the_byte(changed, check):
    path = changed / "predictions/cross.parquet"
    path.write_bytes(path.read_bytes() + b" ")
    assert check(changed) == ["predictions/cross.parquet does not follow from the records"]
    index = read_json(changed / layout.STORE_INDEX)
    write_text(changed / layout.STORE_INDEX, json.dumps(index | {"pyarrow": "1.0"}) + "\n")
    assert check(changed) == []
    assert any("predictions/, of pyarrow 1.0, here it is" in line for line in check.said)
    shutil.rmtree(path.parent)
    assert check(changed) == []
    assert "not checked: predictions/, which is in the archive of a release" in check.said


def test_what_a_former_config_left_is_neither_packed_nor_counted(whole, report, tmp_path):
    folder = shutil.copytree(whole.folder, tmp_path / "small")
    old = folder / "replicate_0/flowers/E3"
    records = read_json_lines(old / "stage1/folds_0-2_trials_0-5.jsonl")
    write_json_lines(old / "stage1/folds_0-2_trials_0-9.jsonl", records)
    shutil.copytree(old, old.with_name("E99"))
    for archive in ARCHIVES:
        pack_archive(folder, whole.study, archive, tmp_path / "again.tar.xz")
        assert (tmp_path / "again.tar.xz").read_bytes() == (report / f"records/{archive}.tar.xz").read_bytes()
    known = read_json(report / "manifest.json")
    made = manifest(Stored(folder, whole.study))
    assert all(made[key] == known[key] for key in ("cost", "not_converged", "records_sha256"))


def edit(path, change, *arguments):
    """Change the text of a file, which may be compressed."""
    text = change(text_of(path.name, path.read_bytes()), *arguments).encode()
    path.write_bytes(lzma.compress(text) if path.suffix == ".xz" else text)


def test_one_changed_digit_of_a_record_is_found_by_its_checksum(changed, whole, check):
    scratch = changed.parent / "scratch/small"
    names = layout.record_names(whole.study, "replicate_0")
    unpack(changed / "records/replicate_0.tar.xz", names, scratch)
    digests = [records_sha256(scratch, names, False)]
    assert digests == [read_json(changed / "manifest.json")["records_sha256"]["replicate_0"]]
    for kind in ("split.csv", "predictions.csv", "fit.json"):
        path = next(p for p in sorted(scratch.rglob(kind)))
        text = read_text(path)
        digits = list(re.finditer(r"\d(?=[,\n])", text))
        at = digits[len(digits) // 2].start()
        write_text(path, text[:at] + str((int(text[at]) + 1) % 10) + text[at + 1 :])
        digests.append(records_sha256(scratch, names, False))
    assert len(set(digests)) == 4
    pack(scratch, names, changed / "records/replicate_0.tar.xz")
    assert "records/replicate_0.tar.xz: manifest.json has the checksum of other records" in check(changed)


def _slightly(values):
    return [value * (1 + 1e-12) for value in values]


# What a liar who fixes the checksum changes of the records of a kind, and where it is found.
RECORDS = {
    "selections and seeds": [
        ("*/E3/stage1.json", lambda r: {"threshold": r["threshold"] * 1.001}, "stage1.json: the selection"),
        (
            "*/E3/stage2.json",
            lambda r: {"standard_deviation": _slightly(r["standard_deviation"])},
            "stage2.json: the selection",
        ),
        ("cross/E3/fit.json", lambda r: {"refits": r["refits"][:1]}, "it has fit seeds [0, 1], must have 3"),
    ],
    "fits and evaluations": [
        ("*/E3/fit.json", lambda r: {"summary": r["summary"] | {"candidates": 1}}, "final model summary"),
        (
            "*/E9/fit.json",
            lambda r: {"parameters": {k: v * (1 + 1e-12) for k, v in r["parameters"].items()}},
            "final model parameters",
        ),
        (
            "*/*/fit.json",
            lambda r: {"refits": [fit | {"summary": fit["summary"] | {"active_features": 99}} for fit in r["refits"]]},
            "final model with fit seed",
        ),
        (
            "*/*/bootstrap.json",
            lambda r: {"error": r["error"] | {"training": r["error"]["training"] + 1e-12}},
            "bootstrap error",
        ),
        ("*/*/learning_curve.json", lambda r: {"n_scored": r["n_scored"] + 1}, "learning_curve n_scored"),
        ("*/*/bias_variance.json", lambda r: {"complexity": 99}, "bias_variance complexity"),
    ],
}


@pytest.mark.parametrize("kind", RECORDS)
def test_changed_numbers_of_records_are_found_though_their_checksum_is_fixed(changed, whole, check, kind):
    def change_all(folder):
        for pattern, change, _ in RECORDS[kind]:
            for path in folder.glob(pattern):
                record = read_json(path)
                write_json(path, record | change(record))

    repack(changed, whole, change_all)
    found = check(changed, n_refits=200)
    assert [where for *_, where in RECORDS[kind] if not any(where in line for line in found)] == [], found


def test_changed_predictions_and_a_changed_split_are_found_though_their_checksum_is_fixed(changed, whole, check):
    def change(folder):
        write_text(folder / "odd/split.csv", read_text(folder / "odd/split.csv").replace(",1\n", ",0\n", 1))
        text = read_text(folder / "cross/E8/predictions.csv").splitlines(keepends=True)
        text[1] = re.sub(r"[^,]+,[^,]+\n", "0.123,0.877\n", text[1])
        write_text(folder / "cross/E8/predictions.csv", "".join(text))

    repack(changed, whole, change)
    found = check(changed)
    assert "replicate_0/odd/split.csv: the split made again differs" in found
    assert any(line.startswith("results.csv.xz") for line in found)


def test_invented_trials_and_paths_are_found(changed, whole, check):
    keys = ("log_loss", "n_fit")

    def change(folder):
        for path in folder.glob("*/*/stage?/**/*.jsonl"):
            records = read_json_lines(path)
            for record, key in product(records, keys):
                record[key] = _slightly(record[key]) if isinstance(record[key], list) else record[key] * (1 + 1e-12)
            write_json_lines(path, records)

    repack(changed, whole, change)
    found = check(changed, n_refits=30)
    for key in keys:
        assert any(re.search(rf", trial \d+ of fold \d: {key} is ", line) for line in found)
        assert any(re.search(rf", fold \d: {key} is ", line) for line in found)


def test_a_lost_evaluation_and_a_lost_record_are_named(changed, whole, check):
    names = layout.record_names(whole.study, "replicate_0")
    lost = [name for name in names if name.endswith("bias_variance.json")]
    change_archive(changed / "records/replicate_0.tar.xz", removed=lost)
    (line,) = check(changed)
    assert re.fullmatch(r".*: replicate_0.tar.xz: 2 record\(s\) are missing, the first is .*/bias_variance.json", line)


def test_files_that_do_not_belong_and_files_that_are_missing_are_named(changed, check):
    (changed / "tables/E99.md").write_text("# [E99] 0.00\n", encoding="utf-8")
    (changed / "evaluation/other.csv").write_text("a\n", encoding="utf-8")
    (changed / "figures/elsewhere").mkdir(parents=True)
    (changed / "figures/elsewhere/a.svg").write_bytes(b"")
    (changed / "tables/E8.tex").unlink()
    (changed / "comparison.csv").unlink()
    found = check(changed)
    assert {
        "'tables/E99.md' does not belong to the report",
        "'figures/elsewhere/a.svg' does not belong to the report",
        "evaluation/other.csv does not follow from the records",
        "comparison.csv is missing",
        "tables/E8.tex is missing",
    } < {*found}


def test_a_partial_report_is_refused(changed, check):
    change_manifest(changed, lambda known: known.update(missing=[{"run": "E8"}]))
    assert check(changed) == [f"{changed} is a partial report, 1 final models are missing: it has no records"]


def test_a_file_of_own_data_is_read_only_if_it_is_named(report, check):
    (line,) = check(report, files=())
    assert re.search(r"data set 'odd' is made of '.*odd.csv', which is not part of the report; .* FILES=", line)


def test_the_report_of_another_arithmetic_is_told_from_a_wrong_one(changed, check):
    """Last digits may differ, fits of proset are not repeated, and both are said; a wrong number is still found."""
    change_manifest(changed, lambda known: known["arithmetic"].update(proset="another"))
    path = changed / layout.ALL_SCORES
    value = re.search(r"E8,knn,flowers,,final,log_loss,(\S+)", read_csv(path))[1]
    edit(path, str.replace, value, f"{value}00002")
    assert check(changed, n_refits=9) == []
    said = "\n".join(check.said)
    assert "numbers to a relative difference of 1e-09" in said
    assert re.search(r"arithmetic of the report is 'another', here it is \S+: fits of proset are not repeated", said)
    edit(path, str.replace, f"{value}00002", f"{float(value) + 1e-8}")
    (line,) = check(changed)
    assert line.startswith("results.csv.xz, line ")


def of_another_processor(changed, whole, **changes):
    """The records of KNN as if another class of processors had made them."""

    def change(folder):
        for path in [*folder.glob("*/E8/fit.json"), *folder.glob("*/E8/*_*.json")]:
            write_json(path, read_json(path) | {"arithmetic": "another processor"} | changes)

    repack(changed, whole, change)


def test_fits_of_other_libraries_on_another_class_of_processors_are_compared_to_a_tolerance(changed, whole, check):
    of_another_processor(changed, whole)
    assert check(changed, n_refits=30) == []
    assert any("compared to a difference of 1e-06" in line for line in check.said)


def test_models_that_are_not_unique_are_repeated_on_the_same_class_of_processors_only(
    changed, whole, check, monkeypatch
):
    """Of several equally good models, as solutions of a linear program, another processor finds another one."""
    monkeypatch.setattr(methods.get("knn"), "unique", False, raising=False)
    assert check(changed, n_refits=30) == []
    assert not any("fits of knn" in line for line in check.said)
    of_another_processor(changed, whole, summary={"active_features": 9})
    assert not any(", final model" in line for line in check(changed, n_refits=30))
    assert any(line.startswith("fits of knn are not repeated: of several models") for line in check.said)
    monkeypatch.undo()
    assert any("E8, final model summary" in line for line in check(changed, n_refits=30))


@pytest.fixture(scope="module")
def archived(report, checkout, tmp_path_factory):
    """The archive of the release; tests take copies."""
    folder = tmp_path_factory.mktemp("released")
    release(shutil.copytree(report, folder / "small"), folder / "elsewhere.tar.xz", checkout)
    return folder / "elsewhere.tar.xz"


@pytest.fixture
def released(report, archived, tmp_path):
    """A report as it is committed, and its archive."""
    folder = shutil.copytree(report, tmp_path / "small")
    (folder / "records/replicate_0_searches.tar.xz").unlink()
    (folder / "records/replicate_0.tar.xz").unlink()
    return folder, Path(shutil.copy2(archived, tmp_path))


def test_without_its_archive_a_report_is_checked_as_far_as_that_goes(released, check):
    folder, _ = released
    assert check(folder, n_refits=3) == []
    said = "\n".join(check.said)
    assert (
        "not checked, because the records are in the archive small-report.tar.xz (make verify ARCHIVE=...): refits of"
        " replicate 0 with other seeds (numbers are taken from results.csv.xz), and what they add to"
        " findings/response_curves.csv, data_sets/; selections, findings/rules.csv.xz, findings/prototypes.csv,"
        " evaluation/bootstrap.csv of replicate 0; costs of replicate 0" in said
    )
    assert "selections and costs follow from" not in said
    edit(folder / layout.ALL_SCORES, one_digit_changed)
    (line,) = check(folder)
    assert line.startswith("results.csv.xz, line ")


def test_without_its_archive_a_changed_number_of_a_refit_contradicts_what_is_made_of_it(released, check):
    folder, _ = released
    edit(folder / layout.ALL_SCORES, one_digit_changed, r"refit_1,log_loss,\d\.(\d)")
    assert any(line.startswith("findings/variance.csv.xz, line ") for line in check(folder))


def test_without_its_archive_rows_of_other_refits_are_found(released, check):
    folder, _ = released
    for pattern, new in (
        (r"(E3,proset,cross,,)refit_2(,log_loss)", r"\1refit_7\2"),
        (r"(0,E3,proset,flowers,,refit_2,log_loss,)(.*)\n", r"\1\2\n\1\2\n"),
        (r"0,E3,proset,odd,,refit_2,.*\n", ""),
    ):
        edit(folder / layout.ALL_SCORES, lambda text, pattern=pattern, new=new: re.sub(pattern, new, text))
    said = "results.csv.xz: 0, E3, proset, {},  has other rows than a final model and its refits"
    assert {said.format(data_set) for data_set in ("cross", "flowers", "odd")} <= {*check(folder)}


def test_the_archive_of_the_first_fits_has_nothing_of_others(whole, report):
    committed, name = report / "records/replicate_0_first_fits.tar.xz", "replicate_0/cross/E3/predictions.csv"
    files = dict(read_files(committed, lambda name: True))
    first, *others = whole.final("E3", "cross").probabilities_of_fits
    assert len(others) == 2
    assert len(files[name].splitlines()[0].split(b",")) == 3 + first.shape[1]
    assert json.loads(files["replicate_0/cross/E3/fit.json"])["refits"] == []


@pytest.mark.parametrize("archive", ["replicate_0", "replicate_0_first_fits"])
def test_first_fits_that_contradict_the_records_of_all_are_found_though_checksums_are_fixed(
    changed, whole, check, archive
):
    def change(folder):
        path = folder / "flowers/E8/predictions.csv"
        write_text(path, one_digit_changed(read_text(path)))

    repack(changed, whole, change, [archive])
    said = "records/replicate_0_first_fits.tar.xz: its records are not those of the same fits in the archive of all"
    assert said in check(changed)


def test_more_than_the_first_fits_in_their_archive_is_found(changed, whole, check):
    name = "replicate_0_first_fits"
    names = layout.record_names(whole.study, name)
    pack(whole.folder, names, changed / f"records/{name}.tar.xz")
    assert f"records/{name}.tar.xz: manifest.json has the checksum of other records" in check(changed)


def test_scores_of_a_data_set_that_was_asked_for_are_checked_as_far_as_there_are_records(released, whole, check):
    folder, archive = released
    name = layout.DATA_SET_SCORES.format(data_set="flowers")
    cases = whole.study.cases([0], data_set="flowers")
    write_rows(folder / name, [row for case in cases for row in case_rows(whole.folder, case)], Row)
    assert check(folder) == []
    edit(folder / name, one_digit_changed)
    (line,) = check(folder, archive=archive)
    assert line.startswith(f"{name}, line ")


def test_with_searches_but_without_refits_costs_are_not_checked_and_that_is_said(changed, check):
    (changed / "records/replicate_0.tar.xz").unlink()
    shutil.rmtree(changed / layout.STORE)
    assert check(changed) == []
    said = "\n".join(check.said)
    assert "selections follow from the searches of replicate 0" in said
    assert said.endswith("; costs of replicate 0")


def test_a_release_is_checked_without_the_report(released, check):
    _, archive = released
    assert check(None, n_refits=3, archive=archive) == []
    assert "selections and costs follow from the searches of replicate 0" in "\n".join(check.said)
    change_archive(archive, {"secret": b""})
    assert check(None, archive=archive) == [f"{archive} is refused: 'secret' is not a file of a report"]
    change_archive(archive, {"other/results.csv.xz": b""}, removed=["secret"])
    (line,) = check(None, archive=archive)
    assert "is refused: 2 folders are not allowed, the archive of a release has one" in line
    requirements = {"small/environment/requirements.txt": b"numpy==1.0"}
    change_archive(archive, requirements, removed=["other/results.csv.xz", "small/results.csv.xz"])
    lines = check(None, archive=archive)
    assert "results.csv.xz is missing" in lines
    assert lines[-3:] == [
        "environment/requirements.txt has another checksum than in SHA256SUMS",
        "1 file(s) of SHA256SUMS are missing, the first is 'results.csv.xz'",
        "1 file(s) that a release has are missing, the first is results.csv.xz",
    ]


def test_a_release_has_checksums_of_all_its_files_and_none_of_them_is_left_out(released, check):
    _, archive = released
    files = dict(read_files(archive, lambda name: True))
    files["small/figures/overview/more.svg"] = b"a figure"
    sums = files["small/SHA256SUMS"].decode().splitlines(True)
    files["small/SHA256SUMS"] = "".join(line for line in sums if "data_sets/odd.html" not in line).encode()
    del files["small/data_sets/odd.html"], files["small/predictions/_index.json"]
    write_files(archive, files.items())
    assert {
        "figures/overview/more.svg is not in SHA256SUMS",
        "1 file(s) of SHA256SUMS are missing, the first is 'predictions/_index.json'",
        "2 file(s) that a release has are missing, the first is predictions/_index.json",
    } <= {*check(None, archive=archive)}
    change_archive(archive, {}, removed=["small/SHA256SUMS"])
    assert "SHA256SUMS is missing, a release has it" in check(None, archive=archive)


def test_with_its_archive_named_or_next_to_it_all_of_a_report_is_checked(released, check):
    folder, archive = released
    assert check(folder, archive=archive) == []
    neighbour = archive.rename(folder.parent / "small-report.tar.xz")
    assert check(folder) == []
    said = "\n".join(check.said)
    assert "selections and costs follow from the searches of replicate 0" in said
    assert "in the archive" not in said
    path = folder / layout.RULES
    edit(path, one_digit_changed)
    (line,) = check(folder)
    assert "is refused: findings/rules.csv.xz is another file in small-report.tar.xz than in the report" in line
    change_archive(neighbour, {"small/findings/rules.csv.xz": path.read_bytes()})
    changed, checksum = check(None, archive=neighbour)
    assert changed.startswith("findings/rules.csv.xz, line ")
    assert checksum == "findings/rules.csv.xz has another checksum than in SHA256SUMS"


def test_an_archive_with_other_files_than_a_release_is_found_though_the_report_is_whole(released, check):
    folder, archive = released
    added = {"small/figures/odd/more.svg": b"<svg>another figure", "small/notes.txt": b"nobody asked"}
    change_archive(archive, added, removed=["small/tables/E8.md"])
    assert check(folder, archive=archive) == [
        f"1 file(s) in {archive} do not belong to the report, the first is 'small/notes.txt'",
        "figures/odd/more.svg is not in SHA256SUMS",
        "1 file(s) of SHA256SUMS are missing, the first is 'tables/E8.md'",
    ]
    change_archive(archive, removed=["small/SHA256SUMS", *added])
    assert check(folder, archive=archive) == ["SHA256SUMS is missing, a release has it"]


@pytest.fixture(scope="module")
def repeated(whole, tmp_path_factory):
    """The study with a second replicate: a copy of the results of the first one with another split of the flowers."""
    config = json.loads(json.dumps(whole.study.config))
    config["data_sets"] = {"flowers": config["data_sets"]["flowers"]}
    config["experiments"] = {name: {**config["experiments"][name], "data_sets": ["flowers"]} for name in ("E5", "E8")}
    config |= {"replicates": [0, 1], "comparisons": {}, "evaluations": {}}
    config.pop("only")
    return compute(config, tmp_path_factory.mktemp("repeated"))


def test_rows_of_replicates_in_the_archive_are_taken_from_the_results(repeated, published, checkout, check, tmp_path):
    folder = tmp_path / "small"
    write_all(repeated, folder, published, checkout)
    release(folder, tmp_path / "small-report.tar.xz", checkout)
    for name in layout.record_archives(repeated.study)[1:]:
        (folder / layout.RECORDS.format(archive=name)).unlink()
    assert check(folder, n_refits=2) == []
    assert "from records of replicates 0, 1" in check.said[0]
    (tmp_path / "small-report.tar.xz").unlink()
    assert check(folder) == []
    assert "numbers of replicate 1, which are taken from results.csv.xz" in check.said[-1]
    change_manifest(folder, lambda known: known["rendered"].update(made_with()))
    assert check(folder) == []
    assert "not checked: findings/selected_features.csv of replicates 1" in check.said
    path = folder / layout.FEATURES
    kept = path.read_text(encoding="utf-8")
    changed = re.sub(r",2,\d,[\d.]+\n", ",2,3,1.5\n", kept, count=1)
    path.write_text(changed, encoding="utf-8")
    (line,) = check(folder)
    assert line.startswith("findings/selected_features.csv, line 2: ")
    path.write_text(kept, encoding="utf-8")
    path = folder / "tables/E8.md"  # mean and deviation over both
    path.write_text(one_digit_changed(path.read_text(encoding="utf-8"), r"± \d\.\d(\d)"), encoding="utf-8")
    (line,) = check(folder)
    assert line.startswith("tables/E8.md, line ")


def test_a_report_that_was_made_before_a_score_was_added_is_right_and_says_so(report, check, monkeypatch):
    sharpness = Score("sharpness", "sharpness", lambda p, y, weight: float(p.max()), loss="sharpness")
    monkeypatch.setitem(SCORES, "sharpness", sharpness)
    monkeypatch.setitem(LOSSES, "sharpness", sharpness)
    assert check(report) == []
    assert "the report was made before sharpness was a score: not in its tables, not checked" in check.said
    assert "no fit is repeated" in check.said
    assert not any("repeated and compared" in line for line in check.said)
