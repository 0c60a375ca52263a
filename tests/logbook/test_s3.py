"""Artifacts in a bucket: what is changed there, missing, or cannot be reached."""

from __future__ import annotations

import sys
from typing import Any
from urllib.parse import urlsplit

import pytest

from custody.errors import ResolveFailed, StorageFailed, UsageError
from custody.logbook.artifacts import key_of
from custody.logbook.s3 import S3Artifacts


def client_of(server: str) -> Any:
    """Return a client beside the store's; it loads much, for which none but its tests pay."""
    import boto3

    return boto3.client("s3", endpoint_url=server, region_name="us-east-1")


def test_it_lies_below_its_prefix_and_changed_bytes_are_not_given_out(
    bucket: str, s3_server: str
) -> None:
    store = S3Artifacts(bucket)
    key = store.put(b"evidence")
    store.settle()
    client = client_of(s3_server)
    place = {"Bucket": urlsplit(bucket).netloc, "Key": f"evidence/{key}"}
    assert client.get_object(**place)["Body"].read() == b"evidence"
    client.put_object(**place, Body=b"forgery")
    with pytest.raises(ResolveFailed) as caught:
        store.read(key)
    assert caught.value.code == "changed"
    client.close()
    store.close()


def test_many_are_under_way_at_once(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("custody.logbook.s3._WAITING", 4)
    store = S3Artifacts(bucket)
    keys = [store.put(bytes([number])) for number in range(10)]
    store.settle()
    assert store.read(keys[9]) == bytes([9])
    store.close()


def test_a_bucket_that_is_not_there_is_told_at_once(bucket: str) -> None:
    with pytest.raises(StorageFailed):
        S3Artifacts(bucket.replace("s3://bucket-", "s3://other-"))


def test_what_is_lost_on_the_way_is_told(bucket: str, s3_server: str) -> None:
    store = S3Artifacts(bucket)
    client = client_of(s3_server)
    client.delete_bucket(Bucket=urlsplit(bucket).netloc)
    client.close()
    store.put(b"evidence")
    with pytest.raises(StorageFailed):
        store.settle()
    with pytest.raises(ResolveFailed) as caught:
        store.read(key_of(b"evidence"))
    assert caught.value.code == "unreachable"
    store.close()


@pytest.mark.parametrize(
    "url",
    [
        "s3://", "s3://UPPER/x", "s3://bucket/../x", "s3://bucket/a//b", "s3://bucket/x?key=secret",
        "s3://bucket/x#y", "s3://me:secret@bucket/x", "s3://bucket/x?endpoint=nowhere",
    ],
)  # fmt: skip
def test_what_names_no_bucket_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        S3Artifacts(url)


def test_a_package_that_is_missing_is_named(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)
    with pytest.raises(UsageError) as caught:
        S3Artifacts(bucket)
    assert caught.value.hint == "pip install 'custody-runtime[s3]'"
