import json
import shutil
import tarfile

import pytest

from proset.study.manifest import manifest
from proset.study.packed import pack, unpack
from proset.study.records import write_json
from proset.study.report.comparison import write_comparison
from proset.study.report.evaluation import write_evaluation
from proset.study.report.tables import study_tables, write_table
from proset.study.results import write_rows
from proset.study.verify import verify


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    path = tmp_path_factory.mktemp("published") / "published.csv"
    path.write_text(
        "experiment,method,dataset,variant,section,quantity,value,text\nE3,proset,flowers,,final,log_loss,0.5,0.50\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture(scope="module")
def report(stored, published, tmp_path_factory):
    """What the workflow leaves of the small study."""
    folder = tmp_path_factory.mktemp("report")
    data = sorted(stored.folder.glob("replicate_0/*/data.npz"))
    write_json(folder / "manifest.json", manifest(stored.folder, stored.study.config, data))
    write_rows(folder / "results.csv", stored.rows)
    write_comparison(folder / "comparison.csv", stored, published)
    for table in study_tables(stored, published):
        write_table(table, *(folder / f"tables/{table.name}.{suffix}" for suffix in ("md", "csv", "tex")))
    write_evaluation(folder / "evaluation", stored)
    pack(stored.folder / "replicate_0", folder / "records/replicate_0.tar.xz")
    return folder


@pytest.fixture
def changed(report, tmp_path):
    """A copy to spoil."""
    return shutil.copytree(report, tmp_path / "report")


def lines(folder, published, n_refits=0):
    return list(verify(folder, published, n_refits, seed=1))


def repack(folder, change):
    """Change a file among the packed records."""
    archive, scratch = folder / "records/replicate_0.tar.xz", folder / "scratch"
    unpack(archive, scratch)
    change(scratch / "replicate_0")
    pack(scratch / "replicate_0", archive)


def test_an_honest_report_passes_with_many_refits(report, published):
    assert lines(report, published, n_refits=8) == []


def test_same_records_same_archive(stored, report, tmp_path):
    pack(stored.folder / "replicate_0", tmp_path / "again.tar.xz")
    assert (tmp_path / "again.tar.xz").read_bytes() == (report / "records/replicate_0.tar.xz").read_bytes()


def test_a_changed_number_in_a_table_is_found(changed, published):
    path = changed / "tables/E8.md"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("|Samples|150", "|Samples|151"), encoding="utf-8")
    (line,) = lines(changed, published)
    assert line.startswith("tables/E8.md, line ")
    assert "151" in line


def test_a_changed_score_is_found_in_the_results(changed, published):
    path = changed / "results.csv"
    text = path.read_text(encoding="utf-8").splitlines()
    i = next(i for i, line in enumerate(text) if "final,log_loss" in line)
    text[i] = text[i].rsplit(",", 1)[0] + ",0.001"
    path.write_text("\n".join(text) + "\n", encoding="utf-8")
    (line,) = lines(changed, published)
    assert line.startswith(f"results.csv, line {i + 1}: ")


def test_changed_predictions_are_found(changed, published):
    def change(folder):
        path = folder / "cross/E8/predictions.csv"
        head, first, *rest = path.read_text(encoding="utf-8").splitlines()
        row, y, weight, *_ = first.split(",")
        path.write_text("\n".join([head, f"{row},{y},{weight},0.123,0.877", *rest]) + "\n", encoding="utf-8")

    repack(changed, change)
    assert any(line.startswith("results.csv") for line in lines(changed, published))


def test_a_changed_choice_is_found(changed, published):
    def change(folder):
        path = folder / "flowers/E3/stage1.json"
        choice = json.loads(path.read_text(encoding="utf-8"))
        choice["selected"] = (choice["selected"] + 1) % len(choice["settings"])
        write_json(path, choice)

    repack(changed, change)
    assert "replicate_0/flowers/E3/stage1.json: the choice does not follow from the records" in lines(
        changed, published
    )


def test_a_changed_cost_and_a_changed_latex_table_are_found(changed, published):
    known = json.loads((changed / "manifest.json").read_text(encoding="utf-8"))
    known["cost"]["0"]["proset"]["fits"] += 1
    write_json(changed / "manifest.json", known)
    path = changed / "tables/E8.tex"
    path.write_text(path.read_text(encoding="utf-8").replace("Samples & 150", "Samples & 151"), encoding="utf-8")
    found = lines(changed, published)
    assert [line.split(":")[0].split(",")[0] for line in found] == ["tables/E8.tex", "manifest.json"]


def test_a_changed_score_of_a_class_and_a_lost_evaluation_are_found(changed, published):
    path = changed / "evaluation/class_scores.csv"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("flowers,,setosa,", "flowers,,setosa,1", 1), encoding="utf-8")
    repack(changed, lambda folder: [file.unlink() for file in folder.glob("*/*/bias_variance.json")])
    lost, score = lines(changed, published)
    assert score.startswith("evaluation/class_scores.csv, line 2: ")
    assert lost == "evaluation/bias_variance.csv: 3 lines, computed again 0"


def test_invented_evaluations_are_found_by_refitting(changed, published):
    def change(folder):
        for kind in ("bootstrap", "learning_curve", "bias_variance"):
            for path in folder.glob(f"*/*/{kind}.json"):
                write_json(path, {**json.loads(path.read_text(encoding="utf-8")), "steps": 99})

    repack(changed, change)
    found = [line for line in lines(changed, published, n_refits=1) if "steps is 99" in line]
    assert [line.split(", ")[1].split()[0] for line in found] == ["learning_curve", "bootstrap", "bias_variance"]


def test_a_partial_report_is_refused(changed, published):
    known = json.loads((changed / "manifest.json").read_text(encoding="utf-8"))
    write_json(changed / "manifest.json", {**known, "missing": [{"run": "E8"}]})
    assert lines(changed, published) == [
        f"{changed} is a partial report, 1 final models are missing: it has no records"
    ]


def test_an_invented_trial_is_found_by_refitting(changed, published):
    def change(folder):
        for path in folder.glob("*/*/stage1/fold_*/*.jsonl"):
            records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            for record in records:
                record["log_loss"] *= 0.99
            path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")

    repack(changed, change)
    assert any(", trial " in line and "log_loss is " in line for line in lines(changed, published, n_refits=2))


def test_other_data_or_another_seed_are_found(changed, published):
    known = json.loads((changed / "manifest.json").read_text(encoding="utf-8"))
    known["config"]["seed"] += 1
    write_json(changed / "manifest.json", known)
    found = lines(changed, published)
    assert "replicate_0/cross/data.npz: the data made again from the seed differ" in found
    assert "replicate_0/flowers/split.csv: the split made again differs" in found


def test_an_archive_cannot_write_elsewhere(tmp_path):
    (tmp_path / "evil.txt").write_text("x", encoding="utf-8")
    with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as archive:
        archive.add(tmp_path / "evil.txt", arcname="../outside.txt")
    with pytest.raises(tarfile.OutsideDestinationError):
        unpack(tmp_path / "a.tar.xz", tmp_path / "inner")
    assert not (tmp_path / "outside.txt").exists()
