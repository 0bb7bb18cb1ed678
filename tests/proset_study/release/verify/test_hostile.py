"""Reports that somebody might send to do harm, or to be believed: each is refused or found wrong in a few lines."""

import io
import json
import lzma
import os
import re
import shutil
import sys
import tarfile
import tempfile
import time
import traceback
import zipfile
from itertools import cycle

import pytest

from proset_study import cli
from proset_study.release.release import checksums
from proset_study.release.verify.report import archive_name
from proset_study.store.packed import write_files
from proset_study.store.results import MAX_TEXT
from proset_study.study.layout import ALL_SCORES, CHECKSUMS

SECONDS, MEBIBYTES = 120, 1500
DEEP = "[" * 20_000 + "]" * 20_000
RECORDS, FIT = "records/replicate_0.tar.xz", "replicate_0/cross/E3/fit.json"

# What is done to manifest.json and its config; the folder is one that nothing may be read from or written to.
MANIFESTS = {
    "a study elsewhere": lambda known, config, outside: config.update(study=str(outside)),
    "a study above": lambda known, config, outside: config.update(study="../.."),
    "data elsewhere": lambda known, *_: known["data_sha256"].update({"../../replicate_0/x/data.npz": "0" * 64}),
    "a file of their own": lambda known, config, outside: config["data_sets"]["odd"].update(
        file=str(outside / "secret.csv")
    ),
    "huge data": lambda known, config, _: config["data_sets"]["cross"].update(samples_per_orthant=10**15),
    "a huge number": lambda known, config, _: config.update(seed=10**4000),
    "many replicates": lambda known, config, _: config.update(replicates=list(range(2000))),
    "many trees": lambda known, config, _: config["experiments"]["E9"]["stage2"].update(complexity=10**12),
    "an unknown method": lambda known, config, _: config["experiments"]["E8"].update(method="../base"),
    "a config of the wrong kind": lambda known, config, _: config.update(data_sets=[]),
    "costs of the wrong kind": lambda known, *_: known.update(cost={"0": {"proset": None}}, not_converged={"x": 1}),
    "arithmetic of the wrong kind": lambda known, *_: known.update(arithmetic=[["compiled"]], records_sha256=7),
    "pages of the wrong kind": lambda known, *_: known.update(rendered=["page"], machine={"cores": []}),
    "control characters": lambda known, config, _: config["experiments"]["E8"].update(title="\x1b[2J\x07"),
    "no config": lambda known, *_: known.pop("config"),
}
TEXTS = {"deep": DEEP, "empty": "", "list": "[]\n", "twice": '{"config": {}, "config": {}}\n', "bytes": "\udcff"}


def entry(name, data=b"x", kind=tarfile.REGTYPE, link=""):
    made = tarfile.TarInfo(name)
    made.type, made.linkname, made.size = kind, link, len(data)
    return made, data


# What an archive has besides, or in the place of a record of the same name.
ENTRIES = {
    "an absolute name": lambda name, outside: entry(str(outside / "written")),
    "a name above": lambda name, outside: entry("../../../written"),
    "a link": lambda name, outside: entry(name, b"", tarfile.SYMTYPE, str(outside / "secret.csv")),
    "a hard link": lambda name, outside: entry(name, b"", tarfile.LNKTYPE, "/etc/passwd"),
    "a link to a folder": lambda name, outside: entry("replicate_0", b"", tarfile.SYMTYPE, str(outside)),
    "a device": lambda name, outside: entry("replicate_0/null", b"", tarfile.CHRTYPE),
    "null": lambda name, outside: entry(name, b"null\n"),
    "other keys": lambda name, outside: entry(name, b'{\n "a": 1\n}\n'),
    "deep": lambda name, outside: entry(name, f'{{"a": {DEEP}\n}}\n'.encode()),
    "bytes": lambda name, outside: entry(name, b"\xff\xfe\n"),
}


def change_archive(path, change):
    """Write the entries of an archive again as `change` gives them."""
    with tarfile.open(path) as archive:
        entries = change([(found, archive.extractfile(found).read()) for found in archive])
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        for made, data in entries:
            made.size = len(data)
            archive.addfile(made, io.BytesIO(data))
    path.write_bytes(lzma.compress(written.getvalue(), preset=0))


def spoil_entry(path, name, what, outside):
    made = ENTRIES[what](name, outside)
    change_archive(path, lambda entries: [made, *(e for e in entries if e[0].name != made[0].name)])


def bomb(path, name):
    """An archive with a file of 4 GiB."""
    big, _ = entry(name)
    big.size = 2**32
    packer = lzma.LZMACompressor(preset=0)
    zeros = (packer.compress(bytes(2**20)) for _ in range(256))
    path.write_bytes(b"".join([packer.compress(big.tobuf()), *zeros, packer.flush()]))


ARCHIVES = {
    "a bomb": lambda path: bomb(path, FIT),
    "a bomb nobody asked for": lambda path: bomb(path, "replicate_0/more"),
    "a duplicate": lambda path: change_archive(path, lambda entries: [*entries, entries[0]]),
    "a lost record": lambda path: change_archive(path, lambda entries: entries[1:]),
    "swapped records": lambda path: change_archive(
        path, lambda entries: [(entries[0][0], entries[1][1]), (entries[1][0], entries[0][1]), *entries[2:]]
    ),
    "text for numbers": lambda path: change_archive(path, lambda es: [(e, d.replace(b"1", b'"1"')) for e, d in es]),
    "huge numbers": lambda path: change_archive(path, lambda es: [(e, d.replace(b"0", b"9" * 40)) for e, d in es]),
    "half of it": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "no archive": lambda path: path.write_bytes(b"x" * 99),
}
DICTIONARY = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**29}]
NUMBERS = {  # from their text
    "a bomb": lambda text: lzma.compress(text + bytes(MAX_TEXT), preset=0),
    "many rows": lambda text: lzma.compress(text + b"0,,,,,,,\n" * ((MAX_TEXT - len(text)) // 10), preset=0),
    "half of them": lambda text: lzma.compress(text)[: len(text) // 20],
    "more behind them": lambda text: 2 * lzma.compress(text),
    "memory": lambda text: lzma.compress(text, filters=DICTIONARY),
    "bytes": lambda text: lzma.compress(b"\xff\xfe\n"),
    "no numbers": lambda text: lzma.compress(text.replace(b"0", b"x")),
    "no columns": lambda text: lzma.compress(text.partition(b"\n")[2]),
}


def huge(path):
    with path.open("wb") as file:
        file.truncate(2**40)  # sparse


FILES = {
    "a link": lambda path, outside: path.symlink_to(outside / "secret.csv"),
    "a pipe": lambda path, outside: os.mkfifo(path),
    "a huge file": lambda path, outside: huge(path),
    "bytes": lambda path, outside: path.write_bytes(bytes(range(256))),
    "a folder": lambda path, outside: path.mkdir(),
}
LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
FAR_CELL = '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
SHEETS = {
    "laughs": lambda text, _: f'<!DOCTYPE x [<!ENTITY l0 "lol">{LAUGHS}]>' + text.replace("<v>", "<v>&l9;", 1),
    "a file outside": lambda text, outside: (
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{outside}/secret.csv">]>' + text.replace("<v>", "<v>&e;", 1)
    ),
    "a far cell": lambda text, _: text.replace("</sheetData>", FAR_CELL),
    "a formula": lambda text, _: text.replace("<v>", "<f>1+1</f><v>", 1),
    "no xml": lambda text, _: "<",
    "a bomb": None,
}


def change_workbook(path, what, outside):
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = min(name for name in parts if "worksheets/sheet" in name)
    if change := SHEETS[what]:
        parts[sheet] = change(parts[sheet].decode(), outside).encode()
    else:
        parts["xl/media/more.xml"] = bytes(2**27)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


def add_release(report):
    """An archive of the release where it is found."""
    path = report.parent / archive_name(report)
    files = [(str(file.relative_to(report)), file.read_bytes()) for file in report.rglob("*") if file.is_file()]
    files.append((CHECKSUMS, checksums(files)))
    write_files(path, ((f"{report.name}/{name}", content) for name, content in files))
    return path


def spoil(report, outside, where, what):
    if where == "manifest":
        path = report / "manifest.json"
        known = json.loads(path.read_text(encoding="utf-8"))
        MANIFESTS[what](known, known["config"], outside)
        path.write_text(json.dumps(known) + "\n", encoding="utf-8")
    elif where == "text of the manifest":
        (report / "manifest.json").write_bytes(TEXTS[what].encode("utf-8", "surrogateescape"))
    elif where == "records":
        spoil_entry(report / RECORDS, FIT, what, outside)
    elif where == "release":
        spoil_entry(add_release(report), f"{report.name}/{ALL_SCORES}", what, outside)
    elif where == "archive":
        ARCHIVES[what](report / RECORDS)
    elif where == BOTH:
        numbers, sheet = what.split("; ")
        path = report / ALL_SCORES
        path.write_bytes(NUMBERS[numbers](lzma.decompress(path.read_bytes())))
        change_workbook(report / "tables.xlsx", sheet, outside)
    else:
        (report / "comparison.csv").unlink()
        FILES[what](report / "comparison.csv", outside)


BOTH = "numbers and workbook"
WAYS = {
    "manifest": MANIFESTS,
    "text of the manifest": TEXTS,
    "records": ENTRIES,
    "release": ("a name above", "a link", "a device", "bytes"),  # of `ENTRIES`
    "archive": ARCHIVES,
    BOTH: ["; ".join(names) for names in zip(NUMBERS, cycle(SHEETS), strict=False)],  # each is checked by itself
    "file": FILES,
}


def tree(folder):
    """All there is below a folder, files with the time of the last change."""
    return {str(p.relative_to(folder)): p.is_file() and p.lstat().st_mtime_ns for p in folder.rglob("*")}


def verified(scratch, *arguments):
    """Status and output of the command in a child that has its libraries already; its temporary files in `scratch`."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        if not (child := os.fork()):
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w")
            sys.argv, tempfile.tempdir, code = ["verify", "verify", *map(str, arguments)], str(scratch), 0
            try:
                cli.main()
            except SystemExit as end:
                print(end, file=sys.stderr)
                code = 1
            except BaseException:
                traceback.print_exc()
                code = 2
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        _, status, used = os.wait4(child, 0)
        said.seek(0)
        return os.waitstatus_to_exitcode(status), said.read(), used.ru_maxrss / 1024


@pytest.fixture(scope="module", autouse=True)
def warm(report, check):
    """Import here what a check imports, once instead of in each process that is forked for a report."""
    assert check(report, n_refits=1) == []


@pytest.mark.parametrize(("where", "what"), [(where, what) for where, ways in WAYS.items() for what in ways])
def test_a_hostile_report_does_no_harm_and_is_not_believed(report, whole, published, tmp_path, where, what):
    outside, scratch = tmp_path / "outside", tmp_path / "scratch"
    outside.mkdir()
    (outside / "secret.csv").write_text("a,class,weight\n1234567,SECRET,1\n", encoding="utf-8")
    scratch.mkdir()
    spoil(copy := shutil.copytree(report, tmp_path / "sent/report"), outside, where, what)
    before, start = tree(tmp_path), time.monotonic()
    arguments = ["--report", copy, "--published", published, "--refits", "0", "--seed", "1", "--minutes", "5"]
    status, said, mebibytes = verified(scratch, *arguments, "--files", whole.study.config["data_sets"]["odd"]["file"])
    assert status == 1, said
    assert "Traceback" not in said
    assert "SECRET" not in said
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", said)
    assert max(map(len, said.splitlines())) < 1500
    assert len(said.splitlines()) < 400
    assert re.search(r"\d+ difference\(s\) in ", said), said
    assert where != BOTH or all(name in said for name in (ALL_SCORES, "tables.xlsx")), said
    assert tree(tmp_path) == before
    assert time.monotonic() - start < SECONDS
    assert mebibytes < MEBIBYTES


def test_the_time_that_a_check_takes_is_bounded(report, whole, published, tmp_path):
    file = whole.study.config["data_sets"]["odd"]["file"]
    arguments = ["--report", report, "--published", published, "--refits", "1", "--seed", "1", "--minutes", "0.001"]
    status, said, _ = verified(tmp_path, *arguments, "--files", file)
    assert status == 1
    assert "not finished after 0.001 minutes; allow more of them: make verify MINUTES=..." in said
    end = time.monotonic() + 60
    while list(tmp_path.iterdir()):  # removed once the process is gone
        assert time.monotonic() < end
        time.sleep(0.1)
