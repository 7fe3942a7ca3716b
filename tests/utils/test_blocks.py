"""Blocks of piped and typed input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.blocks import BlockSplitter, PasteError, RawBlock, check_text, decode_block, split_blocks, typed_block


def blocks_of(text: bytes, limit: int = 1000) -> list[bytes]:
    """The contents of all blocks."""
    return [block.content for block in split_blocks(text.splitlines(keepends=True), limit)]


@pytest.mark.parametrize("mark", [b"EOF", b"  EOF", b"EOF \t", b"EOF\r", b"\tEOF  \r"])
def test_a_line_eof_ends_a_block(mark: bytes) -> None:
    """Blanks and CR around the mark don't count."""
    assert blocks_of(b"a\n" + mark + b"\nb\n" + mark + b"\n") == [b"a\n", b"b\n"]


def test_eof_within_a_line_is_code() -> None:
    """Only a line of its own ends the block."""
    assert blocks_of(b"cat <<EOF2\nEOF2\nxEOF\nEOF x\n") == [b"cat <<EOF2\nEOF2\nxEOF\nEOF x\n"]


def test_the_end_of_the_input_ends_the_last_block_too() -> None:
    """With or without a newline at its end."""
    assert blocks_of(b"a\nEOF\nb") == [b"a\n", b"b"]
    assert blocks_of(b"a\nEOF") == [b"a\n"]


def test_a_tag_of_its_own_lets_eof_be_code() -> None:
    """After `<<TAG` the block ends at TAG; the tag line is no part of it, so line 1 is the first line of code."""
    assert blocks_of(b"<<END_1\r\nx = '''\nEOF\n'''\n  END_1\nEND_1\ny\nEOF\n") == [b"x = '''\nEOF\n'''\n  END_1\n", b"y\n"]


@pytest.mark.parametrize("line", [b"<< TAG", b"<<TAG x", b"cat <<TAG", b"<<1", b"<<'TAG'"])
def test_only_the_bare_tag_opens_such_a_block(line: bytes) -> None:
    """Anything else in the first line is code."""
    assert blocks_of(line + b"\nTAG\nEOF\n") == [line + b"\nTAG\n"]


@pytest.mark.parametrize("text", [b"", b"\n\n", b"EOF\nEOF\n", b" \t\r\nEOF\n\xef\xbb\xbf\nEOF\n\xc2\xa0\nEOF\n", b"<<T\n\nT\n"])
def test_blank_blocks_are_no_task(text: bytes) -> None:
    """Nothing comes out of nothing."""
    assert blocks_of(text) == []


def test_old_mac_line_ends_are_understood_at_the_end() -> None:
    """A text with lone CRs comes as one line; its last line may be the mark."""
    assert blocks_of(b"a\rb\rEOF\r") == [b"a\rb\r"]
    assert blocks_of(b"a\rb") == [b"a\rb"]
    assert blocks_of(b"a\rEOF\rb\rEOF\r<<T\rEOF\rT\r") == [b"a\r", b"b\r", b"EOF\r"]


def test_a_block_above_the_limit_is_dropped_while_it_is_read() -> None:
    """Its size is known, its content is not kept, and the next block is whole."""
    splitter = BlockSplitter(limit=100)
    found: list[RawBlock] = []
    kept = 0
    for line in [*[b"x" * 63 + b"\n"] * 1000, b"EOF\n", b"y\n", b"EOF\n"]:
        block = splitter.feed(line)
        kept = max(kept, sum(map(len, splitter._parts)))
        if block is not None:
            found.append(block)

    assert [(block.content, block.size) for block in found] == [(b"", 64_000), (b"y\n", 2)]
    assert kept <= 400
    with pytest.raises(PasteError, match=r"63 kB and the limit is 1 kB: .* MAX_PASTE_KB"):
        decode_block(found[0], 1024)


def test_a_long_line_may_come_in_pieces() -> None:
    """Pieces make one line: a mark cut in two ends the block, a mark inside a line does not."""
    assert [block.content for block in split_blocks([b"ab", b"c\n", b"E", b"OF\n", b"x ", b"EOF\n"])] == [b"abc\n", b"x EOF\n"]


@given(
    st.lists(st.lists(st.sampled_from(["x = 1", "  y", "", "E", "# EOF", "<<A b"]), min_size=1, max_size=6), max_size=4), st.integers(1, 7)
)
def test_pieces_of_any_length_give_the_same_blocks(texts: list[list[str]], size: int) -> None:
    """How the input is cut up does not matter."""
    whole = "".join("\n".join(lines) + "\nEOF\n" for lines in texts).encode()
    pieces = [piece for line in whole.splitlines(keepends=True) for piece in (line[at : at + size] for at in range(0, len(line), size))]

    assert [block.content for block in split_blocks(pieces)] == blocks_of(whole)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# caf\xe9\nx\n", "line 1, byte 6: 0xe9.*Latin-1.*iconv -f LATIN1"),
        ("x = 1\nEOF\n".encode("utf-16"), "UTF-16.*iconv"),
        ("x = 1\n".encode("utf-16-le"), "UTF-16"),
        ("x = 1\n".encode("utf-32"), "UTF-32"),
        ("# 计算平均值\n".encode("gb18030"), "GB18030"),
        (b'x = "\xed\xba\xad"\n', "lone surrogate"),
        (b"x = 1\ny\x00\n", "line 2, byte 8: 0x00 is NUL"),
        (b"\x7fELF\x02\x01\x01\x00\x03\xff", "binary"),
        (b"\x89PNG\r\n\x1a\n\x01\x02\x03\x04\x05\x06", "binary"),
    ],
)
def test_bytes_that_are_no_utf_8_text_say_what_they_look_like(content: bytes, message: str) -> None:
    """One line: where, what, and how to mend it."""
    with pytest.raises(PasteError, match=message) as caught:
        decode_block(content)

    assert "\n" not in str(caught.value)


def test_utf_16_without_an_end_mark_is_one_block() -> None:
    """Its bytes hold no line EOF, so all of it is one block, which is then refused."""
    assert len(blocks_of("a = 1\nEOF\nb = 2\nEOF\n".encode("utf-16"))) == 1


def test_a_byte_order_mark_stays_for_the_caller() -> None:
    """It comes back as U+FEFF, so that a file can be written with it again."""
    assert decode_block(b"\xef\xbb\xbfx = 1\n") == "\ufeffx = 1\n"


@pytest.mark.parametrize("text", ["x\x00", "x\ud800"])
def test_typed_text_is_checked_like_bytes(text: str) -> None:
    """NUL and lone surrogates can't be a task, whichever way they come."""
    with pytest.raises(PasteError):
        check_text(text)


def test_the_limit_counts_bytes_of_typed_text() -> None:
    """Three bytes for a Chinese character."""
    assert check_text("平" * 100, 300) == "平" * 100
    with pytest.raises(PasteError, match="MAX_PASTE_KB"):
        check_text("平" * 100, 299)


@pytest.mark.parametrize(
    ("text", "block"),
    [
        ("a\nEOF", "a\n"),
        ("a\n EOF \n\n", "a\n"),
        ("EOF", ""),
        ("a", None),
        ("EOF\na", None),
        ("a\nEOF\nb\nEOF", "a\nEOF\nb\n"),
        ("<<T\na\nEOF", None),
        ("<<T\na\nEOF\nT", "a\nEOF\n"),
    ],
)
def test_a_typed_text_is_done_when_its_last_line_is_the_mark(text: str, block: str | None) -> None:
    """EOF inside a paste is code; as the last line it ends it."""
    assert typed_block(text) == block
