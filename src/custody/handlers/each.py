"""``each``: a pipeline of its own is run once for every item of a list.

The list stands in the context (``items=context.KEY``) or is a range (``items="1..5"``). The
stages of the items are stages of the same run; the engine takes them through their pipeline.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from custody.errors import Refused
from custody.handlers import Handler, Situation
from custody.model.finding import Finding
from custody.model.graph import AttributeRule, Node, NodeType
from custody.model.state import EACH
from custody.patterns import later
from custody.pipeline.subpipeline_files import ITEMS_LIMIT
from custody.pipeline.template import CONTEXT, FIELD, NAME, as_text

PARALLEL_LIMIT = 64
_RANGE = later(r"\s*([0-9]{1,9})\s*\.\.\s*([0-9]{1,9})\s*")


def items_of(node: Node, situation: Situation) -> list[Any]:
    """Return the items; raises `Refused` when there is no list of them, or one too long."""
    text = situation.expand(node.text("items")).strip()
    if span := _RANGE.fullmatch(text):
        first, last = int(span[1]), int(span[2])
        return list(range(first, _bounded(last - first + 1) + first))
    if not text.startswith(CONTEXT):
        raise Refused("items", f"items is a range or context.KEY, not {text[:100]!r}")
    items = situation.look_up(text)
    if not isinstance(items, list):
        raise Refused("items", f"{text} is no list")
    _bounded(len(items))
    return items


def item_names(item: Any, index: int, count: int) -> dict[str, str]:
    """Return what the names of an item stand for in the templates of its stages."""
    names = {"item": as_text(item), "index": str(index), "count": str(count)}
    if isinstance(item, dict):
        names |= {f"{FIELD}{field}": as_text(value) for field, value in item.items()}
    return names


def _bounded(count: int) -> int:
    if count > ITEMS_LIMIT:
        raise Refused("items", f"{count} items are too many: {ITEMS_LIMIT} is most")
    return max(count, 0)


def _check(node: Node) -> Iterator[Finding]:
    items = node.attributes["items"]
    text = str(items.value).strip()
    at_once = node.attributes.get("max_parallel")
    if at_once is not None and not 1 <= node.integer("max_parallel", 1) <= PARALLEL_LIMIT:
        what = f"max_parallel must lie between 1 and {PARALLEL_LIMIT}"
        yield at_once.finding("attribute", what)
    if "$" in text:
        return
    span = _RANGE.fullmatch(text)
    if span is not None:
        if int(span[2]) - int(span[1]) >= ITEMS_LIMIT:
            yield items.finding("attribute", f"items: more than {ITEMS_LIMIT}")
    elif not text.startswith(CONTEXT) or NAME.fullmatch(text.removeprefix(CONTEXT)) is None:
        yield items.finding("attribute", "items is a range or context.KEY", 'such as "1..5"')


class EachHandler(Handler):
    """Stands for the stages of all of its items."""

    type = NodeType(
        name=EACH,
        doc="A pipeline is run once for every item of a list.",
        side_by_side=True,
        attributes=(
            AttributeRule(
                name="pipeline",
                kind="string",
                required=True,
                doc="What is run: a packaged pipeline's name, or a file, from this file on.",
            ),
            AttributeRule(
                name="items",
                kind="string",
                required=True,
                doc=f"The list: `context.KEY`, or a range such as `1..5`; at most {ITEMS_LIMIT}.",
            ),
            AttributeRule(
                name="max_parallel",
                kind="integer",
                doc="How many items are worked on at the same time; default: 1.",
            ),
        ),
        check=_check,
    )

    def request(self, node: Node, situation: Situation) -> None:
        """Ask nothing; raises `Refused` when there is no list."""
        items_of(node, situation)
