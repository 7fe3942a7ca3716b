"""What makes an import suspicious: words that give orders to whoever reads them, and constructs that a fix seldom needs.

Tables only; `memory/trust.py` decides. A construct counts when the fix has it and the buggy code has nothing of its kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Danger = Literal["network access", "running programs", "running text as code", "unsafe deserialisation", "switching a check off"]


@dataclass(frozen=True)
class Construct:
    """One family of calls. A replacement inside a family, or inside a kind without adding calls, is no addition."""

    family: str
    danger: Danger
    pattern: re.Pattern[str]


def _build(danger: Danger, families: dict[str, str]) -> tuple[Construct, ...]:
    return tuple(Construct(family, danger, re.compile(pattern)) for family, pattern in families.items())


_NETWORK = {
    "urllib": r"\burllib[23]?\b|\burlopen\b|\burlretrieve\b",
    "requests": r"(?<![\w.])requests\s*\.\s*(?:get|post|put|patch|delete|head|request|Session)\b|\bimport\s+requests\b|\bfrom\s+requests\b",
    "httpx": r"(?<![\w.])httpx\b",
    "aiohttp": r"(?<![\w.])aiohttp\b",
    "http client": r"\bhttp\.client\b|\bHTTPS?Connection\s*\(|\bHttpClient\b|\bHttpURLConnection\b|\bWebClient\b"
    r"|\bHttpRequest\b|\bWebRequest\b",
    "socket": r"\bimport\s+socket\b|\bfrom\s+socket\b|(?<![\w.])socket\s*\.\s*\w|\bnew\s+(?:Server)?Socket\b"
    r"|\bTcp(?:Stream|Listener|Client)\b"
    r"|\bUdpSocket\b|(?<![\w.>])(?:socket|getaddrinfo)\s*\(\s*(?:AF_|PF_|\w+\s*,)|\bfsockopen\b|\bTCPSocket\b",
    "mail and files": r"\b(?:smtplib|ftplib|paramiko|telnetlib|nodemailer)\b|\bnet/smtp\b|\bmail\s*\(\s*\$",
    "fetch": r"(?<![\w.$])fetch\s*\(|\bwindow\.fetch\b|\bXMLHttpRequest\b|\bsendBeacon\b|\baxios\b|\bEventSource\s*\(|\bnew\s+WebSocket\b",
    "node net": r"require\(\s*['\"](?:node:)?(?:https?|net|dgram|tls|dns)['\"]|from\s+['\"](?:node:)?(?:https?|net|dgram|tls|dns)['\"]",
    "go net": r"\bnet\.(?:Dial|Listen|Lookup)\w*|\bhttp\.(?:Get|Post|PostForm|Head|NewRequest\w*|Client)\b|\"net(?:/http)?\"",
    "url stream": r"\bnew\s+URL\s*\([^)]*\)\s*\.\s*open\w*|\bopenStream\s*\(|\bopenConnection\s*\(|\bURI\.open\b|\bNet::HTTP\b",
    "curl": r"\bcurl_(?:init|exec|easy_\w+)\b|\breqwest\b|\bureq\b|\bhyper::|(?m:(?:^|[;&|$(`]\s*)(?:curl|wget|nc|ncat)\s)",
    "remote file": r"\b(?:file_get_contents|fopen|include|require|readfile)\s*\(?\s*['\"](?:https?|ftp|php|data):",
}
_PROGRAMS = {
    "subprocess": r"(?<![\w.])subprocess\b|\bcreate_subprocess_\w+|\bPopen\s*\(",
    "os.system": r"\bos\s*\.\s*(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawn\w*|startfile)\b"
    r"|\bfrom\s+os\s+import\b.*\b(?:system|popen)\b",
    "pty": r"(?<![\w.])pty\s*\.\s*spawn\b|\bimport\s+pty\b",
    "child_process": r"\bchild_process\b|\bexecSync\b|\bspawnSync\b|\bexecFile(?:Sync)?\b|\bDeno\.(?:run|Command)\b|\bBun\.spawn\b",
    "Runtime.exec": r"\bgetRuntime\s*\(\s*\)|\bProcessBuilder\b|\bProcess\s*\.\s*Start\b|\bProcessStartInfo\b",
    "go exec": r"\bexec\.Command\w*|\"os/exec\"|\bsyscall\.(?:Exec|ForkExec)\b",
    "rust process": r"\bstd::process::Command\b|\bCommand::new\b",
    "c system": r"(?<![\w.>:])(?:system|popen|_popen|exec[lv]p?e?|ShellExecute\w*|WinExec|CreateProcess\w*)\s*\(",
    "php shell": r"\b(?:shell_exec|passthru|proc_open|pcntl_exec)\s*\(|\bIO\.popen\b|\bKernel\.(?:system|exec|spawn)\b|%x[{(\[]",
}
_TEXT_AS_CODE = {
    "eval": r"(?<![\w.>])eval\s*\(|\bbuiltins\s*\.\s*(?:eval|exec)\b|(?m:^\s*eval\s+[\"'$])|\binstance_eval\b|\bclass_eval\b",
    "exec": r"(?<![\w.>:])exec\s*\(",
    "hidden import": r"\b__import__\s*\(|\bimportlib\s*\.\s*import_module\b|\b__builtins__\b|\b__subclasses__\b",
    "Function": r"\bnew\s+Function\s*\(|\bvm\s*\.\s*runIn\w+|\bset(?:Timeout|Interval)\s*\(\s*['\"]",
    "native code": r"\bctypes\b|\bdlopen\s*\(|\bLoadLibrary\w*\s*\(|\bSystem\.load(?:Library)?\s*\(|\bDllImport\b|\bmprotect\s*\(",
    "script engine": r"\bScriptEngine\w*\b|\bGroovyShell\b|\bcreate_function\s*\(|\bassert\s*\(\s*['\"$]",
}
_DESERIALISATION = {
    "pickle": r"(?<![\w.])c?[pP]ickle\b|\bdill\b|\bcloudpickle\b|\bjsonpickle\b|\bshelve\s*\.\s*open\b"
    r"|\bmarshal\s*\.\s*loads?\b|\bread_pickle\b",
    "yaml": r"\byaml\s*\.\s*(?:load|load_all|unsafe_load\w*|full_load\w*)\s*\((?![^)]*SafeLoader)|\bYAML\.(?:load|unsafe_load)\b",
    "object stream": r"\bObjectInputStream\b|\breadObject\s*\(|\bXMLDecoder\b|\bBinaryFormatter\b"
    r"|\bNetDataContractSerializer\b|\bTypeNameHandling\b",
    "unserialize": r"\bunserialize\s*\(|\bMarshal\s*\.\s*load\b|\bnode-serialize\b",
}
_CHECK_OFF = {
    "certificates": r"\bverify\s*=\s*False\b|\bverify_ssl\s*=\s*False\b|\bCERT_NONE\b|\b_create_unverified_context\b"
    r"|\bcheck_hostname\s*=\s*False\b"
    r"|\brejectUnauthorized\b['\"]?\s*:\s*false\b|\bNODE_TLS_REJECT_UNAUTHORIZED\b|\bInsecureSkipVerify\b\s*[:=]\s*true\b"
    r"|\bdanger_accept_invalid_\w+|\bServerCertificate\w*Callback\b|\bSSL_VERIFY(?:PEER|HOST)\b|\bVERIFY_NONE\b|\bALLOW_ALL_HOSTNAME\w*"
    r"|\bNoopHostnameVerifier\b|\bsetHostnameVerifier\b|\bStrictHostKeyChecking[= ]no\b"
    r"|\bAutoAddPolicy\b|--(?:insecure|no-check-certificate)\b",
    "file rights": r"\bchmod\w*\s*\(?[^\n)]{0,80}?(?:0o?777|0o?666|\b777|\b666|\ba\+rwx|\bo\+w)\b|\bS_IRWXO\b"
    r"|\bumask\s*\(\s*0\s*\)|\bsetuid\s*\(\s*0\s*\)",
    "access": r"\bcsrf_exempt\b|\bpermitAll\s*\(|\bAllowAny\b|\bAllowAnonymous\b|\bpermit_all\b|\bskip_before_action\b"
    r"|\bNOPASSWD\b|\bauth\s*=\s*False\b",
    "signatures": r"algorithms?\s*[=:]\s*\[?\s*['\"]none['\"]|verify_signature['\"]?\s*[:=]\s*False"
    r"|\bverify_exp['\"]?\s*[:=]\s*False|--no-verify\b|--no-gpg-check\b",
    "fixed password": r"(?i:\b\w*(?:passw(?:or)?d|passphrase|secret|token|api_?key)\w*\s*"
    r"(?:===?|\.equals\s*\(|\.Equals\s*\()\s*['\"][^'\"\n]{4,}['\"])",
    "autoescape": r"\bautoescape\s*=\s*False\b|\bmark_safe\s*\(|\bdangerouslySetInnerHTML\b|\bbypassSecurityTrust\w+",
    "back door": r"\b(?:if|while|return|or|\|\|)\s*\(?\s*(?:True|true)\s+(?:or|\|\|)\s|\bdocument\.cookie\b",
}

CONSTRUCTS: tuple[Construct, ...] = (
    *_build("network access", _NETWORK),
    *_build("running programs", _PROGRAMS),
    *_build("running text as code", _TEXT_AS_CODE),
    *_build("unsafe deserialisation", _DESERIALISATION),
    *_build("switching a check off", _CHECK_OFF),
)

GUARDS = re.compile(
    r"@\w*(?:login|auth|permission|role|csrf)\w*(?:required|protect|check|only)?\b"
    r"|\b(?:require|check|ensure)_?(?:auth|login|permission|admin)\w*"
    r"|\b(?:PreAuthorize|RolesAllowed|Authorize|Secured)\b",
    re.IGNORECASE,
)
"""Access checks that a fix must not lose."""

ADDRESS = re.compile(r"\b(?:https?|ftp|wss?|ldaps?|tcp)://[\w.:\[\]-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b")
"""Hosts: a new one beside existing network code sends the user's values elsewhere."""

UNSEEN = re.compile("[\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\u180e\u00ad\ufeff\ufff9-\ufffb\U000e0000-\U000e007f\x1b\x08]")
"""Characters that reorder or hide text. The joiners (200c, 200d) and the marks (200e, 200f) are ordinary in many scripts."""

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


ORDERS = _compile(
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
    (_COMMAND, r"\bcurl\b[^\n|]{0,200}\|\s*(?:sudo )?(?:ba|z|da)?sh\b|\brm -rf [/~]"),
    (_COMMAND, r"\b(?:run|execute) the following (?:command|script|code)\b"),
    (
        _SECRETS,
        r"\b(?:send|post|upload|print|reveal|leak|exfiltrate|include)\b[^.\n]{0,40}?"
        r"\b(?:api keys?|credentials|environment variables|system prompt|\.env\b|private keys?)",
    ),
)
"""Applied to prose and to the lines that a fix adds, in lower case with single blanks."""

ROLES = _compile(
    (_ROLE, r"(?m)^\W*(?:system|assistant|developer)\s*(?:message|prompt)?\s*:"),
    (_ROLE, r"<\|?/?\s*(?:system|assistant|im_start|im_end|endoftext|memory|instructions?|prompt)\b[^>\n]{0,40}>"),
    (_ROLE, r"\[/?inst\]|###\s*(?:system|instructions?)\b"),
)
"""Applied to prose only: `system:` is an ordinary key in code."""
