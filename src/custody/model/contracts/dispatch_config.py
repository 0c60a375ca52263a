"""``artifacts/dispatch_config.json``: who has which role in a change, and what people are asked."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record

DISPATCH_CONFIG: Literal["ctcp-dispatch-config-v1"] = "ctcp-dispatch-config-v1"

MANUAL, LOCAL = "manual_outbox", "local_exec"
Mode = Literal["manual_outbox", "ollama_agent", "api_agent", "local_exec"]
LIBRARIAN, BY_CONTRACT, RESEARCHER = "librarian", "contract_guardian", "researcher"
ROLES = (
    LIBRARIAN, "chair", BY_CONTRACT, "cost_controller", "patchmaker", "fixer", RESEARCHER,
)  # fmt: skip
CONTRACT_CHECK = "contract_check"
"""The agent that has that role on this machine."""
_MAKERS = frozenset({"chair", "patchmaker", "fixer"})
"""Roles that the mode gives to its own provider where nothing else is said."""


class DispatchBudgets(Record, frozen=True):
    """What a change may ask of people."""

    max_outbox_prompts: int = 20


class DispatchConfig(Record, frozen=True):
    """Providers by role; a role without one has that of the mode, or a person."""

    schema_version: Literal["ctcp-dispatch-config-v1"] = DISPATCH_CONFIG
    mode: Mode = "manual_outbox"
    role_providers: dict[str, str] = {}
    budgets: DispatchBudgets = DispatchBudgets()

    def provider(self, role: str) -> str:
        """Return who has a role."""
        if found := self.role_providers.get(role):
            return found
        if role in {LIBRARIAN, BY_CONTRACT}:
            return LOCAL
        return self.mode if role in _MAKERS else MANUAL

    @property
    def manual_librarian(self) -> bool:
        """Whether a person makes the context pack: both settings must say so."""
        return self.mode == MANUAL and self.role_providers.get(LIBRARIAN) == MANUAL

    def faults(self) -> tuple[str, ...]:
        """Return what is wrong with it beyond its form."""
        unknown = [
            f"there is no role {role!r}" for role in self.role_providers if role not in ROLES
        ]
        for role in (LIBRARIAN, RESEARCHER):
            provider = self.role_providers.get(role) or LOCAL
            if provider not in {LOCAL, MANUAL}:
                unknown.append(f"the {role} is {LOCAL} or {MANUAL}, not {provider!r}")
        if self.budgets.max_outbox_prompts < 1:
            unknown.append("max_outbox_prompts is below 1")
        return tuple(unknown)

    def agents(self) -> dict[str, str]:
        """Return the agents of the roles that are asked by a prompt."""
        asked = {role: self.provider(role) for role in ROLES if role != LIBRARIAN}
        if asked[BY_CONTRACT] == LOCAL:
            asked[BY_CONTRACT] = CONTRACT_CHECK
        return asked
