"""More constructs that a fix seldom needs: what weakens, exposes or settles in, where `trust_patterns` lists what acts. Tables only."""

from __future__ import annotations

from memory.trust_patterns import Construct, build

_NAMED = (
    r"(?i:\w{0,30}(?:passw(?:or)?d|passwd|passphrase|secret|token|api_?key|private_?key|credential|session_?id|cookie"
    r"|pin_?code|cvv|otp)\w{0,30})"
)
"""A variable that holds a secret."""

_SWALLOWING = {
    "every exception": r"\bexcept\b(?:[ \t]+(?:Base)?Exception(?:[ \t]+as[ \t]+\w+)?)?[ \t]*:\s*(?:#[^\n]*\s*)?(?:pass|continue"
    r"|return[ \t]+True)\b"
    r"|\bsuppress\s*\(\s*(?:Base)?Exception\b"
    r"|\bcatch\s*(?:\([^)\n]{0,120}\))?\s*\{\s*(?:(?://[^\n]*|/\*.*?\*/|;|return true;|continue;)\s*)*\}"
    r"|\brescue\b(?:[ \t]+(?:StandardError|Exception))?(?:[ \t]*=>[ \t]*\w+)?\s*(?:nil|true)?\s*\bend\b|\brescue[ \t]+(?:nil|true)\b"
    r"|\|\|[ \t]*true\b[ \t]*(?:\n|$)|\bset[ \t]+\+e\b|\bOn Error Resume Next\b",
}
_WEAK_CRYPTOGRAPHY = {
    "hashes": r"(?i:\bmd[245]\b|\bsha-?1\b|\bcrc32\b|\badler32\b)",
    "ciphers": r"(?i:\bECB\b|\bMODE_ECB\b|[\"']DES\b|\bDES(?:ede)?/|\bRC4\b|\bARC4\b|\bBlowfish\b|\brot_?13\b|\bcreateCipher\s*\()",
    "protocols": r"\bSSLv[23]\w*|\bTLSv1(?:_1)?\b|\bTLS1[01]\b|\bVersionTLS1[01]\b|\bPROTOCOL_SSLv\w+|\bMinVersion:\s*tls\.VersionTLS10\b"
    r"|\bSECLEVEL=0\b|\bNULL:?\b.{0,20}cipher",
    "an IV made of the key": r"(?i:\b(?:iv|nonce|salt)\w*\s*:?=(?!=)[^\n]{0,120}\b(?:key|secret|passw\w*|user\w*|name)\b)",
    "fixed salt or key": r"(?i:\b(?:salt|iv|nonce|seed)\s*=\s*b?[\"'][^\"'\n]{0,64}[\"'])|\bsrand\s*\(\s*\d|\brandom\.seed\s*\(\s*\d",
}
_EXPOSING = {
    "all addresses": r"\b0\.0\.0\.0\b|\bINADDR_ANY\b|[\"']::[\"']|\bIPAddress\.Any\b|\bAny:\d",
    "all origins": r"(?i:access-control-allow-origin)|\bAllowAllOrigins\b|\bAllowAnyOrigin\b|\bCORS_(?:ORIGIN_)?ALLOW_ALL\w*",
    "debugging": r"(?i:\bdebug\s*=\s*True\b)|\bset_trace\s*\(|\bDEBUG\s*=\s*True\b|\bphpinfo\s*\(|\bdisplay_errors\b",
    "the environment": r"(?<!in )\bos\.environ\b(?!\s*[\[.])|\bos\.environ\.(?:copy|items|values)\b|\bprocess\.env\b(?!\s*[.\[])"
    r"|\bgetenv\(\s*\)|\bENV\.(?:to_h|each|map|inspect)\b"
    r"|\bos\.Environ\(\)|\benv::vars\(|\$_(?:SERVER|ENV)\b(?!\s*\[)|\bGetEnvironmentVariables\(\)|(?m:^[ \t]*(?:printenv"
    r"|env)\b[ \t]*(?:$|[|>]))",
    "whole objects": r"\b(?:globals|locals)\s*\(\s*\)|\bextract\s*\(\s*\$_\w+|\bparse_str\s*\(\s*\$_\w+\s*\)|\bregister_globals\b"
    r"|\ballow_url_include\b",
    "rights of others": r"\bchmod\w*\s*\(?[^\n)]{0,80}?(?:0o?|[ ,(\"'])[0-7]?[0-7][0-7][2367]\b(?!\d)"
    r"|\bchmod\b[^\n]{0,40}?(?:[ugoa]*[oa]\+r?w|[ugoa]*\+s\b|\s\+\w*w)"
    r"|\bchmod\w*\s*\(?[^\n)]{0,80}?0o?[4267][0-7]{3}\b|\bS_IS[UG]ID\b|\bS_IW(?:OTH|GRP)\b|\bumask\s*\(?\s*0+\b|\bicacls\b.*Everyone"
    r"|\bWorldWritable\b"
    r"|\bmode\s*[=:]\s*0o?[0-7]?[0-7][0-7][2367]\b|\b0o?(?:777|666)\b",
}
_SECRETS_WRITTEN = {
    "logs": r"\b(?:log(?:ger|ging)?|console|logrus|slog|syslog|error_log|trace|audit)\b(?:\.\w+)?(?:\s*\("
    r"|!\s*\()[^\n]{0,120}?(?<![\"'\w ])(?<![\w] )" + _NAMED + r"\b(?![ '\"]*[\"'])"
    r"|\b(?:print|println|printf|puts|echo|fmt\.\w*[pP]rint\w*|System\.(?:out|err)\.\w+|Console\.Write\w*|e?println!|dbg!|var_dump"
    r"|print_r)\s*\(?[^\n\"']{0,40}?"
    r"(?:(?<=[,(\s+{$])|\$)" + _NAMED + r"\b",
}
_UNCHECKED_MEMORY = {
    "copies": r"(?<![\w.:])(?:strcpy|strcat|gets|v?sprintf|stpcpy|wcscpy|alloca|scanf)\s*\(",
    "places": r"\bget_unchecked\w*|\bfrom_raw_parts\w*|\btransmute\b|\bunwrap_unchecked\b|\bset_len\s*\(|\bread_volatile\b",
}
_RAW_TEXT = {
    "pages": r"\.html_safe\b|(?<![\w.])raw\s*\(|\|\s*safe\b|\bv-html\b|\bMarkup\s*\(|\{!!|\bhtmlspecialchars_decode\b|\bHtmlString\b"
    r"|\bHtml\.Raw\b"
    r"|\btemplate\.(?:HTML|JS|URL)\b|\bMvcHtmlString\b|\bnoescape\b|\bescape\s*[:=]\s*(?:false|False)\b|\bautoescape\s+(?:false|off)\b",
    "statements": r"(?i:(?:execute|query|raw|exec|prepare)\w*\s*\(?\s*(?:f[\"']|[\"'`][^\"'`\n]*(?:select|insert|update|delete"
    r"|where)\b[^\"'`\n]*(?:[\"'`]\s*(?:\+|%|\.)|\$\{|#\{|\{\$|\"\s*\.\s*\$|\{\w+\})))"
    r"|(?i:f[\"'][^\"'\n]*\b(?:select|insert|update|delete)\b[^\"'\n]*\{)|\bString\.format\s*\(\s*\"(?i:select|insert|update|delete)"
    r"|\bfmt\.Sprintf\s*\(\s*[\"`](?i:select|insert|update|delete)"
    r"|(?i:\bexecute\s+immediate\b|\bsp_executesql\b|\bexec\s*\(\s*@|\bprepare\s+\w+\s+from\b)",
}
_DATABASE_RIGHTS = {
    "grants": r"(?i:\bgrant\s+[\w ,*]{1,120}?\bto\b|\bgrant\s+all\b|\bcreate\s+(?:user|role|login)\b|\balter\s+(?:user|role|login)\b"
    r"|\bidentified\s+by\b|\bsecurity\s+definer\b"
    r"|\bxp_cmdshell\b|\binto\s+(?:outfile|dumpfile)\b|\bcopy\b[^;\n]*\bprogram\b|\bdisable\s+(?:row\s+level\s+security|trigger)"
    r"|\bload_file\s*\(|\bload_extension\b"
    r"|\bwith\s+grant\s+option\b|\bforeign_key_checks\s*=\s*0)",
    "always true": r"(?i:\bor\s+(?:1\s*=\s*1|'1'\s*=\s*'1'|true)\b|\bor\s+(\w+)\s*=\s*\1\b)",
}
_SETTLING_IN = {
    "start-up files": r"\.(?:bashrc|bash_profile|profile|zshrc|vimrc|gitconfig|npmrc|pypirc)\b|\.git/hooks\b|/etc/(?:cron|init|rc"
    r"|profile|hosts|ld\.so|pam|systemd)\S*"
    r"|\bcrontab\b|\bLaunchAgents\b|\bsystemctl\b|\bschtasks\b|\\\\CurrentVersion\\\\Run\b|\bsitecustomize\b|\batexit\.register\b"
    r"|\bsys\.settrace\b"
    r"|\bLD_PRELOAD\b|\bpostinstall\b",
    "hooks": r"\bsys\.(?:meta_path|path_hooks|setprofile|excepthook)\b|\bsys\.path\.(?:insert|append)\s*\(|\bbuiltins\.\w+\s*="
    r"|\bsetattr\s*\(\s*(?:builtins|sys|os)\b"
    r"|\bObject\.prototype\.\w+\s*=|\bArray\.prototype\.\w+\s*=|\bModule\._load\b|\bserviceWorker\b",
}

EXPOSURES: tuple[Construct, ...] = (
    *build("swallowing every error", _SWALLOWING),
    *build("weak cryptography", _WEAK_CRYPTOGRAPHY),
    *build("opening to everybody", _EXPOSING),
    *build("writing secrets down", _SECRETS_WRITTEN),
    *build("unchecked memory", _UNCHECKED_MEMORY),
    *build("text taken as it is", _RAW_TEXT),
    *build("rights in a database", _DATABASE_RIGHTS),
    *build("settling in", _SETTLING_IN),
)
