"""What runs programs for ARM64."""

import pytest
from tests.build import run


@pytest.fixture(scope="session")
def arm64(tmp_path_factory):
    """The start of a command line: the emulator, and a folder with the C library and the Python of Debian for ARM64."""
    folder = tmp_path_factory.mktemp("arm64")
    for name in ("lists/partial", "cache/archives/partial", "root"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "APT::Sandbox::User": "root",
        "Dir::Cache": folder / "cache",
        "Dir::State::lists": folder / "lists",
        "Dir::State::status": folder / "status",
    }
    apt = ["apt-get", "-qq", *(f"--option={name}={value}" for name, value in options.items())]
    run(*apt, "update")
    run(*apt, "install", "--download-only", "--yes", "--no-install-recommends", "python3", "libstdc++6")
    for package in (folder / "cache/archives").glob("*.deb"):
        run("dpkg-deb", "--extract", package, folder / "root")
    return ["qemu-aarch64", "-L", folder / "root"]
