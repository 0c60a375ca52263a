"""Projects are built without a network, from what an install step has cached before the agent."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from support.bench import Bench
from support.registries import CARGO_TOML, CRATE, FETCHED, GREETING_RS, MODULE, Registries
from support.sandboxes import CONFINED
from support.sweep import paired, some

SPARSE_SINCE = (1, 68)
"""The first release of cargo that asks a registry by plain files."""


class Project(NamedTuple):
    """What a pipeline builds."""

    program: str
    files: dict[str, str]
    install: str
    """May ask the registries at ``$1``."""
    build: str
    """What it prints last is what the product says."""
    says: str
    never: str = ""
    """What the build does not print, since it found what the install step has built."""


PIP = "python3 -m pip install --no-index --find-links packages --target lib six markupsafe"
PROJECTS = {
    "pip": Project(
        "python3",
        {},
        f"{PIP} && rm -r lib",
        f"{PIP} && PYTHONPATH=lib python3 -c 'import six, markupsafe._speedups;"
        ' print(six.ensure_str(b"hello"), markupsafe._speedups.__file__.endswith(".so"))\''
        " && rm -r lib",
        "hello True",
        "Building wheel",
    ),
    "npm": Project(
        "npm",
        {"package.json": '{"name": "a", "version": "1.0.0", "dependencies": {"is-odd": "3.0.1"}}'},
        'npm install --no-audit --no-fund --registry "$1/npm" && rm -r node_modules',
        "npm ci --offline --no-audit --no-fund"
        " && node -e 'console.log(require(\"is-odd\")(3))' && rm -r node_modules",
        "true",
    ),
    "go": Project(
        "go",
        {
            "go.mod": f"module example.org/app\n\ngo 1.17\n\nrequire {MODULE} v1.0.0\n",
            "main.go": f'package main\n\nimport "{MODULE}"\n\n'
            "func main() { println(greeting.Hello()) }\n",
        },
        'GOSUMDB=off GOPROXY="$1/go" go mod tidy && GOPROXY=off go build -o app . && rm app',
        "GOPROXY=off go build -o app . && ./app 2>&1 && rm app",
        "hello from a module",
    ),
    "cargo": Project(
        "cargo",
        {
            "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2018"\n\n'
            f'[dependencies]\n{CRATE} = "1"\n',
            "src/main.rs": f'fn main() {{ println!("{{}}", {CRATE}::hello()); }}\n',
        },
        "cargo fetch",
        "cargo build -q --offline && target/debug/app && rm -r target",
        "hello from a crate",
    ),
}


@pytest.fixture
def registries() -> Iterator[Registries]:
    """Return registries that the install step reaches, and the build does not."""
    if not (FETCHED / ".ready").exists():
        pytest.skip("there are no packages: `make packages`")
    with Registries() as registries:
        yield registries


@pytest.mark.req("G-02", "G-18", "G-28")
@pytest.mark.parametrize(
    ("name", "level"), paired("real builds", some("real builds", PROJECTS, 2), CONFINED)
)
def test_it_is_built_from_what_an_install_step_cached(
    bench: Bench, registries: Registries, monkeypatch: pytest.MonkeyPatch, name: str, level: str
) -> None:
    project = PROJECTS[name]
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if shutil.which(project.program) is None:
        pytest.skip(f"{project.program} is not installed")
    lay_out(bench.workdir, name, registries.url)
    body = f"""
install [type=tool, tool_command="sh install.sh {registries.url}", network=host, timeout="300s"]
agent [prompt="x", agent=local_exec, local_exec.argv="true"]
build [type=tool, tool_command="sh build.sh", timeout="300s"]
start -> install -> agent -> build -> done
"""
    result = bench.run(body, confinement=level)
    said = {node: bench.path(f"nodes/{node}/1.1/tool.stdout.log") for node in ("install", "build")}
    assert result.summary.status == "PASS", result
    assert said["build"].read_text().splitlines()[-1] == project.says
    if project.never:
        assert project.never in said["install"].read_text()
        assert project.never not in said["build"].read_text()
    assert {path.split("/")[1] for path in registries.asked} <= {name}


def lay_out(source: Path, name: str, url: str) -> None:
    """Put a project where a run takes it from."""
    project = PROJECTS[name]
    scripts = {
        "install.sh": f"set -e\n{project.install}\n",
        "build.sh": f"set -e\n{project.build}\n",
    }
    for path, text in {**project.files, **scripts}.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text)
    if name == "pip":
        if not Path(sysconfig.get_path("include"), "Python.h").exists():
            pytest.skip("Python's headers are not installed")
        shutil.copytree(FETCHED / "pip", source / "packages")
    if name == "cargo":
        name_a_registry(source, url)


def name_a_registry(source: Path, url: str) -> None:
    """Let cargo ask our registry; an older one finds the crate beside the project."""
    told = subprocess.run(["cargo", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"(\d+)\.(\d+)", told)
    assert version is not None
    where = f'registry = "sparse+{url}/cargo/"'
    if (int(version[1]), int(version[2])) < SPARSE_SINCE:
        where = 'directory = "vendor"'
        whole = {"Cargo.toml": CARGO_TOML, "src/lib.rs": GREETING_RS}
        for path, text in {**whole, ".cargo-checksum.json": '{"files":{}}'}.items():
            file = source / "vendor" / CRATE / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    (source / ".cargo").mkdir()
    (source / ".cargo" / "config.toml").write_text(
        f'[source.crates-io]\nreplace-with = "ours"\n\n[source.ours]\n{where}\n'
    )
