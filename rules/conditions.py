"""The conditions of `when`: which sites and entities of a file a rule reports."""

from __future__ import annotations

from dataclasses import dataclass

from ast_grep_py import SgNode

from rules.document import Document
from rules.model import Adapter, Case, Condition, Rule
from rules.sites import Site, find_case, find_sites, needs_of

_SELF = "entity.matches"


@dataclass(frozen=True)
class Hit:
    """One defect: the entity it is charged to, and the site when a capability found it."""

    entity: SgNode
    site: Site | None


class Judge:
    """One rule on one document."""

    def __init__(self, document: Document, rule: Rule, adapter: Adapter) -> None:
        self.document = document
        self.rule = rule
        self.adapter = adapter
        self._guards: dict[tuple[object, ...], list[SgNode]] = {}

    def hits(self) -> list[Hit]:
        """What satisfies all conditions, in the order of the text."""
        hits = self._start()
        for condition in self.rule.when:
            if not hits:
                break
            hits = [hit for hit in hits if self._holds(condition, hit)]
        if self.rule.visibility:
            hits = [hit for hit in hits if self._is_public(hit)]
        return sorted(hits, key=lambda hit: self.document.place(hit.site.node if hit.site else hit.entity)[:2])

    def _start(self) -> list[Hit]:
        """The sites of the first capability, each with its nearest entity; all entities when no condition names one."""
        first = next((item for item in self.rule.when if item.subject in ("has", _SELF)), None)
        if first is None:
            return [Hit(entity, None) for entity in self.document.entities(self.rule.entity)]
        hits = []
        for site in find_sites(self.document, self.adapter, first.capability):
            entity = self._entity_of(site, first.subject)
            if entity is not None:
                hits.append(Hit(entity, site))
        return hits

    def _entity_of(self, site: Site, subject: str) -> SgNode | None:
        if subject == _SELF:
            return site.match if self.document.is_entity(site.match, self.rule.entity) else None
        return self.document.enclosing(site.node, self.rule.entity)

    def _holds(self, condition: Condition, hit: Hit) -> bool:
        document, subject = self.document, condition.subject
        if subject in ("has", _SELF):
            return True
        if subject == "entity.name":
            return document.entity_name(hit.entity, self.rule.entity) in condition.names
        if subject.startswith("entity."):
            return document.fact(hit.entity, self.rule.entity, subject.removeprefix("entity.")) is condition.wanted
        found = self._relation(condition, hit)
        return found != subject.endswith("_not")

    def _relation(self, condition: Condition, hit: Hit) -> bool:
        """True when the owner (or the file) has what the condition asks about."""
        values = self._values(condition, hit)
        cases = [case for case in self.adapter.capabilities[condition.capability] if needs_of(case) <= values.keys()]
        if condition.before_site and hit.site is not None:
            return any(self._guarded(case, hit.site, values) for case in cases)
        if condition.subject.startswith("file."):
            owner: SgNode | None = self.document.root
        else:
            owner = self.document.enclosing(hit.site.node if hit.site else hit.entity, "function")
        return owner is not None and any(find_case(owner, case, values) for case in cases)

    def _values(self, condition: Condition, hit: Hit) -> dict[str, str]:
        """What the placeholders of the capability stand for."""
        values = {}
        for name in {name for case in self.adapter.capabilities[condition.capability] for name in needs_of(case)}:
            if name == "entity.name":
                values[name] = self.document.entity_name(hit.entity, self.rule.entity)
            elif name.startswith("site.") and hit.site is not None:
                text = hit.site.text(name.removeprefix("site."), self.document)
                if text is not None:
                    values[name] = text
        return values

    def _guarded(self, case: Case, site: Site, values: dict[str, str]) -> bool:
        """A guard stands before the site, in its block or an enclosing one, or it encloses the site."""
        own = {name: values[name] for name in needs_of(case)}
        region = self.document.outermost(site.node)
        if any(self._counts(guard, case, site) for guard in self._search(region, case, own)):
            return True
        above = self._top_level_above(region, own)
        return any(self._counts(guard, case, site) for statement in above for guard in self._search(statement, case, own))

    def _search(self, region: SgNode, case: Case, values: dict[str, str]) -> list[SgNode]:
        """Guards in a region, remembered: many sites of a file ask for the same name."""
        key = (case.key, self.document.place(region)[:2], tuple(sorted(values.items())))
        if key not in self._guards:
            self._guards[key] = find_case(region, case, values)
        return self._guards[key]

    def _top_level_above(self, region: SgNode, values: dict[str, str]) -> list[SgNode]:
        """Plain statements at the top of the file above the region that hold all the values as text."""
        start = self.document.place(region).start
        return [node for begin, text, node in self.document.top_statements if begin < start and all(v in text for v in values.values())]

    def _counts(self, guard: SgNode, case: Case, site: Site) -> bool:
        document = self.document
        place, span = document.place(site.node), document.place(guard)
        mention = guard.get_match(case.mention) if case.mention else None
        if mention is not None:
            at = document.place(mention)
            if place.start <= at.start and at.end <= place.end:
                return False
        if span.start <= place.start and place.end <= span.end:
            return case.position != "before"
        if case.position == "encloses" or span.end > place.start:
            return False
        statement = document.statement(guard)
        block = None if statement is None else statement.parent()
        around = None if block is None else document.place(block)
        return around is not None and around.start <= place.start and place.end <= around.end

    def _is_public(self, hit: Hit) -> bool:
        """Unknown counts as public."""
        entity, document = hit.entity, self.document
        function = entity if self.rule.entity == "function" else document.enclosing(entity, "function")
        return function is None or document.fact(function, "function", "is_public") is not False
