"""What a user allows on his own machine, and a repository cannot."""

from __future__ import annotations

from typing import Literal

from custody.model.record import Record


class McpServer(Record, frozen=True):
    """A server of tools that an agent may start, over its standard streams."""

    command: tuple[str, ...]
    """The program and its arguments; files that it names by an absolute path are shown."""
    env: tuple[str, ...] = ()
    """Variables of the user's that it gets."""


class OwnAgent(Record, frozen=True):
    """How far an agent is used as its owner has set it up."""

    login: bool = False
    """Whether it gets a copy of the user's login."""
    instructions: bool = False
    """Whether it reads what the project tells agents: AGENTS.md, CLAUDE.md."""
    git: bool = False
    """Whether it finds a git repository in its workspace, made for the stage."""
    mcp: dict[str, McpServer] = {}
    """The servers of tools that it gets, by name."""

    def words(self) -> tuple[str, ...]:
        """Return what is allowed, each in a word."""
        flags = {"login": self.login, "instructions": self.instructions, "git": self.git}
        return (*(name for name, said in flags.items() if said), *(f"mcp:{n}" for n in self.mcp))


class OwnWeb(Record, frozen=True):
    """How the web is asked where the guardrails of a change allow it."""

    search: str = ""
    """Address of a search, with ``{query}`` where the query stands; empty for none."""
    plain_http: tuple[str, ...] = ()
    """Servers, as ``host:port``, that may be asked without TLS."""
    private: tuple[str, ...] = ()
    """Servers, as ``host:port``, that may be at addresses which are not public."""


class OwnHttps(Record, frozen=True):
    """Which servers of the web hold evidence."""

    servers: tuple[str, ...] = ()
    """Domains that may be asked; each stands for what is below it as well."""
    private: tuple[str, ...] = ()
    """Servers, as ``host:port``, that may be at addresses which are not public."""
    ca_file: str = ""
    """Certificates in PEM that are trusted beside those of the system."""
    tokens: dict[str, str] = {}
    """By server, as ``host`` or ``host:port``: the variable that holds the token it is sent."""


class OwnEvidence(Record, frozen=True):
    """Where evidence may be had."""

    docs_root: str = ""
    """The folder of ``memory://docs``; empty for the repository around the current folder."""
    file_roots: tuple[str, ...] = ()
    """Folders below which ``file://`` leads anywhere."""
    git: dict[str, str] = {}
    """Folders of repositories, by the name that ``git://`` uses."""
    svn: dict[str, str] = {}
    """Addresses of Subversion repositories, by the name that ``svn://`` uses."""
    https: OwnHttps = OwnHttps()


class OwnTool(Record, frozen=True):
    """How a tool of skills is started here, and what it may use."""

    command: tuple[str, ...] = ()
    """The program and its first arguments; empty for those that custody knows."""
    readable: tuple[str, ...] = ()
    """Files and folders beside its own that it may read, by absolute paths."""
    reach: tuple[str, ...] = ()
    """Servers that it may reach, as ``host:port``: of licenses, above all."""
    passed: tuple[str, ...] = ()
    """Variables of the user's that it gets."""
    memory: str = "4G"
    """How much memory it may take, as ``64G``."""
    output: str = "64M"
    """How much it may print to each of its streams; at most ``256M``."""
    ready_s: float = 60.0
    """Seconds after which it must be ready."""
    heartbeat_s: float = 60.0
    """Seconds for which it may do nothing and have no heartbeat."""
    hung_s: float = 30.0
    """Seconds for which it may be stopped, or take up no request."""
    lost_s: float = 10.0
    """Seconds for which its machine may not be heard of."""


class OwnLauncher(Record, frozen=True):
    """How a tool is started on another machine."""

    command: tuple[str, ...]
    """The command that is put in front; without a word, the tool is started here."""
    stays: bool | None = None
    """Whether it stays for as long as what it has started; as custody knows it if not said."""
    through_shell: bool | None = None
    """Whether it joins its arguments and hands them to a shell; likewise."""


class OwnSkills(Record, frozen=True):
    """How the tools of skills are started."""

    launcher: str = ""
    """The launcher where no other is named."""
    tools: dict[str, OwnTool] = {}
    """By the tool's name."""
    launchers: dict[str, OwnLauncher] = {}
    """By the launcher's name, one of custody's or another."""


class OwnSeek(Record, frozen=True):
    """Which model the vectors of the search come from."""

    embedder: Literal["lsa", "http", "wordllama", "none"] = "lsa"
    """``lsa`` is fitted on the index itself; ``none`` searches by words alone."""
    url: str = ""
    """For ``http``: where embeddings are asked for, as OpenAI's ``/v1/embeddings``."""
    model: str = ""
    """For ``http``: what the server calls its model."""
    token: str = ""
    """For ``http``: the variable that holds the token it is sent; empty for none."""


class OwnSettings(Record, frozen=True):
    """Of the user's configuration what is more than a word."""

    toolchains: tuple[str, ...] = ()
    """Folders that every stage may read."""
    agents: dict[str, OwnAgent] = {}
    """By the agent's name."""
    web: OwnWeb = OwnWeb()
    evidence: OwnEvidence = OwnEvidence()
    skills: OwnSkills = OwnSkills()
    seek: OwnSeek = OwnSeek()
