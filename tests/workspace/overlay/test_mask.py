"""What is hidden from a stage cannot be found by it, and stays where it is."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from custody.checks.gates.writes import judge_holdouts
from custody.model.relpath import RelPath
from custody.store.root import Root
from custody.workspace.overlay.layer import Layers
from custody.workspace.overlay.marks import Form
from custody.workspace.overlay.mask import Mask, hide, keep_only
from custody.workspace.workspace import Workspace
from support.overlay import become_nobody, in_child, inside
from support.trees import picture
from support.workspaces import Site, kinds

HOLDOUTS = ("scripts/scenarios", "secret.txt", "deep/er/file")
RIGHTS = ["root", "nobody"]
FORMS: tuple[Form, ...] = ("device", "attribute")


def furnish(source: Path) -> None:
    for path, mode in {
        "scripts/scenarios/one.sh": 0o755,
        "scripts/scenarios/sub/two.sh": 0o644,
        "scripts/build.sh": 0o755,
        "secret.txt": 0o600,
        "deep/er/file": 0o644,
        "deep/er/other": 0o644,
        "src/app/main.py": 0o644,
        "src/lib/a.py": 0o644,
        "tests/t.py": 0o644,
    }.items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(path)
        (source / path).chmod(mode)
    (source / "deep").chmod(0o711)
    (source / "deep" / "er").chmod(0o2750)


def run_as(rights: str, place: Path, work: object) -> None:
    """Call ``work`` with a site of its own."""

    def rehearse() -> None:
        if rights == "nobody":
            become_nobody()
        home = place / "home"
        home.mkdir()
        site = Site(home)
        furnish(site.source)
        assert callable(work)
        work(site.workspace())
        site.close()

    in_child(rehearse)


def with_mask(workspace: Workspace, layers: Layers, form: Form) -> Layers:
    """Make the mask again in another form."""
    shutil.rmtree(layers.lower[0])
    os.mkdir(layers.lower[0])
    with Root.open(layers.lower[0]) as root:
        Mask.make(root, layers.hidden, workspace.expected, form=form)
    return layers


@pytest.mark.req("P-18")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rights", RIGHTS)
def test_holdouts_are_not_to_be_found(public: Path, rights: str, form: Form) -> None:
    def work(workspace: Workspace) -> None:
        before = picture(Path(workspace.path))
        layers = workspace.begin_stage("a/1.1", [*map(RelPath.parse, HOLDOUTS)])
        layers = with_mask(workspace, layers, form)
        seen = inside(layers, lambda top: picture(Path(top)))
        assert seen == {
            path: entry
            for path, entry in before.items()
            if not any(path == hidden or path.startswith(f"{hidden}/") for hidden in HOLDOUTS)
        }
        assert workspace.capture(layers) == ()
        assert picture(Path(workspace.path)) == before

    run_as(rights, public, work)


@pytest.mark.req("P-18")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rights", RIGHTS)
def test_a_holdout_that_is_made_again_is_refused(public: Path, rights: str, form: Form) -> None:
    def act(top: str) -> None:
        for path in ("scripts/scenarios", "secret.txt"):
            assert not os.path.lexists(f"{top}/{path}")
        os.mkdir(f"{top}/scripts/scenarios")
        Path(top, "secret.txt").write_text("mine")
        Path(top, "scripts", "build.sh").write_text("changed")

    def work(workspace: Workspace) -> None:
        before = picture(Path(workspace.path))
        layers = with_mask(workspace, workspace.begin_stage("a/1.1", HOLDOUTS), form)
        inside(layers, act)
        changes = workspace.capture(layers)
        assert kinds(changes) == {
            "scripts/build.sh": "modified",
            "scripts/scenarios": "added",
            "secret.txt": "added",
        }
        verdicts = judge_holdouts(changes, layers.hidden)
        assert [(verdict.subject, verdict.code) for verdict in verdicts] == [
            ("scripts/scenarios", "holdout"),
            ("secret.txt", "holdout"),
        ]
        workspace.settle(layers, accepted=False)
        assert picture(Path(workspace.path)) == before

    run_as(rights, public, work)


@pytest.mark.req("P-18")
def test_a_folder_above_a_holdout_cannot_be_taken_away(site: Site) -> None:
    furnish(site.source)
    workspace = site.workspace()
    layers = workspace.begin_stage("a/1.1", HOLDOUTS)
    inside(layers, lambda top: shutil.rmtree(f"{top}/deep"))
    changes = workspace.capture(layers)
    gone = {"deep": "deleted", "deep/er": "deleted", "deep/er/other": "deleted"}
    assert kinds(changes) == gone
    verdicts = judge_holdouts(changes, layers.hidden)
    assert [verdict.subject for verdict in verdicts] == ["deep", "deep/er"]


@pytest.mark.req("P-19")
@pytest.mark.parametrize("rights", RIGHTS)
def test_of_the_workspace_only_the_scope_is_seen(public: Path, rights: str) -> None:
    def work(workspace: Workspace) -> None:
        layers = workspace.begin_stage(
            "a/1.1", ["src/app/main.py"], scope=["src/app", "tests/t.py"]
        )
        seen = inside(layers, lambda top: sorted(picture(Path(top))))
        assert seen == ["src", "src/app", "tests", "tests/t.py"]
        every = workspace.begin_stage("a/1.2", scope=["."])
        assert not every.hidden.paths
        assert every.lower == (workspace.path,)

    run_as(rights, public, work)


@pytest.mark.req("P-18")
def test_a_crash_leaves_nothing_hidden(site: Site) -> None:
    furnish(site.source)
    workspace = site.workspace()
    workspace.begin_stage("a/1.1", HOLDOUTS)
    again = site.reopened(workspace)
    assert again.restore() == []
    again.sort_out_layers({})
    assert os.listdir(f"{again._run.path}/layers/a") == ["1.1.lost.1"]


def test_symlinks_lead_to_no_holdout(site: Site) -> None:
    furnish(site.source)
    (site.source / "short").symlink_to("scripts")
    (site.source / "pick").symlink_to("secret.txt")
    (site.source / "out").symlink_to("../elsewhere")
    (site.source / "loop").symlink_to("loop")
    workspace = site.workspace()
    hidden = hide(["short/scenarios", "pick", "out/x", "loop/x"], workspace.expected)
    assert hidden.paths >= {"short/scenarios", "scripts/scenarios", "pick", "secret.txt", "out/x"}
    layers = workspace.begin_stage("a/1.1", ["short/scenarios", "pick"])
    seen = inside(layers, lambda top: sorted(picture(Path(top))))
    assert not {"pick", "secret.txt", "scripts/scenarios"} & set(seen)
    assert {"short", "scripts/build.sh"} <= set(seen)
    kept = keep_only(["short/build.sh"], workspace.expected)
    assert not kept.covers("short")
    assert not kept.covers("scripts/build.sh")
    assert kept.covers("scripts/scenarios/one.sh")


def test_what_is_missing_is_hidden_without_a_trace(site: Site) -> None:
    furnish(site.source)
    workspace = site.workspace()
    layers = workspace.begin_stage("a/1.1", ["nowhere/at/all", "secret.txt/below"])
    assert picture(Path(layers.lower[0])) == {}
    inside(layers, lambda top: os.makedirs(f"{top}/nowhere/at/all"))
    changes = workspace.capture(layers)
    refused = [verdict.subject for verdict in judge_holdouts(changes, layers.hidden)]
    assert refused == ["nowhere/at/all"]
