"""Building a packet by hand: what somebody claims, with evidence that was had right now."""

from __future__ import annotations

from collections.abc import Mapping

from custody.engine.verification import Verification
from custody.errors import (
    MalformedDocument,
    PathRefused,
    Refused,
    ResolveFailed,
    UriRefused,
)
from custody.evidence import Resolver
from custody.evidence.check import exact_content
from custody.evidence.run_files import RunFiles, source_id
from custody.evidence.skeleton import cited, claim_of
from custody.evidence.uri import DocUri, EvidenceUri, build_docs_evidence_uri, parse
from custody.model.packet import Cited, Packet
from custody.model.skeleton import Skeleton, SketchedEvidence
from custody.resolvers.choose import Resolvers
from custody.resolvers.subjects import uri_of
from custody.store.own_settings import own_settings
from custody.store.rundir import RunDirectory


class Builder:
    """Resolves what skeletons name, as far as the user's own configuration lets it."""

    def __init__(
        self,
        environment: Mapping[str, str],
        *,
        folder: str,
        run: RunDirectory | None = None,
        verified: Verification | None = None,
    ) -> None:
        """With ``run``, documents are its files; ``verified`` is what is known of it then."""
        self._environment = environment
        self._folder = folder
        self._run = run
        self._verified = verified
        self._settings = own_settings(environment).evidence
        resolvers = Resolvers(self._settings, environment, folder=folder)
        self._resolver: Resolver = resolvers if run is None else RunFiles(run, resolvers)

    def packet(self, skeleton: Skeleton) -> Packet:
        """Return the packet; raises `Refused` unless all of its evidence can be had."""
        claims = [
            claim_of(number, claim, [self._cited(one, claim.claim) for one in claim.evidence])
            for number, claim in enumerate(skeleton.claims, 1)
        ]
        known = self._verified
        return Packet(
            title=skeleton.title,
            run_id="" if known is None else known.run_id,
            status="" if known is None else known.status,
            head="" if known is None else known.head,
            claims=tuple(claims),
            left_out={},
        )

    def _cited(self, sketched: SketchedEvidence, claim: str) -> Cited:
        try:
            uri = self._uri(sketched.uri)
            content = exact_content(uri.text, self._resolver)
            own = ""
            if self._run is not None and isinstance(uri, DocUri):
                own = source_id(self._run.run_id, uri.path)
            return cited(uri, content, sketched.excerpt, source_id=own)
        except (PathRefused, UriRefused, ResolveFailed, MalformedDocument) as error:
            what = f"claim {claim[:80]!r} has no such evidence: {error.what}"
            where = error.where or sketched.uri
            raise Refused("no_evidence", what, where=where, hint=error.hint) from error

    def _uri(self, subject: str) -> EvidenceUri:
        if self._run is None or "://" in subject:
            return uri_of(subject, self._settings, self._environment, folder=self._folder)
        digest, _ = self._run.root.digest(subject)
        return parse(build_docs_evidence_uri(subject, digest))
