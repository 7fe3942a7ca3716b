"""What makes an import suspicious in code: constructs that a fix seldom needs, and guards that it must not lose.

Tables only; `memory/trust.py` decides. A construct counts when the fix has it and the buggy code has nothing of its kind.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Danger = Literal[
    "network access",
    "running programs",
    "a shell",
    "running text as code",
    "unsafe deserialisation",
    "switching a check off",
    "deleting files",
    "reaching for credentials",
    "swallowing every error",
    "weak cryptography",
    "opening to everybody",
    "writing secrets down",
    "unchecked memory",
    "text taken as it is",
    "rights in a database",
    "settling in",
]


@dataclass(frozen=True)
class Construct:
    """One family of calls. A replacement inside a family, or inside a kind without adding calls, is no addition."""

    family: str
    danger: Danger
    pattern: re.Pattern[str]
    languages: frozenset[str] = frozenset()
    """Where the pattern means that; empty for everywhere."""


def build(danger: Danger, families: dict[str, str]) -> tuple[Construct, ...]:
    """The families of one danger, each with its pattern; what stands after an @ in a family's name are the languages it is of."""
    made = []
    for name, pattern in families.items():
        family, _, languages = name.partition(" @")
        made.append(Construct(family, danger, re.compile(pattern), frozenset(languages.split())))
    return tuple(made)


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
    "modules that speak to the network": r"(?m:^[ \t]*|;[ \t]*)(?:import|from)[ \t]+(?:socket|ssl|socketserver|http|ftplib|smtplib"
    r"|imaplib|poplib"
    r"|nntplib|xmlrpc|webbrowser|websockets?|urllib3|boto3|botocore|grpc|zmq|pika|dns|scapy|twisted|multiprocessing\.connection)\b",
    "connections": r"\b(?:open_connection|start_server|create_connection|open_unix_connection)\s*\(|\bwebbrowser\s*\.\s*open\b"
    r"|\b(?:HTTP|Socket|Datagram|SMTP|SysLog)Handler\s*\(|\bDatagramSocket\b|\bInitialContext\b|\bDns\.Get\w+|\bstd::net\b|\bCURL\b"
    r"|(?<![\w.>:$])(?:connect|bind|sendto|recvfrom|getaddrinfo|gethostbyname)\s*\([^)\n]{0,80},[^)\n]{0,80},",
    "browser": r"=\s*fetch\b|\b(?:globalThis|window|global)\s*\[|\bnew\s+Image\s*\(|\blocation(?:\.href)?\s*=(?!=)"
    r"|\blocation\.(?:assign|replace)\s*\("
    r"|\bimport\s*\(\s*['\"](?:node:)?(?:https?|net|dgram|tls|dns|undici)['\"]|\bcreateElement\s*\(\s*['\"](?:script|iframe|img)\b",
    "remote file": r"\b(?:file_get_contents|fopen|include|require|readfile)\s*\(?\s*['\"](?:https?|ftp|php|data):",
}
_PROGRAMS = {
    "subprocess": r"(?<![\w.])subprocess\b|\bcreate_subprocess_\w+|\bPopen\s*\(",
    "os.system": r"\bos\s*\.\s*(?:system|popen|exec[lv]\w*|spawn\w*|posix_spawn\w*|startfile)\b"
    r"|\bfrom\s+os\s+import\b.{0,200}?\b(?:system|popen)\b",
    "os by another way": r"\bimport\s+os\s+as\b|\bfrom\s+os\s+import\s+(?:\*|.{0,200}?\b(?:exec|spawn)\w*)"
    r"|\b(?:getattr|vars)\s*\(\s*(?:os|sys|subprocess|builtins|shutil)\b"
    r"|\b(?:os|sys|subprocess|builtins)\s*\.\s*__dict__|\bsys\s*\.\s*modules\b|\.\s*(?:system|popen)\s*\(\s*[^)\s]"
    r"|\b(?:attrgetter|methodcaller)\s*\(\s*['\"](?:system|popen|exec\w*|eval|spawn\w*)|\bos\s*\.\s*(?:fork|kill|putenv|setuid|setgid)\b"
    r"|\benviron\s*\[\s*['\"](?:PYTHON|LD_|PATH\b|NODE_OPTIONS|BASH_ENV)",
    "pty": r"(?<![\w.])pty\s*\.\s*spawn\b|\bimport\s+pty\b|\b(?:import|from)\s+(?:pip|ensurepip|runpy|code|pdb)\b|\brunpy\s*\."
    r"|\bbreakpoint\s*\(",
    "child_process": r"\bchild_process\b|\bexecSync\b|\bspawnSync\b|\bexecFile(?:Sync)?\b|\bDeno\.(?:run|Command)\b|\bBun\.spawn\b"
    r"|\bprocess\s*\.\s*(?:binding|dlopen)\b|\brequire\s*\(\s*(?:[^'\"\s)]|['\"][^'\"]*['\"]\s*\+)",
    "Runtime.exec": r"\bgetRuntime\s*\(\s*\)|\bProcessBuilder\b|\bProcess\s*\.\s*Start\b|\bProcessStartInfo\b",
    "go exec": r"\bexec\.Command\w*|\"os/exec\"|\bsyscall\.\w+|\"(?:syscall|plugin)\"|\bos\.StartProcess\b",
    "rust process": r"\bstd::process::Command\b|\bCommand::new\b|\bstd::process\b|\blibc::",
    "c system": r"(?<![\w.>:])(?:system|popen|_popen|exec[lv]p?e?|ShellExecute\w*|WinExec|CreateProcess\w*|v?fork|syscall"
    r"|posix_spawnp?)\s*\("
    r"|=\s*&?(?:system|popen|execv\w*)\s*;",
    "exec @javascript typescript": r"(?<![\w.>:])exec\s*\(",
    "exec @php ruby": r"\bOpen3\b|(?<![\w.>:])exec\s*\(|(?m:(?:=|\(|,|^)\s*`[^`\n]+`)",
    "php shell": r"\b(?:shell_exec|passthru|proc_open|pcntl_exec)\s*\(|\bIO\.popen\b|\bKernel\.(?:system|exec|spawn)\b|%x[{(\[]",
}
_SHELLS = {
    "shells": r"\b(?:ba|z|da|k)?sh\b['\"]?\s*,?\s*['\"]?-c\b|\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|(?:\bsource|(?<![\w./])\.)\s+<\("
    r"|/dev/(?:tcp|udp)/"
    r"|\bbase64\s+(?:-d|-D|--decode)\b|\bxargs\b[^\n]*\bsh\b|\bnohup\b|\bshell\s*=\s*True\b|\bcmd(?:\.exe)?['\"]?\s*,?\s*['\"]?/c\b"
    r"|\bpowershell\b",
}
_TEXT_AS_CODE = {
    "eval": r"(?<![\w.>])eval\s*\(|\bbuiltins\s*\.\s*(?:eval|exec)\b|(?m:^\s*eval\s+[\"'$])|\binstance_eval\b|\bclass_eval\b",
    "eval by another way": r"\b(?:globalThis|window|global|self)\s*\.\s*eval\b|\(\s*0\s*,\s*eval\s*\)|=\s*eval\b"
    r"|\bconstructor\s*(?:\.\s*constructor|\(\s*['\"`])|(?<![\w.])compile\s*\([^)\n]{0,200}['\"](?:exec|eval|single)['\"]"
    r"|\btimeit\s*\.\s*timeit\s*\("
    r"|\bdocument\.write|\b(?:inner|outer)HTML\s*\+?=(?!=)|\binsertAdjacentHTML\b|\bnew\s+Worker\s*\(|\bimportScripts\s*\("
    r"|require\(\s*['\"](?:node:)?vm['\"]",
    "reflection": r"\bClass\.forName\b|\bget(?:Declared)?Method\s*\(|\bsetAccessible\s*\(|\bMethodHandles\b|\bURLClassLoader\b"
    r"|\bdefineClass\b"
    r"|\bMethodByName\b|\bplugin\.Open\b|\bgo:linkname\b|\bAssembly\.Load\w*|\bActivator\.CreateInstance\b|\bGetMethod\s*\("
    r"|\bCSharpScript\b",
    "exec @python": r"(?<![\w.>:])exec\s*\(",
    "hidden import": r"\b__import__\b|\bimport_module\b|\b__builtins__\b|\b__subclasses__\b",
    "Function": r"\bnew\s+Function\s*\(|(?<![\w.])Function\s*\(\s*['\"`]|\bvm\s*\.\s*runIn\w+|\bset(?:Timeout|Interval)\s*\(\s*['\"]",
    "native code": r"\bctypes\b|\bcffi\b|\b__asm__\b|\basm\s*(?:volatile\s*)?[({]|\bunsafe\s*\{|\bunsafe\.Pointer\b"
    r"|\bimport\s+\"C\"|\bdlopen\s*\(|\bLoadLibrary\w*\s*\(|\bSystem\.load(?:Library)?\s*\(|\bDllImport\b|\bmprotect\s*\(",
    "calls by a made-up name": r"\bgetattr\s*\([^,\n]{1,80},\s*(?:[^\n]{0,80}?(?:\+|\bjoin\b|\[::|\bchr\b|\bformat\b|\bdecode\b))"
    r"|\b(?:globals|locals|vars)\s*\(\s*\)\s*\["
    r"|\b__(?:globals|mro|bases|code|builtins)__\b|\bKernel\s*\.\s*(?:send|public_send|method)\b|\bcall_user_func\w*\s*\("
    r"|\bconst_get\b|\bconstantize\b"
    r"|\bbinding\s*\.\s*eval\b|\bReflect\s*\.\s*(?:apply|construct)\b|\bimport\s*\(\s*(?:[^'\"\s)]|['\"][^'\"\n]*['\"]\s*[+.])"
    r"|\bFunction\s*\.\s*prototype\b"
    r"|\bDelegate\.CreateDelegate\b|\bdlsym\s*\(|\.\s*invoke\s*\(|(?<!\w)\$\w+\s*\(\s*\$_(?:GET|POST|REQUEST|COOKIE)",
    "decoded text": r"\b(?:b64decode|b32decode|b85decode|unhexlify|a2b_\w+|fromhex|atob|base64_decode|gzinflate|str_rot13"
    r"|fromCharCode|fromCodePoint)\s*\((?=\s*['\"\d])"
    r"|\bBuffer\.from\s*\([^)\n]{0,200}['\"](?:base64|hex)['\"]|\bcodecs\.decode\b|\bBase64\.\w*[dD]ecode\w*|\bdecode64\b"
    r"|\bzlib\.decompress\b|\bFromBase64String\b"
    r"|\bStdEncoding\.DecodeString\b|\bhex2bin\b",
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
SUPPRESSION = (
    r"#\s*(?:noqa|nosec|type:\s*ignore|pylint:\s*disable|pyright:\s*ignore|mypy:|ruff:\s*noqa)\b|\bnosemgrep\b|\bNOSONAR\b|\bNOLINT\w*"
    r"|/[/*]\s*(?:eslint-disable|@ts-(?:ignore|nocheck|expect-error)|tslint:disable|nolint\b|noinspection\b|NOPMD)|@SuppressWarnings\b"
    r"|#!?\[allow\(|#\s*pragma\s+(?:warning\s+disable|GCC\s+diagnostic\s+ignored|clang\s+diagnostic\s+ignored)"
)
"""Comments and marks that make a linter or compiler look away."""
_CHECK_OFF = {
    "certificates": r"\bverify\s*=\s*(?:False|0|None)\b|\bverify_ssl\s*=\s*False\b|\bCERT_NONE\b|\b_create_unverified_context\b"
    r"|\bcheck_hostname\s*=\s*False\b"
    r"|\brejectUnauthorized\b['\"]?\s*[:=]\s*(?!true\b)|\bNODE_TLS_REJECT_UNAUTHORIZED\b|\bInsecureSkipVerify\b\s*[:=](?!=)\s*(?!false\b)"
    r"|\bdanger_accept_invalid_\w+|\bServerCertificate\w*Callback\b|\bSSL_VERIFY(?:PEER|HOST)\b|\bVERIFY_NONE\b|\bALLOW_ALL_HOSTNAME\w*"
    r"|\bNoopHostnameVerifier\b|\bset(?:Default)?HostnameVerifier\b|\bStrictHostKeyChecking[= ]no\b"
    r"|\bAutoAddPolicy\b|--(?:insecure|no-check-certificate)\b",
    "suppression": SUPPRESSION,
    "file rights": r"\bchmod\w*\s*\(?[^\n)]{0,80}?(?:0o?777|0o?666|\b777|\b666|\ba\+rwx|\bo\+w)\b|\bS_IRWXO\b"
    r"|\bumask\s*\(\s*0\s*\)|\bsetuid\s*\(\s*0\s*\)",
    "credentials of other origins": r"(?i:access-control-allow-credentials)",
    "access": r"\bcsrf_exempt\b|\bpermitAll\s*\(|\bAllowAny\b|\bAllowAnonymous\b|\bpermit_all\b|\bskip_before_action\b"
    r"|\bNOPASSWD\b|\bauth\s*=\s*False\b",
    "signatures": r"algorithms?\s*[=:]\s*\[?\s*['\"]none['\"]|verify_signature['\"]?\s*[:=]\s*False"
    r"|\bverify_exp['\"]?\s*[:=]\s*False|--no-verify\b|--no-gpg-check\b",
    "fixed password": r"(?i:\b\w{0,40}(?:passw(?:or)?d|passphrase|secret|token|api_?key)\w{0,40}\s*"
    r"(?:===?|\.equals\s*\(|\.Equals\s*\()\s*['\"][^'\"\n]{4,}['\"])",
    "autoescape": r"\bautoescape\s*=\s*False\b|\bmark_safe\s*\(|\bdangerouslySetInnerHTML\b|\bbypassSecurityTrust\w+",
    "back door": r"\b(?:if|while|return|or|\|\|)\s*\(?\s*(?:True|true)\s+(?:or|\|\|)\s|\bdocument\.cookie\b",
}

_DELETING = {
    "files": r"\brmtree\s*\(|\bos\s*\.\s*(?:remove|unlink|rmdir|removedirs)\s*\(|\.unlink\s*\(|\bfs\s*\.\s*(?:rm|unlink"
    r"|rmdir)(?:Sync)?\s*\("
    r"|\bFiles\.delete\w*\s*\(|\bos\.Remove(?:All)?\s*\(|\bremove_(?:file|dir_all)\s*\(|\bFile\.Delete\s*\(|\bDirectory\.Delete\s*\(",
    "commands": r"\brm\s+-\w*[rR]\w*\s+(?:--\s+)?[\"']?(?:[/~]|\$HOME)[\"']?(?=[\s\"';*]|$)|\bmkfs\b|\bdd\s+if=|\bshred\b|:\(\)\s*\{",
    "tables": r"(?i:\b(?:drop|truncate)\s+(?:table|database)\b)",
}
_CREDENTIALS = {
    "files": r"/etc/(?:passwd|shadow|sudoers)|\.ssh\b|\bauthorized_keys\b|\bid_(?:rsa|ed25519)\b|\.aws/|\.netrc\b"
    r"|\.git-credentials\b|\bLogin Data\b",
}

CONSTRUCTS: tuple[Construct, ...] = (
    *build("network access", _NETWORK),
    *build("running programs", _PROGRAMS),
    *build("a shell", _SHELLS),
    *build("running text as code", _TEXT_AS_CODE),
    *build("unsafe deserialisation", _DESERIALISATION),
    *build("switching a check off", _CHECK_OFF),
    *build("deleting files", _DELETING),
    *build("reaching for credentials", _CREDENTIALS),
)

ACTING: frozenset[str] = frozenset({"running programs", "a shell", "running text as code", "unsafe deserialisation"})
"""Of these also one call more is too many."""
SLIPS: frozenset[str] = frozenset({"network access", "running programs"})
"""Where a module that is imported and not used may be one whose name was misspelt."""

GUARDS = re.compile(
    r"\b(?:is_?|has_?)(?:admin|staff|superuser|auth\w*|perm\w*|role|owner|logged_?in)\b|\b(?:un)?authori[sz]ed\b|\bPermissionError\b"
    r"|\bcompare_digest\b|\braise_for_status\b|\b(?:check|verify|validate)_?(?:passw\w*|token|signature|csrf|hash|cert\w*)\b"
    r"|\b(?:html|shlex|urllib\.parse|re|markupsafe)?\.?(?:escape|sanitize|quote)\s*\("
    r"|@\w*(?:login|auth|permission|role|csrf)\w*(?:required|protect|check|only)?\b"
    r"|\b(?:require|check|ensure)_?(?:auth|login|permission|admin)\w*"
    r"|\b(?:PreAuthorize|RolesAllowed|Authorize|Secured)\b",
    re.IGNORECASE,
)
"""Access checks that a fix must not lose."""

ADDRESS = re.compile(r"\b(?:https?|ftp|wss?|ldaps?|tcp)://[\w.:\[\]-]+|\b\d{1,3}(?:\.\d{1,3}){3}\b")
"""Hosts: a new one beside existing network code sends the user's values elsewhere."""

UNSEEN = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\u180e\u00ad\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef\u3164\uffa0\u115f\u1160\u2800\u17b4\u17b5\u2028\u2029\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]"
)
"""Characters that reorder or hide text. The joiners (200c, 200d) and the marks (200e, 200f) are ordinary in many scripts."""
