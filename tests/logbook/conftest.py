"""Every test of the logbook is made with both databases."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from custody.logbook import Database
from custody.logbook.address import open_database
from custody.logbook.book import Logbook
from support.postgres import Postgres

_numbers = itertools.count()


@pytest.fixture(scope="session", autouse=True)
def _before_any_test(postgres: Postgres) -> None:
    """Start the server before the first test counts the processes that are there."""


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty database, of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "logbook.sqlite")
    return str(request.getfixturevalue("database"))


@pytest.fixture
def opened(url: str) -> Iterator[Database]:
    """Return it, open."""
    database = open_database(url)
    yield database
    database.close()


@pytest.fixture
def book(url: str) -> Iterator[Logbook]:
    """Return an empty logbook, in either kind of database."""
    with Logbook.open(url) as opened:
        yield opened


@pytest.fixture(scope="session")
def s3_server() -> Iterator[str]:
    """Return the address of a server that speaks S3, which the tests of this process share."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://{}:{}".format(*server.get_host_and_port())
    server.stop()


@pytest.fixture
def bucket(s3_server: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the url of an empty bucket."""
    import boto3

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    name = f"bucket-{next(_numbers)}"
    client = boto3.client("s3", endpoint_url=s3_server, region_name="us-east-1")
    client.create_bucket(Bucket=name)
    client.close()
    return f"s3://{name}/evidence?endpoint={s3_server}&region=us-east-1"
