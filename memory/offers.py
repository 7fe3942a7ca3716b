"""From key hits to an answer: fixes carried over to the paste, verified where the whole paste is known, with their reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain

from memory.anchoring import anchor_findings, moved
from memory.choice import UNVERIFIED, Offer, chosen, in_order
from memory.find import Answer, Piece, coverage, has_long_string, indented
from memory.records import KeyHit, StoredAlternative, text_hash
from memory.sources import voice_of
from memory.wording import in_own_names
from schema.finding import Finding
from schema.fix import Fix, Origin, Verification
from schema.match import Match, PastFix, Region, Related, Status
from schema.ports import Recalled, Verifier
from schema.source import Source
from schema.usage import Usage

_STATUS: dict[str, Status] = {"exact": "IDENTICAL", "renamed": "SIMILAR"}
_SHORT = 12
"""Characters of an id that a sentence shows."""
REJECTED_HERE = "you rejected the past fix for this code"


def not_rejected(text: str, fixed_code: str) -> bool:
    """Where the user has rejected nothing."""
    return False


@dataclass(frozen=True)
class Request:
    """What is asked: the paste, and what its fix is to be verified with. `is_rejected` tells of a text and its fix what the user said."""

    source: Source
    verifier: Verifier | None
    test_cmd: str | None
    file: str | None
    is_rejected: Callable[[str, str], bool] = not_rejected


@dataclass(frozen=True)
class Lines:
    """Lines of the paste (1-based, inclusive) and their text."""

    start: int
    end: int
    text: str


def offer_whole(request: Request, answer: Answer) -> Recalled:
    """The answer for a paste that is known as a whole. A fix that the user has rejected for this very code is none."""
    found = (_whole_offer(request, answer, hit) for hit in in_order(answer.hits))
    offers = (offer for offer in found if offer.code is None or not request.is_rejected(request.source.text, offer.code))
    first = next(offers, None)
    if first is None:
        return Recalled(Match(related=_all_rejected(answer.hits), reason=REJECTED_HERE))
    best = chosen(chain([first], offers))
    alternative = best.hit.alternative
    whole = Lines(1, _line_count(request.source.text), request.source.text)
    region = _region(best, answer, whole, request.source.language)
    match = Match(
        status=_STATUS[answer.kind],
        tier=answer.kind,
        experience_id=alternative.experience_id,
        score=1.0,
        coverage=1.0,
        regions=(region,),
        related=related_to([answer]),
        trust=alternative.trust,
        reason=_reason(best.hit, answer),
        spared=spared([best.hit.alternative]) if best.code is not None else None,
    )
    return Recalled(match, _fix(best, answer, region.explanation), best.findings, _example(best))


def offer_pieces(request: Request, whole: Answer, pieces: Sequence[Piece]) -> Recalled:
    """The answer for a paste of which no, some or all functions are known."""
    text, language = request.source.text, request.source.language
    related = related_to([whole, *(piece.answer for piece in pieces)])
    offers = [(piece, _piece_offer(request, piece)) for piece in pieces if piece.answer.is_known_bug]
    known = [(piece, offer) for piece, offer in offers if offer.code is None or not request.is_rejected(piece.text, offer.code)]
    if offers and not known:
        rejected = _all_rejected([offer.hit for _, offer in offers])
        return Recalled(Match(related=(*rejected, *related), reason=REJECTED_HERE))
    if not known:
        fixed = [(piece.start_line, piece.end_line) for piece in pieces if piece.answer.is_fixed]
        is_fixed = bool(fixed) and coverage(text, language, fixed) == 1.0
        return Recalled(Match(already_fixed=is_fixed, related=related, reason=_none_reason(related, is_fixed=is_fixed)))
    regions = tuple(_region(offer, piece.answer, Lines(piece.start_line, piece.end_line, piece.text), language) for piece, offer in known)
    piece, best = min(known, key=lambda each: (each[0].answer.kind != "exact", each[1].code is None))
    share = coverage(text, language, [(region.start_line, region.end_line) for region in regions])
    match = Match(
        status="SIMILAR",
        tier=piece.answer.kind,
        experience_id=best.hit.alternative.experience_id,
        score=1.0,
        coverage=share,
        regions=regions,
        related=related,
        trust=best.hit.alternative.trust,
        reason=_partial_reason(piece, best, len(known)),
        spared=spared([offer.hit.alternative for _, offer in known if offer.code is not None]) if share == 1.0 else None,
    )
    findings = tuple(finding for _, offer in known for finding in offer.findings)
    return Recalled(
        match,
        spliced(request, regions, best.hit.alternative.experience_id),
        findings,
        next((_example(offer) for _, offer in known if offer.code is None), None),
    )


def spared(offered: Iterable[StoredAlternative]) -> Usage | None:
    """What making the offered fixes had cost; None when no model had made one of them, or nothing was recorded."""
    made = {alternative.id: alternative.cost for alternative in offered if alternative.cost.calls}
    total = Usage()
    for cost in made.values():
        total = total.plus(cost)
    return total if made else None


def related_to(answers: Iterable[Answer]) -> tuple[Related, ...]:
    """What is reading matter only: withheld entries (their words are not repeated), and experiences whose fixed side the text is."""
    related: dict[str, Related] = {}
    for answer in answers:
        for hit in answer.withheld:
            alternative = hit.alternative
            reason = f"not offered: {alternative.trust_reason}" if alternative.trust_reason else "not offered"
            withheld = Related(alternative.experience_id, alternative.trust, reason, source=voice_of(alternative))
            related.setdefault(alternative.experience_id, withheld)
        if answer.is_fixed:
            alternative = answer.hits[0].alternative
            reason = f"its fixed side is this code ({origin_of(alternative)})"
            known = Related(alternative.experience_id, alternative.trust, reason, alternative.explanation, source=voice_of(alternative))
            related.setdefault(alternative.experience_id, known)
    return tuple(related.values())


def _all_rejected(hits: Iterable[KeyHit]) -> tuple[Related, ...]:
    """Past fixes that fit and that the user does not want here."""
    stored = {hit.alternative.experience_id: hit.alternative for hit in hits}
    return tuple(Related(key, each.trust, f"{REJECTED_HERE} ({origin_of(each)})") for key, each in stored.items())


def _whole_offer(request: Request, answer: Answer, hit: KeyHit) -> Offer:
    """Carry the fix over; an IDENTICAL one is verified now, a SIMILAR one by the fixer, but where there is a choice."""
    source = request.source
    findings = anchor_findings(hit, source.text, source.language, source.path)
    code, why_not = _carried(hit, source.text, source.language)
    if code is None or (answer.kind != "exact" and len(answer.hits) == 1):
        return Offer(hit, code, why_not, findings)
    verification = _verified(request, hit, code, findings) if answer.kind == "exact" else _checked(request, code)
    if verification.refused:
        return Offer(hit, None, f"the stored fix was refused: {verification.refused}", findings)
    return Offer(hit, code, "", findings, verification)


def _piece_offer(request: Request, piece: Piece) -> Offer:
    """The best hit whose fix carries over and, where there is a choice, holds by itself; else the best one with the reason."""
    hits = in_order(piece.answer.hits)
    offers = (_piece_fix(request, piece, hit) for hit in hits)
    return chosen(offers) if len(hits) == 1 else chosen(_held(request, piece, offer) for offer in offers)


def _held(request: Request, piece: Piece, offer: Offer) -> Offer:
    """The offer with its verification as the paste's only change."""
    if offer.code is None:
        return offer
    lines = request.source.text.split("\n")
    lines[piece.start_line - 1 : piece.end_line] = offer.code.split("\n")
    verification = _checked(request, "\n".join(lines))
    if verification.refused:
        return replace(offer, code=None, why_not=f"the stored fix was refused: {verification.refused}")
    return replace(offer, verification=verification)


def _piece_fix(request: Request, piece: Piece, hit: KeyHit) -> Offer:
    from memory.parts import needs_import_elsewhere, without_known_imports  # late: only for a paste that is known in part

    text, language = request.source.text, request.source.language
    code, why_not = _carried(hit, piece.text, language)
    if code is not None:
        code = without_known_imports(code, text)
    if code is not None and needs_import_elsewhere(hit, code, text, language, is_inner=bool(piece.indent)):
        code, why_not = None, "the fix needs an import that belongs at the top of the file"
    if code is not None and piece.indent and has_long_string(code, language):
        code, why_not = None, "a string of several lines can't be moved to another indentation"
    if code is not None:
        code = indented(code, piece.indent).rstrip("\n")
    findings = anchor_findings(hit, piece.text, language, request.source.path)
    return Offer(hit, code, why_not, moved(findings, piece.start_line - 1, len(piece.indent), text))


def _carried(hit: KeyHit, text: str, language: str) -> tuple[str | None, str]:
    """The fix for `text`: as stored for the same bytes (a last newline aside), else transferred."""
    if hit.code.rstrip("\n") == text.rstrip("\n"):
        end = text[len(text.rstrip("\n")) :]
        return hit.fixed_code.rstrip("\n") + end, ""
    from memory.transfer import transfer  # late: the same bytes need none

    carried = transfer(hit.code, hit.fixed_code, text, language)
    if carried.code is None:
        return None, carried.why_not or "the stored edit has no place in this code"
    if carried.code == text:
        return None, "the stored edit changes nothing here"
    return carried.code, ""


def _verified(request: Request, hit: KeyHit, code: str, findings: tuple[Finding, ...]) -> Verification:
    """The stored level while fix and basis are the same and no tests are asked for, else a new check."""
    if request.verifier is None:
        return UNVERIFIED
    stored = hit.alternative.verification
    is_same_fix = hit.part is None and text_hash(code) == hit.alternative.fix_hash and _is_same_code(hit, request.source.text)
    if request.test_cmd is None and stored.accepted and stored.basis and is_same_fix and stored.basis == request.verifier.basis():
        return stored
    return request.verifier.verify(request.source, code, findings=findings, test_cmd=request.test_cmd, file=request.file)


def _checked(request: Request, code: str) -> Verification:
    """What the fix reaches without tests: only to choose among several."""
    return UNVERIFIED if request.verifier is None else request.verifier.verify(request.source, code)


def _is_same_code(hit: KeyHit, text: str) -> bool:
    return hit.code.rstrip("\n") == text.rstrip("\n")


def _fix(offer: Offer, answer: Answer, explanation: str) -> Fix | None:
    if offer.code is None:
        return None
    origin: Origin = "memory" if answer.kind == "exact" else "transfer"
    verification = offer.verification if answer.kind == "exact" else UNVERIFIED
    return Fix(offer.code, explanation, origin, verification, offer.hit.alternative.experience_id)


def spliced(request: Request, regions: tuple[Region, ...], experience_id: str) -> Fix | None:
    """The whole paste with the fix of every region that has one; not verified yet."""
    usable = [region for region in regions if region.fixed_code is not None]
    if not usable:
        return None
    lines = request.source.text.split("\n")
    for region in reversed(usable):
        lines[region.start_line - 1 : region.end_line] = (region.fixed_code or "").split("\n")
    explanations = dict.fromkeys(region.explanation for region in usable if region.explanation)
    return Fix("\n".join(lines), "\n".join(explanations), "transfer", UNVERIFIED, experience_id)


def _region(offer: Offer, answer: Answer, lines: Lines, language: str) -> Region:
    alternative = offer.hit.alternative
    return Region(
        start_line=lines.start,
        end_line=lines.end,
        status=_STATUS[answer.kind],
        tier=answer.kind,
        experience_id=alternative.experience_id,
        alternative_id=alternative.id,
        trust=alternative.trust,
        fixed_code=offer.code,
        explanation=in_own_names(offer.hit.explanation, offer.hit.code, lines.text, language),
        why_not=offer.why_not,
        source=voice_of(alternative),
    )


def _example(offer: Offer) -> PastFix | None:
    if offer.code is not None:
        return None
    hit = offer.hit
    return PastFix(hit.alternative.experience_id, hit.code, hit.fixed_code, hit.explanation, offer.why_not)


def _reason(hit: KeyHit, answer: Answer) -> str:
    part = "" if hit.part is None else f"the function {hit.part.name} in "
    names = "" if answer.kind == "exact" else ", names mapped"
    return f"same code as {part}{origin_of(hit.alternative)}{names}"


def _partial_reason(piece: Piece, offer: Offer, count: int) -> str:
    more = f"; {count - 1} more known" if count > 1 else ""
    return f"lines {piece.start_line}-{piece.end_line}: {_reason(offer.hit, piece.answer)}{more}"


def _none_reason(related: tuple[Related, ...], *, is_fixed: bool) -> str:
    if is_fixed:
        return "every function is the fixed side of an experience: it is fixed already"
    withheld = {each.trust for each in related} & {"quarantined", "rejected"}
    if withheld == {"rejected"}:
        rejected = next(each.experience_id for each in related if each.trust == "rejected")
        return f"you rejected the stored fix: `codemind memory approve {rejected[:_SHORT]}` brings it back"
    if withheld:
        return "a stored entry matches but is not offered: see `codemind memory review`"
    return "nothing stored has this code"


def origin_of(alternative: StoredAlternative) -> str:
    """`your fix of 2026-11-30 09:00`, or where an import came from."""
    when = _readable(alternative.created_at)
    if alternative.provenance.kind == "session":
        return f"your fix of {when}"
    source = " ".join(alternative.provenance.ref.split())[:60]
    return f"the fix imported from {source} on {when}" if source else f"a fix imported on {when}"


def _readable(stamp: str) -> str:
    try:
        return datetime.fromisoformat(stamp).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return stamp[:16]


def _line_count(text: str) -> int:
    return max(1, len(text.rstrip("\n").split("\n")))
