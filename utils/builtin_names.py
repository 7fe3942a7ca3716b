"""Names that a language gives every program. Written out, so that keys depend on nothing but this file."""

from __future__ import annotations

from utils.keywords import words
from utils.python_names import BUILTINS as PYTHON

_JAVASCRIPT = words(
    """
    console window document process module exports require global globalThis self parseInt parseFloat isNaN isFinite
    encodeURIComponent decodeURIComponent setTimeout setInterval clearTimeout clearInterval fetch alert eval escape unescape
    prototype constructor jest describe it expect
    """
)
_C = words(
    """
    printf scanf fprintf sprintf snprintf malloc calloc realloc free memcpy memset memmove strlen strcpy strncpy strcmp strncmp
    strcat strchr strstr puts gets getchar putchar fopen fclose fread fwrite fgets stdin stdout stderr exit abort atoi atof abs
    qsort size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t errno
    assert main argc argv
    """
) - {"argc", "argv"}
_CPP = _C | words(
    """
    std vector string map set pair queue stack deque list array tuple unordered_map unordered_set multimap multiset
    priority_queue bitset optional variant function shared_ptr unique_ptr weak_ptr make_shared make_unique make_pair make_tuple
    cout cin cerr endl begin end sort reverse min max swap move forward get to_string stoi stol stod accumulate find count npos
    ios boost numeric_limits exception runtime_error
    """
) - {"count", "list", "end", "begin", "get"}
_GO = words(
    """
    append cap clear close complex copy delete imag len make max min new panic print println real recover bool byte comparable
    complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr
    any main init
    """
)
_RUST = words(
    """
    i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64 bool char str std core alloc drop vec println print eprintln
    format panic assert assert_eq write writeln todo unreachable main
    """
)

BUILTINS: dict[str, frozenset[str]] = {
    "python": PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "java": frozenset({"java", "javax", "org", "com", "main", "length"}),
    "go": _GO,
    "c": _C,
    "cpp": _CPP,
    "rust": _RUST,
    "csharp": frozenset({"value", "get", "set", "nint", "nuint"}),
}
