import json
import re

import pytest
from tests.proset_study.small_study import write_manifest

from proset_study.release.verify.report import verify


@pytest.fixture(scope="session")
def check(published, whole, tmp_path_factory):
    """Verify a report: the lines that say what is wrong; what was said besides is in `check.said`."""

    def lines(folder, n_refits=0, files=(whole.study.config["data_sets"]["odd"]["file"],), archive=None, n_pages=None):
        lines.said = []
        scratch = tmp_path_factory.mktemp("scratch")
        return list(verify(folder, published, n_refits, 1, scratch, files, archive, lines.said.append, n_pages))

    return lines


def change_manifest(folder, change):
    known = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    change(known)
    write_manifest(folder, known)


def one_digit_changed(text, pattern=r"(?<=[,|& ])-?\d+\.\d*?(\d)(?=[,|& \n)])"):
    """The text with the last digit of a number in its middle changed; of a whole number if there is no other."""
    found = list(re.finditer(pattern, text)) or list(re.finditer(r"(?<=,)\d*?(\d)(?=[,\n])", text))
    match = found[len(found) // 2]
    digit = str((int(match[1]) + 1) % 10)
    return text[: match.start(1)] + digit + text[match.end(1) :]
