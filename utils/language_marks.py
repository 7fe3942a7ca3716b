"""What gives a programming language away in its text: spellings that others don't share, weighed by how telling they are."""

from __future__ import annotations

import re
from functools import cache

_MOST = 6
"""A spelling counts at most so often: a long text must not drown the others."""

# language -> (weight, pattern) with (?m) in force. 3: hardly anything else; 2: telling; 1: shared by few.
_MARKS: dict[str, tuple[tuple[int, str], ...]] = {
    "python": (
        (3, r"^[ \t]*(?:async )?def \w+\(.*\)(?: ?-> ?[^:\n]+)?:[ \t]*(?:#.*|\.\.\.|pass|return\b.*)?$"
            r"|^[ \t]*(?:async )?def \w+\([^)]*$"),
        (3, r"^[ \t]*from [\w.]+ import [\w*(]|^[ \t]*except(?: [\w.()]+(?:, [\w.]+\)?)*)?(?: as \w+)?:|^[ \t]*elif\b.*:|__name__"
            r"|\bself\.\w"),
        (2, r"^[ \t]*import [\w.]+(?: as \w+)?(?:, ?[\w.]+)*[ \t]*$|^[ \t]*class \w+(?:\([\w., =\[\]]*\))?:"
            r"|^[ \t]*@\w[\w.]*(?:\(.*\))?[ \t]*$"),
        (2, r"^[ \t]*(?:for .+ in .+|if .+|while .+|with .+|else|try|finally):[ \t]*(?:#.*)?$|\blambda [\w, *]*:|\bf[\"'].*\{"
            r"|\"\"\"|\bNone\b"),
        (1, r"\bprint\(|\blen\(|\brange\(|\bint\(|\binput\(\)|\.split\(\)|\bstr\(|\blist\(|\bTrue\b|\bFalse\b|\bnot in\b|\bis not\b"
            r"|\b\w+ for \w+ in |^[ \t]*(?:raise|yield|assert"
            r"|pass|del)\b"),
    ),
    "javascript": (
        (3, r"===|!==|\bconsole\.\w+\(|\bmodule\.exports\b|\brequire\(['\"]|\bdocument\.\w|\bwindow\.\w|\bJSON\.\w+\(|\bundefined\b"
            r"|\bnew Promise\("),
        (2, r"^[ \t]*constructor\([\w, ={}]*\) *\{|^[ \t]*export (?:default|const|class|function|async|\{)"
            r""),
        (2, r"^[ \t]*(?:export (?:default )?)?(?:async )?function\b[ *]*\w*\(|\bfunction *\w*\([\w, ]*\) *\{|=> *[{(\[]|\btypeof\b"
            r"|`[^`\n]*\$\{"),
        (2, r"^[ \t]*(?:export )?(?:const|let) [\w{\[][^:\n]*?=[^=]|^[ \t]*import .* from ['\"]|\bfor \((?:const|let|var) "),
        (1, r"\b(?:const|let|var) \w+|=>|\bnull\b|\bthis\.\w|\.(?:length|push|forEach|map|filter|then)\b"
            r"|^[ \t]*(?:async )?\w+\([\w, ]*\) \{$"),
    ),
    "typescript": (
        (3, r"\w\??: *(?:string|number|boolean|any|unknown|never|void)\b(?!\()|\bPromise<|\bRecord<|\bPartial<|\bas (?:const|any"
            r"|unknown|string|number)\b"),
        (3, r"^[ \t]*(?:export )?(?:declare )?(?:interface \w+(?:<[^>]*>)? (?:extends [\w, <>]+ )?\{|type \w+(?:<[^>]*>)? ="
            r"|enum \w+ \{|namespace \w+ \{)"),
        (3, r"\): *[\w.]+(?:<[^>\n]*>)?(?:\[\])*(?: \| [\w.\[\]]+)* *(?:\{|=>)|^[ \t]*import type |\b(?:private|public|protected"
            r"|readonly) \w+\??:"),
        (2, r"\b(?:const|let) \w+: *\w|\w+: *\w+\[\]|\bkeyof\b|\bimplements \w+ \{|\w!\.|\w+<\w+>\("),
    ),
    "go": (
        (3, r"^package \w+[ \t]*$|^func (?:\(\w+ \*?\w+(?:\[\w+\])?\) )?\w+(?:\[[^\]]+\])?\(.*\{[ \t]*$|:= range\b"
            r"|\bif err != nil\b|\bfmt\.\w+\("),
        (3, r"^import \($|^import \"[\w./-]+\"$|^type \w+ (?:struct|interface|func)\b|\bmake\((?:map|chan|\[\])|\bchan \w"
            r"|\bgo func\(|\bdefer \w"),
        (2, r"\w :?= &?\[\]\w|:=|\bfunc\(|\bmap\[\w+\]|\berr\b|\b\[\]\w+\b|\bnil\b|^[ \t]*for .*; .*; .*\{$|\binterface\{\}"),
        (1, r"^[ \t]*(?:if|for|switch) [^(\n].*\{[ \t]*$|^[ \t]*\}? *else (?:if .*)?\{$|^[ \t]*var \w+ \*?[\w.\[\]]+(?: =|$)"
            r"|\bappend\("),
    ),
    "java": (
        (3, r"\bpublic static void main\b|\bSystem\.(?:out|err|in)\b|^[ \t]*import (?:static )?(?:java|javax|org|com)\.[\w.*]+;"
            r"|^[ \t]*@Override\b"),
        (3, r"\bnew (?:ArrayList|HashMap|HashSet|LinkedList|Scanner|ArrayDeque|TreeMap|PriorityQueue|StringBuilder"
            r"|BufferedReader)\b|\bthrows \w+"),
        (2, r"^[ \t]*(?:public|private|protected) (?:static |final |abstract |synchronized )*(?:<[^>]+> )?(?:class|interface|enum"
            r"|record|void|[\w.<>\[\], ]+)\b"
            r".*[{;,(][ \t]*$|\b(?:List|Map|Set|Optional|Queue)<|\bfinal \w+ \w+"),
        (2, r"^package [\w.]+;|\b(?:String|Integer|Boolean|Object|Exception|Double|Long)\b"
            r"|\b(?:String|int|long|double|float|char|byte|boolean)(?:\[\])+ \w+|\bextends \w+"
            r"|\binstanceof\b"),
        (1, r"\bnew \w+(?:<.*>)?\(|^[ \t]*(?:boolean|String)(?:\[\])* \w+ *[=;(]|\bnull\b|\.(?:length|size|charAt|equals)\("),
    ),
    "rust": (
        (3, r"\bfn \w+(?:<.*?>)?\(.*\)(?: -> .+)?|\bfn \w+(?:<.*?>)?\([ \t]*$|\blet mut\b|^[ \t]*(?:pub )?use (?:\w+::)+"
            r"|\bimpl(?:<.*>)? \w|\w+!\[|\bprintln!\("),
        (3, r"&mut \w|&'\w|\.unwrap\(\)|\bOption<|\bResult<|\bVec<|\bBox<|#\[(?:derive|cfg|test|allow)|\bSome\(|\bOk\(|\bErr\("
            r"|\bmatch \w.*\{|&str\b|\bpub (?:fn|struct|enum)\b"),
        (2, r"\blet \w+(?:: *[^=\n]+)? =|\w+::\w+|=> |\b[iu](?:8|16|32|64|128|size)\b|\b\w+!\(|\.iter\(\)|\bfor \w+ in .*\{|\|\w+\| "),
        (1, r"\bstruct \w+ \{|\benum \w+ \{|-> \w"),
    ),
    "c": (
        (3, r"^[ \t]*# *include *<(?:std(?:io|lib|int|bool|def|arg)|string|math|ctype|time|errno|assert|limits|unistd|sys/\w+|fcntl"
            r"|pthread|signal)\.h>"),
        (3, r"\bmalloc\(|\bcalloc\(|\bfree\(|\bsizeof *\(|^[ \t]*typedef (?:struct|enum|union)\b|\bstruct \w+ \*|\b(?:f|s"
            r"|sn)?printf\(|\bscanf\(|\bstrn?(?:cpy|cat|len|cmp)\("),
        (2, r"^[ \t]*# *(?:define|ifdef|ifndef|endif|include)\b|->\w|\b(?:char|int|void|float|double|long) \*+ *\w|\bNULL\b"
            r"|\bunsigned (?:int|char|long)\b"),
        (1, r"\buint\d+_t\b|\*\w+ ="),
    ),
    "cpp": (
        (3, r"\bstd::(?!(?:thread|time|fs|io|env|collections|sync|process|path|net|mem|cmp|fmt|str|rc|cell)::)"
            r"|^[ \t]*using namespace \w+;|^[ \t]*template *<|\bcout *<<|\bcin *>>|\bendl\b|\bnullptr\b|\bconstexpr\b"
            r"|\bstatic_cast<|\bdynamic_cast<"),
        (3, r"^[ \t]*# *include *<(?:vector|string|iostream|map|set|memory|algorithm|unordered_\w+|queue|stack|utility|functional"
            r"|sstream|cmath|cstdio|cstring|bits/.*)>"),
        (3, r"\b(?:vector|map|set|unordered_map|pair|shared_ptr|unique_ptr|queue|stack)<\w.*?>|^[ \t]*(?:public|private"
            r"|protected):[ \t]*$|\b\w+::~?\w+\(|\boperator *[=+<\-*\[(]"),
        (2, r"\bconst \w+ ?& ?\w|\bauto ?[&*]* ?\w+ ?[=:]|\bclass \w+(?: final)?(?: : (?:public|private) \w+)? \{|\bvirtual \w"
            r"|\bdelete\b|\bstring \w+|\bbool \w+|\b\w+ ?& ?\w+[,)]"),
    ),
    "csharp": (
        (3, r"^[ \t]*using (?:static )?[A-Z][\w.]*;|^[ \t]*namespace [A-Z][\w.]*[ \t]*[;{]?[ \t]*$|\bConsole\.\w+|\{ get; |\bget;"
            r"|\bstring\.[A-Z]\w+\(|\basync Task\b|\bTask<|\bIEnumerable<"),
        (3, r"\bforeach *\(\w+ \w+ in |\busing *\(?var \w|\bout (?:var|int|string) |\bnameof\(|\?\?=|\$\"[^\"\n]*\{|@\""
            r"|\bcatch *\([A-Z]\w*\)|\b(?:string|int|long|double|float|char|byte|bool)(?:\[\])+ [a-z]\w* *= *new\b"
            r"|\bList<\w+> \w+ = new\b|\bDictionary<|\binternal (?:class|static)\b|\boverride \w"),
        (2, r"\bstring\??(?:\[\])? \w+ *[=;,){]|\bvar \w+ = (?:new|await|\w+\.[A-Z])|\bpublic (?:static |async |virtual |override "
            r"|sealed |partial )*(?:class|void|int|string|bool|[A-Z][\w<>\[\]?]*) [A-Z]\w*|\.(?:Length|Count|Add|Select|Where"
            r"|ToList|Equals|Value)\b"),
        (1, r"\bthrow new \w*Exception\(|\breadonly\b|\bdecimal \w|\bbool \w|\bvar \w+ ="),
    ),
    "bash": (
        (3, r"^[ \t]*(?:fi|done|esac)[ \t]*(?:[;|&#<].*)?$|\bthen[ \t]*$|;[ \t]*(?:then|do)\b|^[ \t]*(?!constructor)\w+\(\) *\{|\$\(\("
            r"|\$\{[\w@#!]+[:#%/}\[]|\"\$@\"|^set -[eux]"),
        (3, r"^[ \t]*(?:if|while|until|elif) (?:\[\[? |!? *(?:grep|test|command|read)\b)|\bIFS=|^[ \t]*for \w+ in .*; *do\b"
            r"|\[\[ .* \]\]|>/dev/null|2>&1"),
        (2, r"\$\w+|\$\(|^[ \t]*(?:export(?! (?:default|const|let|var|class|function|async|type|interface|enum|\{|\*))|local"
            r"|readonly|declare|source|shift|trap|alias|sudo|apt-get|apt|cd|mkdir|rm|cp|mv|grep"
            r"|sed|awk|curl|docker|git|pip|npm|chmod|cat|find|ls) [\w\"'$./-]"),
        (1, r"^[ \t]*echo\b|^[A-Z_]{2,}=(?![\w.]*\()[\w\"'$/]|\|[ \t]*(?:grep|sed|awk|sort|wc|head|tail|xargs|tee|cut|tr)\b"
            r"|^[ \t]*\w+=[\"'$]"),
    ),
    "ruby": (
        (3, r"^[ \t]*end[ \t]*(?:[.;#].*)?$|\bdo \|[\w, *]+\||\{ \|[\w, ]+\||^[ \t]*require(?:_relative)? ['\"]|\battr_(?:accessor"
            r"|reader|writer)\b|\.each\b|\bnil\?|^[ \t]*elsif\b|\.new\b"),
        (2, r"^[ \t]*def (?:self\.)?\w+[?!=]?(?:\([^)]*\))?[ \t]*(?:#.*)?$|^[ \t]*(?:module"
            r"|class) [A-Z]\w*(?: < [A-Z][\w:]*)?[ \t]*$|\bputs\b|\bunless\b|@\w+ (?:\|\|)?=|:\w+ =>|\"[^\"\n]*#\{"),
        (1, r"\bnil\b|\.\w+[?!]|^[ \t]*(?:rescue|ensure|begin|when|case)\b|\b\w+: :\w+|\.(?:map|select|inject|reduce)\b"),
    ),
    "php": (
        (3, r"<\?php|<\?=|\$this->|\bfunction \w*\(.*\$\w+|\$_(?:GET|POST|SERVER|SESSION|REQUEST|COOKIE)\b"
            r"|^[ \t]*\$\w+(?:\[.*\])? *[.+*-]?=[^=].*;|^use [A-Z]\w*(?:\\\w+)+;"),
        (2, r"\$\w+->\w|\bforeach *\(\$|\becho [\"'$]|\barray\(|\bisset\(|\bstrpos\(|\bnew \\?\w+\(|\$\w+::"),
    ),
    "kotlin": (
        (3, r"\bfun (?:<.*> )?(?:[\w<>?.]+\.)?\w+\(|\bval \w+(?:: *[\w<>?, ]+)? *(?:=|by)|\bdata class\b|\bwhen *(?:\(.*\))? *\{"
            r"|\?\.let\b|\?:|\bcompanion object\b|\bsuspend fun\b"),
        (2, r"\bvar \w+: *[A-Z]|\bobject \w+ *\{|\blistOf\(|\bmapOf\(|\bmutable\w+Of\(|!!\.|\bprintln\(|\bit\.\w|\bfor \(\w+ in "
            r"|: (?:Int|String|Boolean|List<|Unit|Long|Double)\b"),
    ),
    "swift": (
        (3, r"\bfunc \w+(?:<.*?>)?\(.*\)(?: async)?(?: throws)?(?: -> [\w\[\]?<>.: ]+)? *\{|\bguard (?:let|var)?\b.*else\b"
            r"|\bif let \w|\bimport (?:Foundation|UIKit|SwiftUI|Combine)\b"),
        (2, r"\blet \w+(?:: *[\w\[\]?<>:]+)? = |\bfunc \w+\((?:_ )?\w+ ?\w*: |\bvar \w+: *[\w\[]+|\b(?:struct|class|extension"
            r"|protocol|enum) \w+(?:: *[\w, ]+)? \{|\\\(\w|: \[\w+\]|\bself\.\w"),
        (1, r"\bnil\b|\?\?|\.(?:count|append|isEmpty)\b|\bin$"),
    ),
    "sql": (
        (3, r"(?i:^[ \t]*(?:select\b[\s\S]{1,400}?\bfrom\b|insert into\b|update [\w.\"`]+ set\b|delete from\b"
            r"|create (?:or replace )?(?:table|view|index|function|trigger|procedure|database)\b|alter table\b|drop table\b"
            r"|with \w+ as \())"),
        (1, r"(?i:\bwhere\b.+[=<>]|\b(?:inner|left|right|outer|cross) join\b|\bgroup by\b|\border by\b|\bvalues *\(|\bvarchar\b"
            r"|\bprimary key\b|\bnot null\b)"),
    ),
}  # fmt: skip

_C_FAMILY = re.compile(
    r"(?m)^(?:static |extern |inline |const )*(?:int|void|char|float|double|long(?: long)?|unsigned(?: \w+)?|bool|string|size_t"
    r"|auto|struct \w+|"
    r"vector<[\w<>]+>)(?: [*&]*|[*&]+ ?)\w+\([^()]*\)[ \t]*\{?[ \t]*(?://.*)?$"
)
"""A function at the margin without a modifier: C or C++, and no method of a class."""
_C_FAMILY_WEIGHT = 3

_TYPED_METHOD = re.compile(
    r"(?m)^[ \t]*(?:final |abstract |public |static )*class \w+[^;{}()]*\{[\s\S]{0,2000}?"
    r"^[ \t]+(?:static |final |public |private |protected )*(?:int|double|long|float|char|void|boolean|byte|String)"
    r"(?:\[\])* \w+\([^()]*\)[^;{}()]*\{"
)
"""A method with a C-like type inside of a class."""
_CLASS_WEIGHT = 3

_SQL_START = re.compile(
    r"(?is)(?:\s|--[^\n]*\n|\\[^\n]*\n|/\*.{0,500}?\*/)*(?:select|insert|update|delete|create|alter|with|drop|merge|grant|truncate"
    r"|begin"
    r"|explain)\b"
)


@cache
def _compiled() -> dict[str, tuple[tuple[int, re.Pattern[str]], ...]]:
    """The patterns, compiled when the first text is judged: that takes as long as importing everything else here."""
    return {name: tuple((weight, re.compile(f"(?m){pattern}")) for weight, pattern in marks) for name, marks in _MARKS.items()}


def scores(text: str) -> dict[str, int]:
    """How much speaks for each language; 0 for those that nothing speaks for."""
    found = {name: sum(weight * _hits(pattern, text) for weight, pattern in marks) for name, marks in _compiled().items()}
    others = max(score for name, score in found.items() if name != "sql")
    if not _SQL_START.match(text) and found["sql"] <= 2 * others:
        found["sql"] = 0
    # A dialect uses the spellings of its base too; what is its own decides, so the base's count is added where there is some.
    for dialect, base in (("typescript", "javascript"), ("cpp", "c")):
        if found[dialect]:
            found[dialect] += found[base]
    if "};" not in text and _TYPED_METHOD.search(text):
        # A class of C++ ends with a semicolon.
        found["java"] += _CLASS_WEIGHT
        found["csharp"] += _CLASS_WEIGHT if found["csharp"] else 0
    shared = _C_FAMILY_WEIGHT * _hits(_C_FAMILY, text)
    if shared:
        # Nothing of its own in it: C++ reads C as well, and the other way round it would not.
        found["cpp"] += shared + (not found["c"])
        found["c"] += shared
    return found


def _hits(pattern: re.Pattern[str], text: str) -> int:
    count = 0
    for _ in pattern.finditer(text):
        count += 1
        if count == _MOST:
            break
    return count
