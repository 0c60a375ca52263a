"""What a user installs: built from the sources, put into an empty environment, and used there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest

from custody.version import VERSION
from support import refusing

pytestmark = [pytest.mark.req("U-19"), pytest.mark.xdist_group("distribution")]

NAME = "custody_runtime"
SHARED = {
    "share/bash-completion/completions/custody",
    "share/fish/vendor_completions.d/custody.fish",
    "share/man/man1/custody.1",
    "share/zsh/site-functions/_custody",
}
PYTHON = {".py", ".pyc"}
NEW_USER = 0x10000000
WHEELS = Path(sys.prefix) / "wheels"
"""What custody needs, fetched by make."""


@pytest.fixture(scope="module")
def built(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a wheel and an sdist; the wheel is made from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(root)],
        check=True, capture_output=True, timeout=240,
    )  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return built / f"{NAME}-{VERSION}-py3-none-any.whl"


@pytest.fixture(scope="module")
def bin_folder(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs of an environment with nothing in it but the wheel and what it needs."""
    if not any(WHEELS.glob("*.whl")):
        pytest.skip(f"what custody needs was not fetched: `make {WHEELS}`")
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=True)
    found = ["--no-index", "--find-links", str(WHEELS)]
    subprocess.run(
        [str(folder / "bin/python"), "-m", "pip", "--quiet", "install", *found, str(wheel)],
        check=True, capture_output=True, timeout=240, env={"PATH": str(folder / "bin")},
    )  # fmt: skip
    return folder / "bin"


def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as opened:
        return message_from_bytes(opened.read(f"{NAME}-{VERSION}.dist-info/METADATA"))


def test_the_wheel_says_what_it_is(wheel: Path) -> None:
    told = metadata(wheel)
    assert (told["Name"], told["Version"]) == ("custody-runtime", VERSION)
    classifiers = told.get_all("Classifier", [])
    assert "Operating System :: POSIX :: Linux" in classifiers
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13, 14)} <= {
        *classifiers
    }


def test_no_link_of_its_description_leads_nowhere(wheel: Path) -> None:
    links = re.findall(r"\]\(([^)]+)\)", str(metadata(wheel).get_payload()))
    assert [link for link in links if not link.startswith("https://")] == []


def test_man_page_and_completions_are_inside(wheel: Path, bin_folder: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    assert {f"{NAME}-{VERSION}.data/data/{path}" for path in SHARED} <= names
    for path in SHARED:
        assert "custody" in (bin_folder.parent / path).read_text()


def test_nothing_of_the_tests_is_inside(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        tops = {name.split("/")[0] for name in opened.namelist()}
    assert tops == {"custody", f"{NAME}-{VERSION}.data", f"{NAME}-{VERSION}.dist-info"}


def test_the_skills_are_inside_with_all_that_they_need(root: Path, wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        names = set(opened.namelist())
    skills = root / "src/custody/skills"
    wanted = [path for path in skills.rglob("*") if path.is_file() and path.suffix not in PYTHON]
    assert {path.suffix for path in wanted} >= {
        ".tcl",
        ".yaml",
        ".enc",
        ".lib",
        ".v",
        ".mag",
        ".md",
    }
    assert {f"custody/skills/{path.relative_to(skills)}" for path in wanted} <= names


def test_it_runs_where_there_is_no_compiler_and_no_checkout(
    bin_folder: Path, tmp_path: Path
) -> None:
    place = {"PATH": f"{bin_folder}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8"}

    def custody(*words: str) -> str:
        done = subprocess.run(
            [str(bin_folder / "custody"), *words],
            cwd=tmp_path, env=place, check=True, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
        return done.stdout

    assert custody("--version") == f"custody {VERSION}\n"
    assert custody("skill", "check").endswith(" skills: 0 errors, 0 warnings\n")
    custody("init")
    assert custody("run", "pipeline.dot").startswith("PASS")
    assert custody("verify", "last").startswith("intact")


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the unpacked sdist."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(built / f"{NAME}-{VERSION}.tar.gz") as opened:
        opened.extraction_filter = getattr(tarfile, "data_filter", None)  # from 3.11.4 on
        opened.extractall(folder)
    return folder / f"{NAME}-{VERSION}"


def demo(unpacked: Path, bin_folder: Path, home: Path, *prefix: str) -> str:
    done = subprocess.run(
        [*prefix, "bash", str(unpacked / "scripts/demo.sh")],
        env={"PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": str(home), "LANG": "C.UTF-8"},
        check=True, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    return done.stdout


def test_the_demo_runs_from_the_sdist(unpacked: Path, bin_folder: Path, tmp_path: Path) -> None:
    told = demo(unpacked, bin_folder, tmp_path)
    assert "UNCONFINED" not in told
    assert "\nagreed: " in told
    assert "\nintact " in told
    assert "\nnot intact " in told


@pytest.mark.req("U-20")
def test_the_demo_runs_where_nothing_can_confine_and_says_so_first(
    unpacked: Path, bin_folder: Path, tmp_path: Path
) -> None:
    refused = {"landlock_create_ruleset": (0, "ENOSYS"), "clone": (NEW_USER, "EPERM")}
    told = demo(unpacked, bin_folder, tmp_path, *refusing.command(refused))
    assert told.splitlines()[0].startswith("UNCONFINED: this machine cannot confine programs")
    assert "\nagreed: " in told


def test_every_dependency_has_a_lower_bound_that_it_names_a_reason_for(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    needed = [*project["dependencies"], *(each for extra in extras for each in extra)]
    page = (root / "docs/explanation/dependencies.md").read_text()
    for requirement in needed:
        stated = re.fullmatch(r"([\w-]+)(?:\[[\w,]+\])?(?:>=|==)[\w.]+(?:; .+)?", requirement)
        assert stated is not None, requirement
        assert f"| {stated[1]} |" in page, requirement


def test_nobody_is_told_to_install_the_package_of_a_stranger(root: Path) -> None:
    pages = [
        path for folder in ("src", "docs", "changelog.d") for path in (root / folder).rglob("*")
    ]
    told = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in (root / "README.md", *pages)
        if path.suffix in {".md", ".py"}
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"pip install\b[^`]*?\bcustody(?!-runtime)\b", line)
    ]
    assert told == []
