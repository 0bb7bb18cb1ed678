"""Downloads from OpenML, through scikit-learn, which compares the checksum of OpenML with the bytes that came."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from proset.files import replacing
from proset_study.data.openml import TABLE, differences, table_of

if TYPE_CHECKING:
    import pandas as pd

TASK = "https://www.openml.org/api/v1/json/task/{}"
ATTEMPTS = 6
DELAY = 2.0  # seconds before the second attempt, twice as long before each further one
LONGEST = 300.0  # that the server may ask to wait
TIMEOUT = 60.0  # seconds without a byte


def download(openml: dict, output: str, delay: float = DELAY) -> dict[str, Any]:
    """Download a data set of OpenML as a .parquet table with a description, see `openml.description`; return that.

    "version" and "md5", if the config has them, must be those of OpenML. Columns without any value are left out.
    `delay` is in seconds before the second attempt, doubled before each further one. ValueError if the data set cannot
    be had.
    """
    folder = Path(output).parent
    folder.mkdir(parents=True, exist_ok=True)
    name = Path(table_of(openml)).stem
    with TemporaryDirectory(dir=folder, prefix=".") as cache, _timeout():
        try:
            frame, found = _patiently(lambda: _fetch(openml, cache, delay), delay)
        except (OSError, HTTPException, EOFError) as error:
            raise ValueError(f"openml {name}: {_reason(error)}") from error
        except Exception as error:  # scikit-learn's reader of ARFF has errors of its own
            raise ValueError(f"openml {name}: {str(error) or type(error).__name__}") from error
    for difference in differences(openml, found):
        raise ValueError(f"openml {name}: {difference}")
    frame.attrs = found
    with replacing(output) as file:
        frame.to_parquet(file)
    return found


def _fetch(openml: dict, cache: str, delay: float) -> tuple["pd.DataFrame", dict[str, Any]]:
    from sklearn.datasets import fetch_openml

    data_id, column = openml.get("data_id"), "default-target"
    if "task_id" in openml:
        data_id, column = _task(openml["task_id"])
    # Not the faster parser of pandas: its types follow from the values, and categories that are numbers make it fail.
    options = {"parser": "liac-arff", "n_retries": 1, "delay": delay}
    bunch = fetch_openml(data_id=data_id, target_column=column, data_home=cache, **options)
    if bunch.frame is None:
        raise ValueError(f"data set {data_id} is sparse; write it as a table, and name that in file")
    frame = bunch.frame.rename(columns=str).dropna(axis="columns", how="all")  # nothing can be filled in from nothing
    target = bunch.target_names[0] if len(bunch.target_names) == 1 else None
    features = frame.drop(columns=target) if target else frame
    categories = features.select_dtypes("category").nunique(dropna=False)
    size = (len(frame), features.shape[1] - len(categories) + int(categories.sum()))
    return frame, {
        "data_id": int(bunch.details["id"]),
        "name": bunch.details["name"],
        "version": int(bunch.details["version"]),
        "md5": bunch.details["md5_checksum"],
        "licence": bunch.details.get("licence", "unknown"),
        "target": target,
        "size": [*size, int(frame[target].nunique()) if target else 0],
    }


def _task(task_id: int) -> tuple[int, str]:
    """Data set and target of a task, which scikit-learn does not look up."""
    try:
        with closing(urlopen(TASK.format(task_id))) as response:
            task = json.load(response)["task"]
    except HTTPError as error:
        if error.code == 412:  # how OpenML says that there is none
            raise ValueError(f"there is no task {task_id}") from error
        raise
    (source,) = (given["data_set"] for given in task["input"] if given["name"] == "source_data")
    return int(source["data_set_id"]), source["target_feature"]


def _patiently(attempt: Callable, delay: float):
    """The result of the first attempt that succeeds; the last error if none does, or if patience does not help."""
    for number in range(1, ATTEMPTS + 1):
        try:
            return attempt()
        except (OSError, HTTPException, EOFError) as error:
            if number == ATTEMPTS or not _passes(error):
                raise
            after = error.headers.get("Retry-After", "") if isinstance(error, HTTPError) else ""
            time.sleep(min(LONGEST, max(delay, float(after) if after.isdecimal() else 0.0)))
            delay *= 2
    raise AssertionError


def _passes(error: Exception) -> bool:
    """Whether the fault may pass: too many requests, a server at work, a connection that broke or fell silent."""
    if isinstance(error, HTTPError):
        return error.code == 429 or error.code >= 500
    return not isinstance(error, URLError) or isinstance(error.reason, TimeoutError | ConnectionResetError)


def _reason(error: Exception) -> str:
    if isinstance(error, HTTPError):
        return f"{error.url} answers {error.code} ({error.reason})" + ("; try again later" if _passes(error) else "")
    if not isinstance(error, OSError):
        return f"what came was cut off ({error!r}); try again later"
    reason = error.reason if isinstance(error, URLError) else error
    return (
        f"www.openml.org cannot be reached ({reason!r}); run `snakemake downloads` where there is a network "
        f"(HTTPS_PROXY names a proxy), or copy {TABLE.format(name='*')} from a machine that has one"
    )


@contextmanager
def _timeout() -> Iterator[None]:
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(TIMEOUT)
    try:
        yield
    finally:
        socket.setdefaulttimeout(before)
