"""Which names are a text's own."""

from __future__ import annotations

import pytest

from utils.names import declared_in, renamed_stream, roles
from utils.tokens import tokenize


def named(text: str, language: str, role: str) -> set[str]:
    """The names with this role."""
    return {token.text for token, found in zip(tokenize(text, language), roles(text, language), strict=True) if found == role}


@pytest.mark.parametrize(
    ("language", "text", "own"),
    [
        ("python", "def f(a, *b, c=1, **d):\n    with open(a) as e:\n        return [g for g in e if (h := g)]\n", set("fabcdegh")),
        ("python", "try:\n    x = 1\nexcept OSError as y:\n    raise\n", {"x", "y"}),
        ("python", "match a:\n    case [b, *c]:\n        pass\n    case {'k': d, **e}:\n        pass\n", set("abcde")),
        ("python", "import json as j\nx = j.loads(y)\n", {"x", "y"}),
        ("python", "class A:\n    size = 1\n    def grow(self, size):\n        self.size = size\n", {"A", "self"}),
        ("python", "def f(end):\n    print(f'{end}', end=end)\nf(end=1)\n", {"f", "end"}),
        ("javascript", "const f = (a, {b: c}) => { for (const d of a) { let [e, g] = d; log(e.x); } };", set("facdeg")),
        ("javascript", "const fs = require('fs'); function f(a) { return {key: a, m() {}}; }", {"f", "a"}),
        ("javascript", "function f(a) { return {a}; }", {"f"}),
        ("typescript", "function f<T>(a?: number, b: string[] = []): void { const c = b as any; }", set("fabc")),
        ("java", "int f(List<Integer> a, int... b) { for (int c : a) { d(c); } return b.length; }", set("fabc")),
        (
            "go",
            "func f(a, b int, g func(int) bool) (err error) { for i, v := range a { x := g(v); fmt.Println(x) } return }",
            {*"fabgivx", "err"},
        ),
        ("rust", 'fn f(a: &str, mut b: u8) { let (c, d) = (a, b); xs.iter().map(|e| e.len()); println!("{}", c); }', {*"fabcde", "xs"}),
        ("c", "static int f(const char *a, int b[]) { size_t n = strlen(a); return b[n]; }", {"f", "a", "b", "n"}),
        ("cpp", "int f(vector<int> a) { auto b = a.size(); std::sort(a.begin(), a.end()); return b; }", {"f", "a", "b"}),
        ("csharp", "int F(List<int> a) { foreach (var b in a) { G(name: b); } return a.Count; }", {"F", "a", "b"}),
        (
            "csharp",
            "using System.IO;\nusing X = A.B;\nvoid F() { using var a = G(); using Stream b = H(); await using var c = X(); }",
            set("Fabc"),
        ),
        ("go", "var a map[string][]int\nvar b, c float64 = 1, 2\nfunc f(d []int, e func(int) string) {}\n", set("abcdef")),
        ("go", "var (\n\ta int = 1\n\tb []string\n)\nfunc f() { a = len(b) }\n", set("abf")),
        ("java", "void f(List<Booking> a) { for (Booking b : a) { g(b); } for (int c = 0; c < 3; c++) { } }", set("fabc")),
        ("python", "from a.b import c\nimport d.e as f\nb = c.g(f)\nd = b\n", {"b", "d"}),
        ("python", "from a.b import c\nb = c(\n", {"b"}),
        ("python", "def f(a):\n    try:\n        yield from a\n    except E as b:\n        raise X() from b\n", set("fab")),
        (
            "php",
            "function f(array $a, &$b = null) { foreach ($a as $c => $d) { $this->e[$c] = G::h($d, $_GET); } return fn($i) => $i; }",
            {"f", "$a", "$b", "$c", "$d", "$i"},
        ),
        (
            "php",
            "class A { private $b; function __construct(private int $c) { $this->b = $c; } function d($e) { return $e; } }",
            {"A", "$e"},
        ),
        ("php", "use B\\C; $a = \"hi $d and {$e['x']}\"; C::f($a);", {"$a", "$d", "$e"}),
        (
            "ruby",
            "def f(a, b = [], *c, key: 1, &d)\n  @e = a.map { |x, (y, z)| x }\n  h, i = g(key), 2\nrescue E::F => j\n  raise j\nend\n",
            set("fabcdxyzhij"),
        ),
        ("ruby", "class A\n  def b(c)\n    d = ->(e) { e + c }\n    self.b(d)\n  end\nend\n", set("Acde")),
        ("ruby", 'puts "#{a} and #{b.c}" unless d[1]\n', set("abd")),
        (
            "bash",
            'f() { local a="$1" b; for c in *.txt; do echo "c ${a%.txt} $((d+1))"; done; read -r e; export G=1; IFS= h; }\nf "$e"\n',
            set("fabcde"),
        ),
        ("bash", "a=1\ncat <<EOF\nb $a \\$c ${d}\nEOF\ncat <<'EOF'\n$e\nEOF\n", {"a", "d"}),
        ("bash", "count=0\necho count $count\nLC_ALL=C sort\n", {"count"}),
        (
            "kotlin",
            "fun <T> f(a: List<T>, b: Int = 2): Int { val (c, d) = a; for ((e, g) in a.h()) { i(name = e) }; a.map { k, l -> k } }",
            {"T", *"fabcdegkl"},
        ),
        ("kotlin", "class A(val b: Int, c: Int) { val d = 1\n fun e(g: Int) = when (g) { h -> c\n else -> b } }", set("Acg")),
        ("kotlin", 'import a.b.c\nimport d.*\nfun String.e(f: Int) { try { c(f) } catch (g: E) { print("$f ${g.h}") } }', set("fg")),
        (
            "swift",
            "func f(_ a: [Int], with b: Int) -> Int { guard let c = a.first, let d = b as? Int else { return 0 }\n"
            "for (e, g) in a.h() { i(label: e) }\n return a.map { k in k + g }.reduce(0) { (l: Int, m: Int) -> Int in l } }",
            set("fabcdegklm"),
        ),
        (
            "swift",
            "class A { let b: Int\n enum C { case d, e }\n func g(h: Int) { var i = h, j = 2\n switch h { case .d(let k): l(k) } } }",
            {"A", "C", *"hijk"},
        ),
        (
            "sql",
            "CREATE FUNCTION f(a INT) RETURNS INT AS $$ DECLARE b INT; BEGIN SELECT c.d AS e INTO b FROM t c JOIN u AS g ON c.h = g.i "
            "WHERE c.j = :k AND CAST(c.l AS TEXT) = @m; RETURN b; END $$;",
            set("fabcegkm"),
        ),
        ("sql", "WITH a AS (SELECT 1) SELECT count(*) FROM a, (SELECT 2) b WHERE x IN (a.y, 3)", {"a", "b"}),
    ],
)
def test_locals_are_found(language: str, text: str, own: set[str]) -> None:
    """Parameters, assigned and declared names, own functions; no members, keys, imports, callees or keywords."""
    assert named(text, language, "local") == own


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        ("python", "x = json.loads(y)\n", "x = yaml.loads(y)\n"),
        ("python", "sorted(x, reverse=y)\n", "sorted(x, key=y)\n"),
        ("python", "x.total = 1\n", "x.sum = 1\n"),
        ("python", "x = max(y)\n", "x = min(y)\n"),
        ("javascript", "x = {total: y}", "x = {sum: y}"),
        ("javascript", "a.b(c)", "a.d(c)"),
        ("rust", "vec![x]", "set![x]"),
        ("go", "os.Remove(x)", "io.Remove(x)"),
        ("java", "Math.max(x, y)", "Math.min(x, y)"),
        ("java", "try { f(); } catch (IOException e) { }", "try { f(); } catch (SQLException e) { }"),
        ("csharp", "try { F(); } catch (IOException e) { }", "try { F(); } catch (SqlException e) { }"),
        ("cpp", "try { f(); } catch (Timeout e) { }", "try { f(); } catch (Refused e) { }"),
        ("python", "@cache\ndef f(a):\n    return a\n", "@lru\ndef f(a):\n    return a\n"),
    ],
)
def test_names_of_elsewhere_tell_programs_apart(language: str, one: str, two: str) -> None:
    """Another module, member, key, keyword or callee is another program."""
    assert renamed_stream(one, language) != renamed_stream(two, language)


def test_a_swap_of_two_names_is_a_renaming_but_a_merge_is_not() -> None:
    """Names are numbered one for one."""
    text = "def f(a, b):\n    return a - b\n"
    assert renamed_stream(text, "python") == renamed_stream("def f(b, a):\n    return b - a\n", "python")
    assert renamed_stream(text, "python") != renamed_stream("def f(b, a):\n    return a - b\n", "python")
    assert renamed_stream(text, "python") != renamed_stream("def f(a, a):\n    return a - a\n", "python")


def test_names_in_interpolations_are_names() -> None:
    """An f-string and a template are renamed with their variables."""
    assert renamed_stream("def f(a):\n    return f'{a} {{a}}'\n", "python") == renamed_stream(
        "def f(b):\n    return f'{b} {{a}}'\n", "python"
    )
    assert renamed_stream("let a = 1; x(`${a} a`)", "javascript") == renamed_stream("let b = 1; x(`${b} a`)", "javascript")


def test_code_too_deep_for_the_parser_is_read_by_its_tokens() -> None:
    """Python's parser gives up; names are found all the same."""
    deep = "(" * 3_000 + ")" * 3_000
    assert "total" in named(f"total = {deep}\n", "python", "local")


def test_declared_names_leave_out_those_of_the_surroundings() -> None:
    """`limit` is nobody's here."""
    assert declared_in("def f(a):\n    b = a + limit\n", "python") == {"f", "a", "b"}
