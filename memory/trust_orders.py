"""What makes an import suspicious in words: orders to whoever reads them, in English and other languages. Tables only.

They are matched on folded text: lower case, no accents, single blanks, letters that only look Latin made Latin.
"""

from __future__ import annotations

import re

_WHO = r"(?:the |this |any |your |a )?(?:user|human|developer|reviewer|author|owner|operator|anyone|anybody)"
_ASKING = r"(?:ask(?:ing)?|confirm\w*|approv\w*|review(?:ing)?|telling|permission|being asked|notice|verif\w+)"
_SPOKEN_TO = r"(?:ai|assistant|language model|llm|coding agent|model|codemind|chatgpt|claude|copilot)"

_IGNORE = "tells the reader to ignore something"
_ANSWER = "tells the reader what to answer"
_UNSEEN_USE = "tells the reader to apply it unseen"
_HIDE = "tells the reader to hide something"
_SPEAK = "speaks to the model"
_APPROVED = "claims to be approved"
_COMMAND = "asks to run a command"
_SECRETS = "asks for secrets"
_ROLE = "plays another role"


def _compile(*orders: tuple[str, str]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((what, re.compile(pattern)) for what, pattern in orders)


_ABOUT_REVIEW = r"(?:findings?|issues?|problems?|bugs?|defects?|errors?|vulnerabilit\w+|warnings?)"

_IGNORE_ELSEWHERE = (
    # German, Dutch, Spanish, Portuguese, French, Italian, Polish, Russian, Ukrainian, Turkish, Swedish and its neighbours
    r"ignorier\w*|missacht\w*|vergiss|negeer\w*|ignora\w*|ignore[zr]?|olvida\w*|omite|esque[cç]a\w*|oubli\w+|dimentica\w*|zignoruj\w*"
    r"|zapomnij|игнорир\w*|проигнорир\w*|забудь\w*|ігнор\w*|yok ?say\w*|unut|ignorera|glom|bortse"
)
_ORDERS_ELSEWHERE = (
    r"anweisung\w*|vorgaben|instructies|instrucci\w*|instru[cç]\w*|consignes|istruzion\w*|instrukcj\w*|polecen\w*|инструкц\w*|указани\w*"
    r"|інструкц\w*|talimat\w*|instruktion\w*|prompt\w*|regeln|regles|reglas|regole|правил\w*"
)

_FOLLOW_NOT = (
    r"(?:befolge|beachte|folge)\w* (?:nicht|keine\w*)|no (?:sigas?|obedezcas?|hagas? caso)|nao (?:sigas?|obedeca)|ne (?:suivez|suis"
    r"|respectez)"
    r"|non (?:seguire|rispettare)|volg (?:niet|geen)|nie (?:stosuj|przestrzegaj)\w*|не (?:следуй|выполняй|соблюдай)\w*|folj inte"
)
_FOLLOW = r"befolg\w*|beacht\w* (?:die|das|alle|bisherig\w*|vorherig\w*|obig\w*)"
_REPORT_NOTHING = (
    r"melde\w* (?:keine\w*|nichts)|(?:keine|nichts) (?:\w+ ){0,2}(?:melden|berichten|beanstanden)|no (?:informes?|reportes?"
    r"|menciones?) (?:de )?(?:ningun\w*|nada|los)"
    r"|ne (?:signale[zr]?|rapporte[zr]?|mentionne[zr]?) (?:aucun\w*|rien|pas)|nao (?:relate|reporte|mencione)\w*|non (?:segnalare"
    r"|riportare|menzionare)"
    r"|meld (?:geen|niets)|nie (?:zglaszaj|zgłaszaj|raportuj)\w*|не (?:сообщай|упоминай|указывай|показывай)\w*|rapportera (?:inga"
    r"|inget)|hicbir (?:hata|sorun)\w* bildirme"
)
_TO_THE_MODEL = (
    r"(?:hinweis|nachricht|anweisung|achtung)\w* (?:an|fur) (?:das|die|den|alle)? ?(?:\w+ )?(?:modell|ki|assistent\w*|pruf\w*|review\w*)"
    r"|(?:nota|mensaje|instruccion\w*|atencion) (?:para|al?|a la) (?:el |la )?(?:modelo|ia|asistente|revisor\w*)"
    r"|(?:note|message|consigne\w*) (?:au|pour|a) (?:le |la |l')?(?:modele|ia|assistant\w*|relecteur\w*)"
    r"|(?:nota|messaggio) (?:per|al) (?:il )?(?:modello|assistente|revisore)|(?:nota|mensagem) (?:para|ao) (?:o )?(?:modelo"
    r"|assistente|revisor)"
    r"|(?:сообщение|примечание|указание|внимание)\w* (?:для )?(?:модели|ассистент\w*|ии|рецензент\w*)"
)

ORDERS = _compile(
    (_IGNORE, rf"\b(?:{_IGNORE_ELSEWHERE})\b[^.\n]{{0,60}}?\b(?:{_ORDERS_ELSEWHERE})"),
    (
        _IGNORE,
        rf"\b(?:{_FOLLOW_NOT})\b[^.\n]{{0,60}}?\b(?:{_ORDERS_ELSEWHERE})|\b(?:{_FOLLOW})\b[^.\n]{{0,20}}?\b(?:nicht|keine\w*|niet|geen)\b",
    ),
    (_ANSWER, rf"\b(?:{_REPORT_NOTHING})\b"),
    (
        _ANSWER,
        r"(?:不要|别|勿|不得)[^。\n]{0,6}(?:报告|提及|指出|告诉|显示)|没有(?:任何)?问题[^。\n]{0,10}(?:回答|回复)|報告しない|指摘しない|보고하지",
    ),
    (_SPEAK, rf"\b(?:{_TO_THE_MODEL})\b"),
    (_IGNORE, r"(?:忽略|無視|无视|忘记|忘れ|무시)[^。\n]{0,30}(?:指令|指示|说明|提示|命令|プロンプト|규칙|지시)"),
    (_IGNORE, r"(?:指令|指示|说明|提示|命令|プロンプト|규칙|지시)[^。\n]{0,30}(?:忽略|無視|无视|忘记|忘れ|무시)"),
    (
        _IGNORE,
        r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,20}?\b(?:everything|anything|all|whatever|what)\b[^.\n]{0,20}?\b(?:above"
        r"|before|else|said|told|written)\b",
    ),
    (_IGNORE, r"\b(?:do not|don't|never) (?:follow|obey|apply)\b[^.\n]{0,30}?\b(?:rules?|instructions?|guidelines|policy|policies)\b"),
    (
        _IGNORE,
        r"\b(?:skip|bypass|disable|omit) (?:the |all |any )?(?:security|safety|verification|static) (?:checks?|reviews?|scans?"
        r"|analys[ie]s)\b",
    ),
    (
        _ANSWER,
        rf"\b(?:report|return|output|give|emit|raise|list|show) (?:no|zero|an empty list of|without any) {_ABOUT_REVIEW}\b"
        rf"|\b(?:must |should )?never (?:report|raise|list|flag|mention)\b[^.\n]{{0,20}}?\b{_ABOUT_REVIEW}\b",
    ),
    (
        _ANSWER,
        r"\b(?:mark|flag|rate|treat|label)\b[^.\n]{0,30}?\b(?:review|code|finding|fix|patch|change|entry"
        r"|everything)\w*\b[^.\n]{0,20}?\bas (?:approved|safe|clean|trusted|passed|reviewed|fine)\b",
    ),
    (
        _ANSWER,
        rf"\btell (?:them|{_WHO})\b[^.\n]{{0,40}}?\b(?:nothing|no|safe|fine|ok|clean)\b|\b(?:reply|answer"
        rf"|respond)\b[^.\n]{{0,15}}?\b(?:only|lgtm|just)\b",
    ),
    (
        _APPROVED,
        r"\bno (?:need|reason) to (?:review|check|verify|inspect|look)\b|\btrust (?:this|the|my) (?:fix|patch|code|entry|change|source)\b",
    ),
    (
        _IGNORE,
        r"\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.\n]{0,40}?\b(?:instructions?|prompts?|reviewers?|reviews?|guidelines"
        r"|guardrails|system message|safety|(?:previous|prior|earlier|preceding) (?:text|messages?|rules?|context|findings?))\b",
    ),
    (
        _ANSWER,
        r"\b(?:always|only|must|should|please|just|and|then|now)\b[^.\n]{0,20}?\b(?:answer|respond|reply|say|report|state|claim|declare"
        r"|conclude)\b[^.\n]{0,30}?\b(?:that|with|the|this|no|nothing|safe|ok|lgtm|fine|yes)\b[^.\n]{0,30}?"
        r"\b(?:safe|clean|fine|ok|correct|defects?|issues?|bugs?|findings?|lgtm|approved|vulnerab\w+|problems?)\b",
    ),
    (_ANSWER, r"\balways (?:answer|respond|reply|say|approve|accept|trust|output)\b"),
    (
        _UNSEEN_USE,
        r"\b(?:apply|accept|commit|merge|install|use|execute|run|return|push|approve|deploy)\b[^.\n]{0,60}?"
        rf"\bwithout\b[^.\n]{{0,20}}?\b{_ASKING}\b",
    ),
    (
        _UNSEEN_USE,
        r"\b(?:return|output|use|copy|apply) (?:exactly )?this (?:fix|patch|code|answer|text) (?:verbatim|exactly|always|everywhere)",
    ),
    (
        _HIDE,
        r"\b(?:never|do not|don't|dont|must not|without)\b[^.\n]{0,20}?\b(?:ask|tell|show|mention|report|reveal|warn|alert|notify|inform"
        rf"|prompt|disclose)\w*\b[^.\n]{{0,40}}?\b{_WHO}\b",
    ),
    (_SPEAK, rf"\b{_SPOKEN_TO}\s*[:,]\s*(?:you|do|don't|never|always|please|ignore|apply|must)\b"),
    (_SPEAK, r"\byou are (?:now )?(?:an?|the) \w*\s?(?:assistant|agent|model|reviewer)\b|\bas an? (?:ai|language model)\b"),
    (_SPEAK, r"\bpretend (?:to be|that you)\b|\bfrom now on,? (?:you|trust|always|ignore|treat)\b"),
    (
        _SPEAK,
        r"\b(?:attention|note to|message (?:to|for)|instructions? (?:to|for)) (?:the |all |any )?"
        r"(?:ai|assistants?|llms?|models?|agents?|reviewers?)\b",
    ),
    (_APPROVED, r"\bpre-?approved\b|\b(?:already|has been|is) (?:reviewed and )?approved by (?:security|the|an?) ?\w+"),
    (_APPROVED, r"\b(?:new|updated|additional) (?:system )?instructions\b"),
    (_COMMAND, r"\bcurl\b[^\n|]{0,200}\|\s*(?:sudo )?(?:ba|z|da)?sh\b|\b(?:run|execute|type|paste|enter)\b[^.\n]{0,40}\brm -rf\b"),
    (_COMMAND, r"\b(?:run|execute) the following (?:command|script|code)\b"),
    (
        _SECRETS,
        r"\b(?:send|post|upload|print|reveal|leak|exfiltrate|include)\b[^.\n]{0,40}?"
        r"\b(?:api keys?|credentials|environment variables|system prompt|\.env\b|private keys?)",
    ),
)
"""Applied to prose and to the lines that a fix adds, in lower case with single blanks."""

ROLES = _compile(
    (_ROLE, r"(?m)^[^\w\n]*(?:system|assistant|developer)\s*(?:message|prompt)?\s*:"),
    (_ROLE, r"<\|?/?\s*(?:system|assistant|im_start|im_end|endoftext|memory|instructions?|prompt)\b[^>\n]{0,40}>"),
    (_ROLE, r"\[/?inst\]|###\s*(?:system|instructions?)\b"),
)
"""Applied to prose only: `system:` is an ordinary key in code."""
