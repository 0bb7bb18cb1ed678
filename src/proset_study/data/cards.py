"""Cards of data sets: where they come from, their licence, and what is known of them."""

from functools import cache
from importlib.metadata import Distribution, version
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from proset_study.base.records import file_digest
from proset_study.data import generators
from proset_study.data.openml import description, table_of
from proset_study.data.table_file import located

SHIPPED, SCHEMA = (Path(__file__).with_name(name) for name in ("cards.yaml", "card_schema.yaml"))
PACKAGES = {"sklearn": "scikit-learn"}  # whose distribution has another name
SUFFIX = ".card.yaml"
Card = dict[str, Any]


def card(settings: dict) -> Card:
    """The card of an entry of the config's `data_sets`: keys of the schema, and the values that the entry determines.

    Of generated data that is the generator with its settings and the Bayes error, of tables the version of the package
    and the SHA-256 of the file. A ValueError says what is wrong with a card.

    >>> card({"sklearn": "wine"})["licence"]
    'CC-BY-4.0'
    """
    if (generated := generators.of(settings)) is not None:
        parameters = {key: value for key, value in settings.items() if key != "generator"}
        known: Card = {"title": generated.description, "source": f"generator {settings['generator']}", "licence": "MIT"}
        error = generated.bayes_error()
        return known | {"settings": parameters} | ({} if error is None else {"bayes_error": round(error, 4)})
    if "openml" in settings:
        found = description(table_of(settings["openml"]))
        known = {"title": found.get("name", ""), "source": "OpenML", "licence": found.get("licence") or "not stated"}
        return known | {key: found[key] for key in ("version", "md5") if key in found}
    if "sklearn" in settings:
        return shipped()[f"sklearn:{settings['sklearn']}"] | _package("sklearn")
    file, path = settings["file"], located(settings["file"])
    known = shipped().get(file) or own_card(file)
    package = _package(file.partition(":")[0]) if path != Path(file) else {}
    return known | package | ({"sha256": file_digest(path).hex()} if path.is_file() else {})


@cache
def shipped() -> dict[str, Card]:
    """Cards that come with the project."""
    found: dict[str, Card] = yaml.safe_load(SHIPPED.read_text(encoding="utf-8"))
    return found


def own_card(file: str) -> Card:
    """The card next to a table; without one it says that nothing is known. ValueError if it breaks the schema."""
    path = Path(f"{file}{SUFFIX}")
    if not path.is_file():
        return {"title": Path(file).name, "source": "not stated", "licence": "not stated"}
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    check(found, str(path))
    return dict(found)


def check(found: object, name: str) -> None:
    """Refuse (ValueError) a card that breaks the schema, which is named in the message."""
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(found))
    if error is not None:
        where = ".".join(map(str, error.absolute_path)) or "top level"
        raise ValueError(f"{name}: {where}: {error.message}; keys and values are described in {SCHEMA.name}")


def _package(module: str) -> Card:
    name = PACKAGES.get(module, module)
    return {"package": f"{name} {version(name)}" if any(Distribution.discover(name=name)) else name}
