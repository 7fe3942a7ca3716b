"""The reserved words of the languages whose rules for names we know."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of a text, for tables that are read like prose."""
    return frozenset(text.split())


_C_LIKE = words(
    """
    break case continue default do else for goto if return switch while sizeof struct union enum typedef static const volatile extern
    register inline auto char double float int long short signed unsigned void bool NULL true false
    """
)
KEYWORDS: dict[str, frozenset[str]] = {
    "python": words(
        """
        False None True and as assert async await break class continue def del elif else except finally for from global if
        import in is lambda nonlocal not or pass raise return try while with yield
        """
    ),
    "javascript": words(
        """
        async await break case catch class const continue debugger default delete do else export extends finally for function if
        import in instanceof let new of return static super switch this throw try typeof var void while with yield null
        undefined true false NaN Infinity arguments
        """
    ),
    "java": words(
        """
        abstract assert boolean break byte case catch char class const continue default do double else enum extends final
        finally float for goto if implements import instanceof int interface long native new package private protected public
        return short static strictfp super switch synchronized this throw throws transient try void volatile while true false
        null var
        """
    ),
    "go": words(
        """
        break case chan const continue default defer else fallthrough for func go goto if import interface map package range
        return select struct switch type var nil true false iota
        """
    ),
    "c": _C_LIKE | words("restrict _Bool"),
    "cpp": _C_LIKE
    | words(
        """
        class public private protected virtual override final template typename namespace using new delete this throw try catch
        operator friend explicit mutable constexpr consteval noexcept static_cast dynamic_cast const_cast reinterpret_cast
        decltype nullptr co_await co_return co_yield static_assert and or not wchar_t char16_t char32_t
        """
    ),
    "rust": words(
        """
        as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub
        ref return self Self static struct super trait true type unsafe use where while
        """
    ),
    "csharp": words(
        """
        abstract as base bool break byte case catch char checked class const continue decimal default delegate do double else
        enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal is lock long
        namespace new null object operator out override params private protected public readonly ref return sbyte sealed short
        sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked unsafe ushort using
        virtual void volatile while var async await yield nameof when dynamic
        """
    ),
}
KEYWORDS["typescript"] = KEYWORDS["javascript"] | words(
    """
    any as abstract boolean declare enum implements interface is keyof namespace never number private protected public readonly
    string symbol type unknown
    """
)
KEYWORDS["php"] = words(
    """
    abstract and array as break callable case catch class clone const continue declare default do else elseif enddeclare endfor
    endforeach endif endswitch endwhile enum extends final finally fn for foreach function global goto if implements include
    include_once instanceof insteadof interface match namespace new or print private protected public readonly require
    require_once return static switch throw trait try use var while xor yield null true false self parent echo
    """
)
KEYWORDS["ruby"] = words(
    """
    BEGIN END alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo
    rescue retry return self super then true undef unless until when while yield
    """
)
KEYWORDS["bash"] = words(
    """
    if then elif else fi for while until do done case esac in function select time local declare typeset readonly export unset
    return break continue shift
    """
)
KEYWORDS["kotlin"] = words(
    """
    as break class continue do else false for fun if in interface is null object package return super this throw true try
    typealias val var when while by catch companion constructor finally import init where abstract annotation data enum
    external final infix inline inner internal lateinit noinline crossinline open operator out override private protected public
    reified sealed suspend tailrec vararg
    """
) - {"data", "open", "out", "inner", "external", "by", "where", "init"}
KEYWORDS["swift"] = words(
    """
    associatedtype class deinit enum extension fileprivate func import init inout internal let open operator private protocol
    public rethrows static struct subscript typealias var break case continue default defer do else fallthrough for guard if in
    repeat return switch where while as catch false is nil super self Self throw throws true try async await actor mutating
    nonmutating override final lazy weak unowned convenience required some
    """
) - {"open", "operator", "actor", "some", "required"}
_SQL = """
    SELECT FROM WHERE GROUP BY HAVING ORDER LIMIT OFFSET FETCH JOIN INNER LEFT RIGHT FULL OUTER CROSS NATURAL ON USING AS AND OR
    NOT IN EXISTS BETWEEN LIKE ILIKE IS NULL TRUE FALSE CASE WHEN THEN ELSE END UNION ALL INTERSECT EXCEPT DISTINCT INSERT INTO
    VALUES UPDATE SET DELETE CREATE TABLE VIEW INDEX DROP ALTER ADD PRIMARY KEY FOREIGN REFERENCES UNIQUE CONSTRAINT DEFAULT WITH
    RECURSIVE BEGIN COMMIT ROLLBACK DECLARE PROCEDURE FUNCTION TRIGGER RETURNS RETURN IF ELSEIF WHILE LOOP DO FOR EACH ROW OVER
    PARTITION ASC DESC RETURNING LATERAL CAST CHECK REPLACE LANGUAGE
    """
KEYWORDS["sql"] = words(_SQL) | words(_SQL.lower())
