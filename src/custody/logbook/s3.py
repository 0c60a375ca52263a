"""Artifacts in a bucket of a store that speaks S3, by boto3: the extra ``s3``.

    s3://BUCKET/PREFIX?endpoint=https://SERVER&region=REGION

Who may is said where boto3 looks for it: its variables, its files, the machine's role. No url and
no table holds a secret.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from custody.errors import ResolveFailed, StorageFailed, UsageError
from custody.evidence.failure import GONE, TOO_LARGE, UNREACHABLE
from custody.logbook.artifacts import intact, key_of, sha256_of
from custody.patterns import later
from custody.store.root import READ_LIMIT

_AT_ONCE = 8
"""Artifacts under way at the same time."""
_WAITING = 256
"""Artifacts that are put and not there yet, at most: they wait in memory."""
_BUCKET = later(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_PREFIX = later(r"(?!.*//)(?!.*(?:^|/)\.{1,2}(?:/|$))[A-Za-z0-9!_.*'()/-]*")
_OPTIONS = {"endpoint", "region"}
_MISSING = {"NoSuchKey", "404", "NotFound"}
_FORM = "s3://BUCKET/PREFIX?endpoint=https://SERVER&region=REGION"


class S3Artifacts:
    """A store in a bucket, below a prefix."""

    def __init__(self, url: str) -> None:
        """Read the url and look whether the bucket is there."""
        parts = urlsplit(url)
        self._bucket, prefix = parts.netloc, parts.path.strip("/")
        options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
        if not (_BUCKET.fullmatch(self._bucket) and _PREFIX.fullmatch(prefix)) or parts.fragment:
            raise UsageError(f"{url!r} names no bucket and prefix", hint=_FORM)
        if unknown := options.keys() - _OPTIONS:
            raise UsageError(f"an s3:// url has no {min(unknown)!r}", hint=_FORM)
        self.where = f"s3://{self._bucket}/{prefix}"
        self._prefix = f"{prefix}/" if prefix else ""
        self._client = _client(options)
        self._threads = ThreadPoolExecutor(_AT_ONCE)
        self._under_way: list[Future[Any]] = []
        self._told(lambda: self._client.head_bucket(Bucket=self._bucket))

    def put(self, data: bytes) -> str:
        """Send bytes to their key, beside others."""
        key = key_of(data)
        if len(self._under_way) >= _WAITING:
            self.settle()
        self._under_way.append(self._threads.submit(self._send, key, data))
        return key

    def holds(self, key: str) -> bool:
        """Read the bytes of a key, if there are any."""
        try:
            self.read(key)
        except ResolveFailed:
            return False
        return True

    def settle(self) -> None:
        """Wait until the store has confirmed everything."""
        waiting, self._under_way = self._under_way, []
        for sent in waiting:
            self._told(sent.result)

    def read(self, key: str) -> bytes:
        """Return the bytes of a key, hashed again."""
        from botocore.exceptions import BotoCoreError, ClientError

        sha256_of(key)
        where = f"{self.where}/{key}"
        try:
            found = self._client.get_object(Bucket=self._bucket, Key=self._prefix + key)
            if found["ContentLength"] > READ_LIMIT:
                what = f"it has {found['ContentLength']} bytes; the limit is {READ_LIMIT}"
                raise ResolveFailed(TOO_LARGE, what, where=where)
            return intact(found["Body"].read(), key, where)
        except ClientError as error:
            code = GONE if error.response["Error"]["Code"] in _MISSING else UNREACHABLE
            raise ResolveFailed(code, _said(error), where=where) from error
        except BotoCoreError as error:
            raise ResolveFailed(UNREACHABLE, _said(error), where=where) from error

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(cancel_futures=True)
        self._client.close()

    def _send(self, key: str, data: bytes) -> None:
        self._client.put_object(Bucket=self._bucket, Key=self._prefix + key, Body=data)

    def _told(self, work: Any) -> None:
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            work()
        except (BotoCoreError, ClientError) as error:
            self._threads.shutdown(cancel_futures=True)
            hint = "see the bucket, its rights, and the keys in the environment"
            raise StorageFailed(_said(error), where=self.where, hint=hint) from error


def _client(options: dict[str, str]) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        hint = "pip install 'custody-runtime[s3]'"
        raise UsageError("artifacts in S3 need the package boto3", hint=hint) from None
    from botocore.exceptions import BotoCoreError

    config = Config(
        retries={"mode": "standard", "max_attempts": 5},
        connect_timeout=20,
        read_timeout=60,
        max_pool_connections=_AT_ONCE,
        s3={"addressing_style": "path"} if "endpoint" in options else {},
    )
    try:
        return boto3.session.Session().client(
            "s3",
            endpoint_url=options.get("endpoint"),
            region_name=options.get("region"),
            config=config,
        )
    except (BotoCoreError, ValueError) as error:
        raise UsageError(f"S3 cannot be used: {_said(error)}", hint=_FORM) from error


def _said(error: Exception) -> str:
    return str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
