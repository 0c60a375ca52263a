"""Which workflow fits a goal: the packaged pipelines and a repository's own, scored by their words.

A workflow says what it is for in its graph: ``goal``, ``description`` and ``tags``; its name
counts too. A word of the goal is worth most where it stands in a name or a tag, less in a
workflow's goal, least in its description. The score is the share of what all words could be worth,
so that the same texts give the same score everywhere. Ties are decided by the id.
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from custody.model.contracts.find_result import FIND_RESULT, FindResult, WorkflowCandidate
from custody.patterns import later
from custody.pipeline import library
from custody.pipeline.parser import parse
from custody.pipeline.syntax import Defaults, NodeStatement, SyntaxTree

DEFAULT = "change"
"""The packaged pipeline that is chosen when nothing fits."""
NOTHING_FITS = "nothing fits the goal; this is what is done then"

_WORTH = {"name": 3, "tag": 3, "goal": 2, "description": 1}
_MOST = max(_WORTH.values())
_WORD = later(r"[^\W_]{2,}")
_COMMON = frozenset(
    (
        *("a", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "does"),
        *("for", "from", "has", "have", "in", "into", "is", "it", "its", "make", "not", "of"),
        *("on", "one", "or", "our", "should", "so", "than", "that", "the", "then", "there"),
        *("they", "this", "to", "use", "was", "we", "what", "when", "which", "will", "with"),
        *("you", "your"),
    )
)
_ENDINGS = ("ing", "ed", "es", "s")
_LEAST_STEM = 3
_DIGITS = 4
_PART = ("each", "pipeline")
"""The node type that runs another pipeline, and the attribute that names it."""


class Workflow(NamedTuple):
    """A pipeline that can be chosen."""

    id: str
    """The name of a packaged one, or the path of a repository's own."""
    version: str
    """What its graph says, or the beginning of its sha256."""
    goal: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    """Pipelines that it runs for items, which are nothing to choose."""
    trouble: str = ""
    """Why it cannot be run; empty for one that can be read."""


def choose(goal: str, own: Mapping[str, bytes | str]) -> FindResult:
    """Return the workflow that fits a goal best.

    ``own`` are the pipelines of the repository by their path, each its text or, where that could
    not be read, the reason.
    """
    words = list(dict.fromkeys(stems(goal)))
    known = [read_workflow(name, library.packaged(name) or b"") for name in library.names()]
    known += [read_workflow(path, source) for path, source in own.items()]
    parts = {part for workflow in known for part in workflow.parts}
    found = [_candidate(workflow, words) for workflow in known if workflow.id not in parts]
    ranked = sorted(found, key=lambda item: (-item.score, item.workflow_id))
    if not ranked or not ranked[0].score:
        return _by_default(ranked)
    best = ranked[0]
    return FindResult(
        schema_version=FIND_RESULT,
        selected_workflow_id=best.workflow_id,
        selected_version=best.version,
        candidates=tuple(ranked),
    )


def read_workflow(name: str, source: bytes | str) -> Workflow:
    """Return what a pipeline says of itself; ``source`` is its text, or why there is none."""
    if isinstance(source, str):
        return Workflow(name, "", trouble=source)
    digest = hashlib.sha256(source).hexdigest()[:12]
    try:
        tree = parse(source.decode())
    except UnicodeDecodeError as error:
        return Workflow(name, digest, trouble=f"not UTF-8 at byte {error.start}")
    if tree.findings:
        first = tree.findings[0]
        return Workflow(name, digest, trouble=f"line {first.line}: {first.message}")
    said = _graph(tree)
    tags = tuple(filter(None, (tag.strip() for tag in said.get("tags", "").split(","))))
    return Workflow(
        name,
        said.get("version") or digest,
        said.get("goal", ""),
        said.get("description", ""),
        tags,
        tuple(_parts(tree, name)),
    )


def _graph(tree: SyntaxTree) -> dict[str, str]:
    return {
        key: str(attribute.value)
        for statement in tree.statements
        if isinstance(statement, Defaults) and statement.scope == "graph"
        for key, attribute in statement.attributes.items()
    }


def _parts(tree: SyntaxTree, name: str) -> Iterator[str]:
    """Yield how the pipelines that it runs for items are called among the workflows."""
    kind, key = _PART
    folder = posixpath.dirname(name)
    for statement in tree.statements:
        said = statement.attributes if isinstance(statement, NodeStatement) else {}
        if "type" in said and said["type"].value == kind and key in said:
            part = str(said[key].value)
            yield part
            yield posixpath.normpath(posixpath.join(folder, part))


def _candidate(workflow: Workflow, words: Iterable[str]) -> WorkflowCandidate:
    if workflow.trouble:
        why, score = f"it cannot be read: {workflow.trouble}", 0.0
    else:
        worth, found = _worth(workflow), list[str]()
        points, count = 0, 0
        for word in words:
            count += 1
            if word in worth:
                points += _WORTH[worth[word]]
                found.append(f"{word} ({worth[word]})")
        score = round(points / (_MOST * count), _DIGITS) if count else 0.0
        why = f"{len(found)} of {count} words of the goal: {', '.join(found)}"
        why = why if found else "no word of the goal is in its name, tags, goal or description"
    return WorkflowCandidate(
        workflow_id=workflow.id, version=workflow.version, score=score, why=why
    )


def _worth(workflow: Workflow) -> dict[str, str]:
    """Return where each word of a workflow stands, of several places the one that is worth most."""
    name = posixpath.splitext(posixpath.basename(workflow.id))[0]
    places = {
        "description": workflow.description,
        "goal": workflow.goal,
        "tag": " ".join(workflow.tags),
        "name": name,
    }
    return {word: place for place, text in places.items() for word in stems(text)}


def stems(text: str) -> Iterator[str]:
    """Yield the words of a text that mean something, without their endings."""
    for word in _WORD.findall(text.casefold()):
        if word not in _COMMON:
            yield _stem(word)


def _stem(word: str) -> str:
    """Return a word without what English puts behind it, so that tests and testing are a test."""
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _LEAST_STEM and not word.endswith("ss"):
            return stem
    return word


def _by_default(ranked: list[WorkflowCandidate]) -> FindResult:
    from msgspec.structs import replace

    told = [
        replace(item, why=NOTHING_FITS) if item.workflow_id == DEFAULT else item for item in ranked
    ]
    version = next((item.version for item in told if item.workflow_id == DEFAULT), "")
    return FindResult(
        schema_version=FIND_RESULT,
        selected_workflow_id=DEFAULT,
        selected_version=version,
        candidates=tuple(told),
    )
