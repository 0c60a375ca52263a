"""Which type a node has, and whether there is such a type.

The type is the first of: its own ``type``, its own ``shape``, the inherited ``type``, the
inherited ``shape``, ``codergen``. A shape that stands for no type decides nothing; a shape of a
later version is refused whatever the type says.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from custody.model.finding import Finding
from custody.model.graph import Attribute, Catalog
from custody.pipeline.messages import Nearest, found, shown
from custody.pipeline.syntax import Attributes
from custody.pipeline.vocabulary import (
    DEFAULT_SHAPE,
    DEFAULT_TYPE,
    LATER_SHAPES,
    LATER_TYPES,
    SHAPES,
    TYPES,
)


class Types:
    """The types of one catalog."""

    def __init__(self, catalog: Catalog, nearest: Nearest) -> None:
        self._catalog = catalog
        self._nearest = nearest

    @cached_property
    def _by_shape(self) -> dict[str, str]:
        """What each shape stands for; all types are loaded for that."""
        found = {kind.shape: name for name, kind in self._catalog.items() if kind.shape}
        found.setdefault(DEFAULT_SHAPE, DEFAULT_TYPE)
        return found

    def _of_shape(self, shape: str) -> str | None:
        """Return the type that a shape stands for."""
        name = SHAPES.get(shape, "")
        kind = self._catalog.get(name) if name else None
        return name if kind is not None and kind.shape == shape else self._by_shape.get(shape)

    def resolve(self, own: Attributes, inherited: Attributes) -> str:
        """Return the type that these attributes mean, known or not."""
        for attributes in (own, inherited):
            if "type" in attributes:
                return str(attributes["type"].value)
            if "shape" in attributes:
                shape = str(attributes["shape"].value)
                named = self._of_shape(shape) or LATER_SHAPES.get(shape)
                if named:
                    return named
        return DEFAULT_TYPE

    def is_plain(self, name: str, own: Attributes, inherited: Attributes) -> bool:
        """Whether there is nothing to judge: a known type, and no shape."""
        return name in self._catalog and "shape" not in own and "shape" not in inherited

    def judge(self, name: str, own: Attributes, inherited: Attributes) -> Iterator[Finding]:
        """Yield what is wrong with the type of a node, given what `resolve` called it."""
        kind = own.get("type") or inherited.get("type")
        shape = own.get("shape") or inherited.get("shape")
        if shape is not None:
            yield from self._judge_shape(name, shape, kind)
        if kind is not None and name == str(kind.value) and name not in self._catalog:
            what, hint = self._unknown_type(name)
            yield found("unsupported", what, kind.position, hint)

    def _judge_shape(
        self, name: str, shape: Attribute, kind: Attribute | None
    ) -> Iterator[Finding]:
        written = str(shape.value)
        if written in LATER_SHAPES:
            what = f"shape {written} means type {LATER_SHAPES[written]}, of a later version"
            yield found("unsupported", what, shape.position)
            return
        meaning = self._of_shape(written)
        if meaning is None and kind is None:
            hint = self._nearest.hint(written, self._by_shape) or "say which type it is: type=…"
            what = f"shape {shown(written)} stands for no type"
            yield found("unsupported", what, shape.position, hint)
        elif meaning not in {None, name, DEFAULT_TYPE}:
            what = f"shape {written} stands for type {meaning}, but the node is of type {name}"
            yield found("shape", what, shape.position, "leave the shape out", "warning")

    def _unknown_type(self, name: str) -> tuple[str, str]:
        if name in LATER_TYPES:
            return f"type {name} belongs to a later version", ""
        if name in TYPES:
            return f"type {name} is not supported yet", f"known: {', '.join(self._catalog)}"
        hint = self._nearest.hint(name, self._catalog) or f"known: {', '.join(self._catalog)}"
        return f"no node type is called {shown(name)}", hint
