"""A generator of reports that a stranger might send to do harm, or to be believed: each is a copy of an honest one."""

import io
import json
import lzma
import os
import tarfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

from proset_study.release.release import checksums
from proset_study.release.verify.report import archive_name
from proset_study.store.packed import write_files
from proset_study.store.results import MAX_TEXT
from proset_study.study.layout import ALL_SCORES, CHECKSUMS, RULES

DEEP = "[" * 20_000 + "]" * 20_000


def spoil(report: Path, outside: Path, rng: np.random.Generator) -> str:
    """Spoil a report in a way drawn at random; give its name.

    Parameters
    ----------
    report : Path
    outside : Path
        A folder that nothing may be written to or read from.
    rng : numpy.random.Generator
    """
    ways = {
        name.removeprefix("_in_"): way for name, way in globals().items() if name.startswith("_in_") and callable(way)
    }
    name = str(rng.choice(sorted(ways)))
    detail = ways[name](report, outside, rng)
    return f"{name}: {detail}"


def _in_the_manifest(report, outside, rng):
    path = report / "manifest.json"
    known = json.loads(path.read_text(encoding="utf-8"))
    config = known["config"]
    changes: dict[str, Callable] = {
        "study elsewhere": lambda: config.update(study=str(rng.choice([str(outside), "../..", "a/b", ".", "x" * 300]))),
        "data elsewhere": lambda: known["data_sha256"].update({str(outside / "replicate_0/x/data.npz"): "0" * 64}),
        "data above": lambda: known["data_sha256"].update({"../../replicate_0/x/data.npz": "0" * 64}),
        "own file": lambda: config["data_sets"]["odd"].update(file=str(outside / "secret.csv")),
        "huge data": lambda: config["data_sets"]["cross"].update(samples_per_orthant=int(rng.choice([10**7, 10**15]))),
        "huge number": lambda: config.update(seed=10**4000),
        "many replicates": lambda: config.update(replicates=list(range(9000))),
        "wrong kind": lambda: known.update({str(rng.choice(["config", "cost", "missing", "data_sha256"])): 3}),
        "wrong config": lambda: config.update(
            {str(rng.choice(["folds", "data_sets", "experiments", "replicates"])): []}
        ),
        "unknown method": lambda: config["experiments"]["E8"].update(method=str(rng.choice(["os", "../base", "base"]))),
        "many trees": lambda: config["experiments"]["E9"]["stage2"].update(complexity=10**12),
        "title": lambda: config["experiments"]["E8"].update(title="\x1b[2J\x07"),
        "costs": lambda: known.update(cost={"0": {"proset": None}}, not_converged={"x": 1}),
        "arithmetic": lambda: known.update(arithmetic=[["compiled"]], records_sha256=7),
        "lost": lambda: known.pop(str(rng.choice(["config", "cost", "missing", "not_converged"]))),
    }
    what = str(rng.choice(sorted(changes)))
    changes[what]()
    path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return what


def _in_the_text_of_the_manifest(report, outside, rng):
    texts = {
        "deep": DEEP,
        "empty": "",
        "list": "[]\n",
        "twice": '{"config": {}, "config": {}}\n',
        "nan": '{"config": NaN}\n',
        "bytes": "\udcff",
    }
    what = str(rng.choice(sorted(texts)))
    (report / "manifest.json").write_bytes(texts[what].encode("utf-8", "surrogateescape"))
    return what


def _in_the_archive(report, outside, rng):
    name = rng.choice(["replicate_0", "replicate_0_first_fits", "replicate_0_searches"])
    path = report / f"records/{name}.tar.xz"
    return _spoil_archive(path, outside, rng)


def _in_the_archive_of_the_release(report, outside, rng):
    path = report.parent / archive_name(report)  # where it is found
    files = [(str(file.relative_to(report)), file.read_bytes()) for file in report.rglob("*") if file.is_file()]
    files.append((CHECKSUMS, checksums(files)))
    write_files(path, ((f"{report.name}/{name}", content) for name, content in files))
    return _spoil_archive(path, outside, rng)


def _spoil_archive(path, outside, rng):
    with tarfile.open(path) as archive:
        members = [(entry, archive.extractfile(entry).read()) for entry in archive]
    i = int(rng.integers(len(members)))
    entry, content = members[i]
    zeros = bytes(2**20)

    def member(name, kind=tarfile.REGTYPE, link="", data=b"x"):
        new = tarfile.TarInfo(name)
        new.type, new.linkname, new.size = kind, link, len(data)
        return new, data

    changes = {
        "absolute": lambda: members.append(member(str(outside / "written"))),
        "above": lambda: members.append(member("../../../written")),
        "link": lambda: members.__setitem__(i, member(entry.name, tarfile.SYMTYPE, str(outside / "secret.csv"), b"")),
        "hard link": lambda: members.__setitem__(i, member(entry.name, tarfile.LNKTYPE, "/etc/passwd", b"")),
        "link to a folder": lambda: members.insert(0, member("replicate_0", tarfile.SYMTYPE, str(outside), b"")),
        "device": lambda: members.append(member("replicate_0/null", tarfile.CHRTYPE)),
        "twice": lambda: members.append((entry, content)),
        "lost": lambda: members.pop(i),
        "null": lambda: members.__setitem__(i, member(entry.name, data=b"null\n")),
        "list": lambda: members.__setitem__(i, member(entry.name, data=b"[]\n")),
        "keys": lambda: members.__setitem__(i, member(entry.name, data=b'{\n "a": 1\n}\n')),
        "deep": lambda: members.__setitem__(i, member(entry.name, data=DEEP.encode() + b"\n")),
        "deep inside": lambda: members.__setitem__(i, member(entry.name, data=f'{{"a": {DEEP}\n}}\n'.encode())),
        "bytes": lambda: members.__setitem__(i, member(entry.name, data=b"\xff\xfe\n")),
        "wrong text": lambda: members.__setitem__(i, member(entry.name, data=content.replace(b"1", b'"1"'))),
        "huge numbers": lambda: members.__setitem__(i, member(entry.name, data=content.replace(b"0", b"9" * 40))),
        "negative": lambda: members.__setitem__(i, member(entry.name, data=content.replace(b"0.", b"-0."))),
        "other": lambda: members.__setitem__(i, member(entry.name, data=members[i - 1][1])),
        "bomb": lambda: None,
        "cut": lambda: None,
        "no archive": lambda: None,
    }
    what = str(rng.choice(sorted(changes)))
    before = list(members)
    changes[what]()
    if members == before:
        members[i] = (entry, content + b"x")
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w") as archive:
        if what == "bomb":
            big, _ = member(str(rng.choice([entry.name, "replicate_0/more"])), data=b"")
            big.size = 2**32
            archive.addfile(big)
        for new, data in members:
            new.size = len(data)
            archive.addfile(new, io.BytesIO(data))
    if what == "bomb":
        packer, packed = lzma.LZMACompressor(preset=0), []
        packed.append(packer.compress(written.getvalue()[:512]))
        packed += [packer.compress(zeros) for _ in range(256)]
        content = b"".join([*packed, packer.flush()])
    else:
        content = lzma.compress(written.getvalue(), preset=0)
    path.write_bytes({"cut": content[: len(content) // 2], "no archive": b"x" * 99}.get(what, content))
    return f"{what}, {entry.name} of {path.name}"


def _in_the_compressed_numbers(report, outside, rng):
    path = report / str(rng.choice([ALL_SCORES, RULES]))
    content = path.read_bytes()
    text = lzma.decompress(content)
    contents = {
        "bomb": lambda: lzma.compress(text + bytes(MAX_TEXT), preset=0),
        "many rows": lambda: lzma.compress(text + b"0,,,,,,,\n" * ((MAX_TEXT - len(text)) // 10), preset=0),
        "cut": lambda: content[: len(content) // 2],
        "more behind it": lambda: content + content,
        "no archive": lambda: text,
        "memory": lambda: lzma.compress(text, filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 2**29}]),
        "bytes": lambda: lzma.compress(b"\xff\xfe\n"),
        "no numbers": lambda: lzma.compress(text.replace(b"0", b"x")),
        "no columns": lambda: lzma.compress(text.partition(b"\n")[2]),
    }
    what = str(rng.choice(sorted(contents)))
    path.write_bytes(contents[what]())
    return f"{what}, {path.name}"


def _in_the_files(report, outside, rng):
    files = sorted(path for path in report.rglob("*") if path.is_file() and path.name != "selected_features.csv")
    path = files[int(rng.integers(len(files)))]
    what = str(rng.choice(["link", "pipe", "link to a folder", "huge", "bytes", "folder", "lost", "added"]))
    if what == "added":
        (report / f"tables/{'x' * 200}\x1b[2J.md").write_text("x", encoding="utf-8")
        return what
    if what == "link to a folder":
        (report / "figures").symlink_to(outside)
        return what
    path.unlink()
    if what == "link":
        path.symlink_to(outside / "secret.csv")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "huge":
        with path.open("wb") as file:
            file.truncate(2**40)  # sparse
    elif what == "bytes":
        path.write_bytes(rng.bytes(5000))
    elif what == "folder":
        path.mkdir()
    return f"{what}, {path.name}"


def _in_the_workbook(report, outside, rng):
    import zipfile

    path = report / "tables.xlsx"
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = sorted(name for name in parts if "worksheets/sheet" in name)[0]
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    what = str(rng.choice(["laughs", "outside", "far cell", "formula", "bomb", "no xml"]))
    text = parts[sheet].decode()
    if what == "laughs":
        text = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]>' + text.replace("<v>", "<v>&l9;", 1)
    elif what == "outside":
        text = f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{outside}/secret.csv">]>' + text.replace("<v>", "<v>&e;", 1)
    elif what == "far cell":
        text = text.replace("</sheetData>", '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>')
    elif what == "formula":
        text = text.replace("<v>", "<f>1+1</f><v>", 1)
    elif what == "no xml":
        text = "<"
    parts[sheet] = text.encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
        if what == "bomb":
            archive.writestr("xl/media/more.xml", bytes(2**27))
    return what
