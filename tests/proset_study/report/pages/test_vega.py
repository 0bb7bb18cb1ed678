"""The copy of Vega-Lite that reports take: written anew by `python -m tests.proset_study.report.pages.test_vega`."""

import base64
import gzip
import json

import pytest

from proset_study.report.pages.rendering import LIBRARY

vl_convert = pytest.importorskip("vl_convert")


def made():
    return vl_convert.javascript_bundle().encode()


def test_the_copy_is_what_the_installed_release_gives():
    name, _, text = LIBRARY.read_text(encoding="utf-8").partition(" = ")
    assert name == "const VEGA"
    assert gzip.decompress(base64.b64decode(json.loads(text.removesuffix(";\n")))) == made()


if __name__ == "__main__":
    packed = base64.b64encode(gzip.compress(made(), 9, mtime=0)).decode("ascii")
    LIBRARY.write_text(f'const VEGA = "{packed}";\n', encoding="utf-8")
