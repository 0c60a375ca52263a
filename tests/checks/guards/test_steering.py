"""Variables that say which program runs."""

from __future__ import annotations

import pytest

from custody.checks.guards.command import admit
from custody.checks.guards.environment import ALLOWED
from custody.checks.guards.steering import BEGINNINGS, NAMES, steers
from custody.errors import CommandRefused

STEERING = (
    "PATH LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH BASH_ENV ENV SHELLOPTS IFS PS4"
    " BASH_FUNC_ls HOME XDG_CONFIG_HOME NODE_OPTIONS NODE_PATH npm_config_script_shell GIT_DIR"
    " GIT_EXTERNAL_DIFF PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONBREAKPOINT PYTEST_ADDOPTS"
    " PERL5OPT PERL5LIB RUBYOPT RUBYLIB BUNDLE_GEMFILE JAVA_TOOL_OPTIONS _JAVA_OPTIONS JAVA_HOME"
    " CLASSPATH"
    " GOFLAGS GOROOT CC CXX RUSTC_WRAPPER CARGO_HOME CARGO_TARGET_X_RUNNER RUSTFLAGS MAKEFLAGS"
    " MAKEFILES CMAKE_TOOLCHAIN_FILE DOTNET_STARTUP_HOOKS LUA_INIT R_PROFILE EDITOR PAGER LESSOPEN"
    " GOCACHEPROG GOAUTH CGO_CFLAGS CGO_LDFLAGS OPENSSL_CONF TAR_OPTIONS RIPGREP_CONFIG_PATH"
    " SVN_SSH"
    " PIP_INDEX_URL UV_PYTHON CUSTODY_NODE_ID VIRTUAL_ENV"
)
PLAIN = "DJANGO_SETTINGS_MODULE APP_ENV DATABASE_URL DEBUG PORT MY_PATH FEATURE_FLAGS SEED X"


@pytest.mark.req("U-16")
@pytest.mark.parametrize("name", STEERING.split())
def test_a_variable_that_changes_which_program_runs_is_refused_by_its_name(name: str) -> None:
    assert steers(name)
    for text in (f"{name}=x go test", f"export {name}=x && go test", f"A=1 {name}=x go test"):
        with pytest.raises(CommandRefused, match=f"the variable {name} may not be set") as refused:
            admit(text, ["go test"])
        assert refused.value.code == "env"


@pytest.mark.req("U-16")
@pytest.mark.parametrize("name", PLAIN.split())
def test_any_other_is_stripped_and_set(name: str) -> None:
    assert not steers(name)
    (command,) = admit(f"{name}=a:/b/../c go test ./...", ["go test"]).commands
    assert (command.argv, command.environment) == (("go", "test", "./..."), {name: "a:/b/../c"})


@pytest.mark.req("U-16")
@pytest.mark.parametrize("text", ["APP=$HOME go test", "APP=$(id) go test", "APP=`id` go test"])
def test_a_value_that_a_shell_would_replace_is_refused(text: str) -> None:
    with pytest.raises(CommandRefused) as refused:
        admit(text, ["go test"])
    assert refused.value.code == "substitution"


def test_earlier_journals_know_only_those_that_are_named() -> None:
    with pytest.raises(CommandRefused, match="the variable APP may not be set"):
        admit("APP=1 go test", ["go test"], known_only=True)
    assert admit("CI=1 go test", ["go test"], known_only=True).commands[0].environment == {
        "CI": "1"
    }


def test_what_is_known_to_be_harmless_stays_so() -> None:
    assert ALLOWED.isdisjoint(NAMES)
    assert not any(name in BEGINNINGS for name in NAMES)
