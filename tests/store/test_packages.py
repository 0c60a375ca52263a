from __future__ import annotations

import pkgutil

import custody.handlers
from custody.store.packages import module_names


def test_it_finds_what_pkgutil_finds() -> None:
    for package in (custody.handlers,):
        found = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
        assert module_names(package.__path__) == found
