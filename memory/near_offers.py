"""From near past fixes to an answer: each carried over along its alignment, or shown as an example where it has no place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory.anchoring import anchor_findings, moved
from memory.find import coverage, has_long_string, indented
from memory.near import Near, apart
from memory.offers import REJECTED_HERE, Request, not_rejected, origin_of, spared, spliced
from memory.sources import voice_of
from schema.finding import Finding
from schema.fix import Fix, Verification
from schema.match import Match, PastFix, Region, Related
from schema.ports import Recalled


@dataclass(frozen=True)
class NearOffer:
    """One near past fix: its region of the paste, with the fixed code where it could be carried over, and its findings there."""

    near: Near
    region: Region
    findings: tuple[Finding, ...]

    @property
    def example(self) -> PastFix | None:
        """The past pair, where its fix did not carry over."""
        if self.region.fixed_code is not None:
            return None
        hit = self.near.hit
        return PastFix(hit.alternative.experience_id, hit.code, hit.fixed_code, hit.explanation, self.region.why_not)


def offer_near(request: Request, found: Sequence[Near]) -> Recalled | None:
    """SIMILAR, when any of them is near; None when none is."""
    offers = [_offer(request, near) for near in apart(found)]
    if not offers:
        return None
    text, language = request.source.text, request.source.language
    best = offers[0]
    regions = tuple(sorted((offer.region for offer in offers), key=lambda region: region.start_line))
    alternative = best.near.hit.alternative
    share = coverage(text, language, [(region.start_line, region.end_line) for region in regions])
    made = [offer.near.hit.alternative for offer in offers if offer.region.fixed_code is not None]
    match = Match(
        status="SIMILAR",
        tier="near",
        experience_id=alternative.experience_id,
        score=round(best.near.nearness.score, 4),
        distance=round(best.near.distance, 4),
        threshold=best.near.threshold,
        coverage=share,
        regions=regions,
        related=related_to_near(found, {region.experience_id for region in regions}),
        trust=alternative.trust,
        reason=_reason(best, len(offers)),
        spared=spared(made) if share == 1.0 else None,
    )
    findings = tuple(finding for offer in offers for finding in offer.findings)
    return Recalled(match, _fix(request, offers), findings, next((offer.example for offer in offers if offer.example), None))


def unless_rejected(request: Request, found: Sequence[Near]) -> tuple[Sequence[Near], tuple[Related, ...]]:
    """Those without what the user has rejected for these very lines, and that as reading matter."""
    if request.is_rejected is not_rejected:
        return found, ()
    rejected = [near for near in found if near.is_near and _is_rejected(request, near)]
    kept = [near for near in found if not any(near is each for each in rejected)]
    stored = (near.hit.alternative for near in rejected)
    return kept, tuple(Related(each.experience_id, each.trust, f"{REJECTED_HERE} ({origin_of(each)})") for each in stored)


def _is_rejected(request: Request, near: Near) -> bool:
    code, _ = _carried(request, near)
    return code is not None and request.is_rejected(near.piece.text, code)


def related_to_near(found: Sequence[Near], offered: set[str]) -> tuple[Related, ...]:
    """Reading matter: the best past fixes that are too far, or whose bug is not in this code."""
    related: dict[str, Related] = {}
    for near in found:
        alternative = near.hit.alternative
        if alternative.experience_id not in offered and near.is_readable:
            known = Related(
                alternative.experience_id, alternative.trust, _why_not_near(near), near.hit.explanation, source=voice_of(alternative)
            )
            related.setdefault(alternative.experience_id, known)
    return tuple(related.values())


def is_fixed_near(found: Sequence[Near], lines: int) -> bool:
    """True when the whole paste (of so many lines) is like the fixed side of a past fix, and nearer to it than to the bug."""
    return any(near.is_fixed and near.piece.start_line == 1 and near.piece.end_line >= lines for near in found)


def _offer(request: Request, near: Near) -> NearOffer:
    piece, alternative = near.piece, near.hit.alternative
    code, why_not = _carried(request, near)
    region = Region(
        start_line=piece.start_line,
        end_line=piece.end_line,
        status="SIMILAR",
        tier="near",
        experience_id=alternative.experience_id,
        alternative_id=alternative.id,
        trust=alternative.trust,
        fixed_code=code,
        explanation=near.hit.explanation,
        why_not=why_not,
        source=voice_of(alternative),
    )
    findings = anchor_findings(near.hit, piece.text, request.source.language, request.source.path, near=True)
    return NearOffer(near, region, moved(findings, piece.start_line - 1, len(piece.indent), request.source.text))


def _carried(request: Request, near: Near) -> tuple[str | None, str]:
    """The region's lines with the stored edit in them, or why there are none."""
    from memory.graft import graft  # late, here and below: needed for what is near only
    from memory.parts import without_known_imports

    piece, language = near.piece, request.source.language
    carried = graft(near.hit.code, near.hit.fixed_code, piece.text, language)
    if carried.code is None:
        return None, carried.why_not
    if carried.code == piece.text:
        return None, "the stored edit changes nothing here"
    if piece.indent and has_long_string(carried.code, language):
        return None, "a string of several lines can't be moved to another indentation"
    if _is_whole(request, near):
        return carried.code, ""
    return indented(without_known_imports(carried.code, request.source.text), piece.indent).rstrip("\n"), ""


def _is_whole(request: Request, near: Near) -> bool:
    return near.piece.text == request.source.text


def _fix(request: Request, offers: Sequence[NearOffer]) -> Fix | None:
    first = offers[0]
    if _is_whole(request, first.near):
        if first.region.fixed_code is None:
            return None
        return Fix(
            first.region.fixed_code, first.region.explanation, "transfer", Verification("none"), first.near.hit.alternative.experience_id
        )
    regions = tuple(sorted((offer.region for offer in offers), key=lambda region: region.start_line))
    return spliced(request, regions, first.near.hit.alternative.experience_id)


def _reason(offer: NearOffer, count: int) -> str:
    near, piece = offer.near, offer.near.piece
    more = f"; {count - 1} more near" if count > 1 else ""
    part = "" if near.hit.part is None else f"the function {near.hit.part.name} in "
    return f"lines {piece.start_line}-{piece.end_line} are like {part}{origin_of(near.hit.alternative)} ({_score(near)}){more}"


def _why_not_near(near: Near) -> str:
    seen = near.nearness
    origin = origin_of(near.hit.alternative)
    if near.is_unsure:
        return f"reading matter only: like {origin}, but too short to be sure ({_score(near)} here)"
    if not seen.has_bug:
        return f"this code is nearer to its fixed side than to the bug ({origin})"
    if seen.score < near.threshold:
        return f"reading matter only: like {origin}, too far for its fix ({_score(near)})"
    return f"reading matter only: like {origin}, but different where its fix changes the code ({_score(near)})"


def _score(near: Near) -> str:
    return f"score {near.nearness.score:.2f}, {near.threshold:.2f} is near"
