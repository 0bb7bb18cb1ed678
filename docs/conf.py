"""The site of the documentation: make docs."""

import re
from pathlib import Path

from docutils.nodes import SkipNode
from docutils.utils.math.latex2mathml import tex2mathml

import proset

project = "proset"
author = "The proset-study developers"
copyright = f"2026, {author}"
version = release = proset.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build", "README.md", "examples", "gallery/*.ipynb"]
templates_path = ["_templates"]
default_role = "py:obj"  # `fit` in a docstring is code, and a link where there is such a name
numpydoc_show_class_members = False  # the template of classes lists them
autosummary_generate = True
autodoc_typehints = "none"  # docstrings say more

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("proset",),
    "reference_url": {"proset": None},
    "subsection_order": ["examples/models", "examples/tuning", "examples/predictions", "examples/ensembles"],
    "within_subsection_order": "FileNameSortKey",
    "default_thumb_file": str(Path(__file__).with_name("images") / "decision_surface.png"),
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 1e9,  # times are those of the machine that built the site
    "write_computation_times": False,
}

html_theme = "pydata_sphinx_theme"
html_title = f"proset {version}"
html_static_path = ["_static"]
html_css_files = ["proset.css"]
html_copy_source = False
html_show_sourcelink = False
html_math_renderer = "mathml"
html_sidebars = {page: [] for page in ("start", "changelog", "contributing")}  # no pages below
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}


def setup(app):
    app.connect("source-read", _link_to_gallery)
    # Formulas become MathML, which browsers show without a script; MathJax would be fetched from the network.
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))


def _link_to_gallery(app, docname, source):
    """Links to the script of an example, which can be followed without the site, lead to its page."""
    source[0] = re.sub(r"\]\([./]*examples/(\w+/\w+)\.py\)", r"](/gallery/\1.rst)", source[0])


def _inline(self, node):
    self.body.append(tex2mathml(node.astext()))
    raise SkipNode


def _block(self, node):
    self.body.append(f'<div class="formula">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode
