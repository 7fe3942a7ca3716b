"""A paste taken apart: what is code, which language, and where each line stood."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.utils.traces import GO_TRACE, JAVA_TRACE, NODE_TRACE, RUST_TRACE, TRACEBACK
from utils.newlines import to_lf
from utils.paste import PreparedPaste, prepare
from utils.redact import restore

ADD_TAG = "def add_tag(tag, tags=[]):\n    tags.append(tag)\n    return tags\n"
SESSION = ">>> def add_tag(tag, tags=[]):\n...     tags.append(tag)\n...     return tags\n...\n>>> add_tag(\"a\")\n['a']\n"
ORDER_ID = 'import re\n\ndef order_id(text):\n    match = re.search(r"#(\\d+)", text)\n    return match.group(1)\n'


def mapped(raw: str, prepared: PreparedPaste) -> list[str]:
    """The pasted lines that the code came from, with the shift cut off."""
    pasted = to_lf(raw.removeprefix("\ufeff")).split("\n")
    lines = prepared.code.removesuffix("\n").split("\n")
    places = prepared.line_map or [(number, 0) for number in range(1, len(lines) + 1)]
    assert len(places) == len(lines)
    return [pasted[number - 1][shift:] for number, shift in places]


def test_plain_code_is_left_as_it_is() -> None:
    """No map, no note, the text itself, also without a newline at its end."""
    for text in (ADD_TAG, ADD_TAG.rstrip("\n"), "\n\n" + ADD_TAG):
        prepared = prepare(text)
        assert (prepared.code, prepared.line_map, prepared.notes, prepared.language) == (text, (), (), "python")


def test_mark_and_line_ends_are_taken_off_and_named() -> None:
    """Inside there is LF and no mark; the edge can put both back."""
    prepared = prepare("\ufeff" + ADD_TAG.replace("\n", "\r\n"))

    assert (prepared.code, prepared.bom, prepared.newline, prepared.line_map) == (ADD_TAG, True, "\r\n", ())
    assert prepare("a = 1\r\nb = 2\n").newline == "mixed"


def test_a_question_with_a_fenced_block_gives_the_block() -> None:
    """Prose is context; the lines keep their pasted numbers."""
    raw = f"My script is wrong, why?\n\n```python\n{ADD_TAG}```\n\nIt should give ['b'] the second time.\n"
    prepared = prepare(raw)

    assert (prepared.code, prepared.language, prepared.language_reason) == (ADD_TAG, "python", "fence")
    assert prepared.line_map == ((4, 0), (5, 0), (6, 0))
    assert "My script" in prepared.context_text
    assert "second time" in prepared.context_text


def test_several_blocks_of_one_language_are_joined() -> None:
    """Other languages are left out and said so; an indented fence takes its indentation off."""
    raw = (
        "First this:\n```py\nimport os\n```\n\nthen run this one:\n"
        "```bash\npip install x\n```\nand then:\n  ~~~ python\n"
        "  def f():\n      return os\n  ~~~\n"
    )
    prepared = prepare(raw)

    assert prepared.code == "import os\ndef f():\n    return os\n"
    assert prepared.line_map == ((3, 0), (12, 2), (13, 2))
    assert "1 fenced block in other languages" in prepared.notes[0]


def test_a_fence_without_a_tag_or_an_end_is_understood() -> None:
    """The language is then told by the code."""
    prepared = prepare("Why is this wrong?\n\n```\nfunc add(a, b int) int {\n\treturn a + b\n}\n")

    assert (prepared.language, prepared.code) == ("go", "func add(a, b int) int {\n\treturn a + b\n}\n")


@pytest.mark.parametrize(
    "text",
    [
        'def render(title, parts=[]):\n    """Return a page.\n'
        '\n    ```python\n    render("x")\n    ```\n'
        '    """\n    parts.append(title)\n    return parts\n',
        '"""Usage:\n\n```python\nrender("x")\n```\n"""\n\nimport os\n\ndef render(title):\n    return os.fspath(title)\n',
        "/*\n```js\nrender('x')\n```\n*/\nfunction render(title) {\n  return title.trim() === '';\n}\n",
        "/// Say it.\n///\n/// ```\n/// f();\n/// ```\nfn f() -> i32 {\n    let mut x = 1;\n    x\n}\n",
        'def render(title, parts=[])\n    """Return.\n'
        '\n   ```python\n   render("x")\n   ```\n    """\n'
        "    for part in parts:\n        print(part)\n"
        "    return None\n",
    ],
    ids=["docstring", "module docstring", "block comment", "doc comment", "docstring of broken code"],
)
def test_a_fence_inside_the_code_is_code(text: str) -> None:
    """A docstring or comment that holds a fence stays whole, also when the code around it does not parse."""
    assert prepare(text).code == text


def test_a_session_gives_the_bare_definition() -> None:
    """Prompts, output and the calls that only show something are left out; columns are shifted by the prompt."""
    prepared = prepare(SESSION)

    assert (prepared.code, prepared.language, prepared.line_map) == (ADD_TAG, "python", ((1, 4), (2, 4), (3, 4)))
    assert "['a']" in prepared.context_text


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ("In [1]: def f(x):\n   ...:     return x\n   ...: \n\nIn [2]: f(1)\nOut[2]: 1\n", "def f(x):\n    return x\n"),
        (">>> x = 1\n>>> x + 1\n2\n", "x = 1\nx + 1\n"),
        (
            ">>> import os\n>>> @cache\n... def f():\n...     return os\n>>> y = f()\n>>> f()\n",
            "import os\n@cache\ndef f():\n    return os\ny = f()\n",
        ),
        ('Python 3.11.7 (main) on linux\nType "help" for more.\n>>> def f():\n...   pass\n', "def f():\n  pass\n"),
        ("    >>> def f():\n    ...     return 1\n    >>> f()\n    1\n", "def f():\n    return 1\n"),
        ("```pycon\n" + SESSION + "```\n", ADD_TAG),
        ("Why does it keep the old ones?\n\n" + SESSION, ADD_TAG),
    ],
)
def test_sessions_come_in_many_forms(raw: str, code: str) -> None:
    """IPython, no definition, decorators, a banner, indented, fenced, after a question."""
    prepared = prepare(raw)

    assert prepared.code == code
    assert mapped(raw, prepared) == code.removesuffix("\n").split("\n")


def test_examples_in_a_docstring_are_no_session() -> None:
    """Prompts inside a function belong to it."""
    text = 'def f(x):\n    """Twice.\n\n    >>> f(2)\n    4\n    """\n    return 2 * x\n'

    assert prepare(text).code == text


@pytest.mark.parametrize("blank", ["", "\n", "\n\n"])
def test_a_traceback_before_or_after_the_code_is_context(blank: str) -> None:
    """It is no part of what is stored, and the lines keep their numbers."""
    before = prepare(TRACEBACK + blank + ORDER_ID)
    after = prepare(ORDER_ID + blank + TRACEBACK)

    assert before.code == after.code == ORDER_ID
    assert before.line_map[0] == (8 + len(blank), 0)
    assert after.line_map == ()
    assert "NoneType" in before.context_text
    assert "NoneType" in after.context_text


@pytest.mark.parametrize(
    ("trace", "code", "language"),
    [
        (NODE_TRACE, "function show(user) {\n  return user.name;\n}\nshow(undefined);\n", "javascript"),
        (JAVA_TRACE, "public class Main {\n    static int show(String name) {\n        return name.length();\n    }\n}\n", "java"),
        (GO_TRACE, "package main\n\nfunc main() {\n\txs := []int{1, 2, 3}\n\t_ = xs[len(xs)]\n}\n", "go"),
        (RUST_TRACE, 'fn main() {\n    let v = vec![1, 2, 3];\n    println!("{}", v[3]);\n}\n', "rust"),
        (TRACEBACK + "\nDuring handling of the above exception, another exception occurred:\n\n" + TRACEBACK, ORDER_ID, "python"),
        ("I get this error:\n\n" + TRACEBACK + "\nHere is the code:\n\n", ORDER_ID, "python"),
    ],
    ids=["node", "java", "go", "rust", "chained", "with words"],
)
def test_error_reports_of_other_runtimes_are_cut_off(trace: str, code: str, language: str) -> None:
    """In front of the code, with chained errors and a few words too."""
    prepared = prepare(trace + "\n" + code)

    assert (prepared.code, prepared.language) == (code, language)
    assert mapped(trace + "\n" + code, prepared) == code.removesuffix("\n").split("\n")


def test_a_traceback_in_a_string_is_code() -> None:
    """A test that expects one keeps it."""
    text = f'EXPECTED = """\n{TRACEBACK}"""\n'

    assert prepare(text).code == text


def test_only_a_traceback_is_no_code() -> None:
    """Nothing is left to review, and that is said."""
    prepared = prepare(TRACEBACK)

    assert prepared.language == "text"
    assert "paste the code" in prepared.notes[0]


def test_words_around_unfenced_code_are_left_out() -> None:
    """A question above and below code that parses only without it."""
    raw = f"Why does this function remember old tags?\n\n{ADD_TAG}\nI would expect a new list every time.\n"
    prepared = prepare(raw)

    assert prepared.code == ADD_TAG
    assert prepared.line_map == ((3, 0), (4, 0), (5, 0))


def test_a_patch_is_not_code() -> None:
    """It is named, and not taken for a program."""
    prepared = prepare("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n-a = 1\n+a = 2\n b = 3\n")

    assert prepared.language == "diff"
    assert "patch" in prepared.notes[0]


def test_json_is_json_and_a_notebook_is_refused() -> None:
    """A configuration is recognised; a notebook gets one sentence, whatever the hint."""
    notebook = '{"cells": [{"cell_type": "code", "source": ["x = 1"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'

    assert (prepare('{"a": [1, null]}\n').language, prepare('{"a": 1}\n').refused) == ("json", "")
    assert "nbconvert" in prepare(notebook).refused
    assert "nbconvert" in prepare(notebook, "python", "a.ipynb").refused


def test_a_file_is_taken_as_it_is() -> None:
    """Its name tells what it is: nothing is cut out of it."""
    text = "# Notes\n\nThis is how it is used here.\n\n```python\nx = 1\n```\n"

    assert prepare(text, filename="README.md").code == text
    assert prepare(SESSION, filename="a.py").code == SESSION


def test_secrets_are_replaced_in_code_and_context() -> None:
    """Neither holds the value, numbers don't repeat, and the code's come back."""
    password = "hunter" + "22222"
    raw = f'The password = "{password}" does not work, why is that so?\n\n```python\npassword = "{password}"\n```\n'
    prepared = prepare(raw)

    assert password not in prepared.code + prepared.context_text + repr(prepared)
    assert prepared.secrets[0].placeholder not in prepared.context_text
    assert "2 secrets" in prepared.notes[-1]
    assert restore(prepared.code, prepared.secrets, prepared.code) == (f'password = "{password}"\n', 0)


PIECES = st.sampled_from(
    [
        ADD_TAG,
        SESSION,
        TRACEBACK,
        ORDER_ID,
        f"```python\n{ADD_TAG}```\n",
        f"   ~~~\n   {ADD_TAG}   ~~~\n",
        "Why is this so wrong, please?\n",
        "\n",
        "x = 1\n",
        "In [3]: f(2)\nOut[3]: 4\n",
        NODE_TRACE,
        "- one\n- two\n",
        "```\n",
        ">>> \n",
        "{\n",
        "\t\n",
        "def f(:\n",
        "é 平 🙂\n",
    ]
)


@given(st.lists(PIECES, max_size=7), st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from([None, "python", "go"]))
def test_every_code_line_knows_where_it_was_pasted(pieces: list[str], end: str, language: str | None) -> None:
    """For any mixture: the pasted line, its shift cut off, is the code line."""
    raw = "".join(pieces).replace("\n", end)
    prepared = prepare(raw, language)

    assert mapped(raw, prepared) == prepared.code.removesuffix("\n").split("\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "\ufeff",
        "x" * 300_000,
        "(" * 3000 + ")" * 3000,
        "```\n" * 20_000,
        ">>> x\n" * 20_000,
        "Traceback (most recent call last):\n" * 3000,
        "\ud800",
        "a\r\nb\rc\n" * 1000,
        "panic: x\n" * 5000,
        "Error: x\n    at f\n" * 5000,
        "In [1]: \n" * 10_000,
        "word " * 60_000,
        "a b c d e f.\n\n" * 9000,
    ],
    ids=lambda text: repr(text[:12]),
)
def test_no_paste_is_too_odd(text: str) -> None:
    """Empty, huge, nested, broken: an answer in the end."""
    assert isinstance(prepare(text).code, str)


@pytest.mark.parametrize(
    "report",
    [
        "  File \"a.py\", line 1\n    def keep(x, seen=[])\n                        ^\nSyntaxError: expected ':'\n",
        "===== test session starts =====\ncollected 1 item\n\n===== FAILURES =====\nE   assert 1\n\n===== 1 failed in 0.03s =====\n",
        "a.py:1: error: Missing return statement  [return]\n",
        "a.py:1:16: B006 Do not use mutable defaults\n  |\n1 | def keep(x, seen=[]):\n  |                  ^^ B006\n  |\n",
        "-" * 75 + "\nTypeError          Traceback (most recent call last)\nCell In[3], line 4\n----> 3     return 1\n\nTypeError: bad\n",
    ],
)
def test_reports_of_tools_before_the_code_are_no_code(report: str) -> None:
    """What a compiler, a linter or a test run says is context."""
    code = "def keep(x, seen=[]):\n    return seen\n"

    prepared = prepare(report + "\n" + code)

    assert (prepared.language, prepared.code) == ("python", code)
    assert prepared.line_map[0] == (report.count("\n") + 2, 0)


def test_a_key_named_error_is_no_report() -> None:
    """`error: ...` alone may be a line of a configuration."""
    assert prepare("error: disk full\nlevel: 3\n").code == "error: disk full\nlevel: 3\n"


def test_commands_of_ipython_are_no_code() -> None:
    """Magics and shell commands are left out, and lines keep their places."""
    prepared = prepare("%load_ext autoreload\n!pip install x\ndef keep(x):\n    return x\n")

    assert (prepared.code, prepared.line_map) == ("def keep(x):\n    return x\n", ((3, 0), (4, 0)))


@pytest.mark.parametrize(
    ("raw", "first"),
    [
        ("```def f(x):\n    return x```\n", (1, 3)),
        ("def f(x):\n    return x\n```\n", (1, 0)),
        ("Please look at this function:\ndef f(x):\n    return x\n", (2, 0)),
        ("def f(x):\n    return x\nWhy does it give me the old value?\n", (1, 0)),
        ("Look:\n```python\ndef f(x):\n    return x\n\nCan you help me with it?\n", (3, 0)),
        ("❯ python\n>>> def f(x):\n...     return x\n", (2, 4)),
        ("In [3]:\ndef f(x):\n    return x\n\nOut[3]:\n[1]\n", (2, 0)),
    ],
)
def test_code_comes_out_of_careless_copies(raw: str, first: tuple[int, int]) -> None:
    """Fences on the lines of the code, a stray fence, words without a blank line, a cell with its number."""
    prepared = prepare(raw)

    assert (prepared.language, prepared.code) == ("python", "def f(x):\n    return x\n")
    assert first == (prepared.line_map[0] if prepared.line_map else (1, 0))


def test_fenced_blocks_between_single_words_are_the_code() -> None:
    """Words such as "First" around two blocks are no program."""
    prepared = prepare("First\n```python\nx = 1\n```\nthen\n```python\ny = 2\n```\n")

    assert (prepared.language, prepared.code) == ("python", "x = 1\ny = 2\n")
