"""Amounts of resources: `500m`, `1.5Gi`, `2e3`.

The rules are those of apimachinery's `resource.Quantity`: a signed decimal number with a suffix,
and a precision of one billionth. Smaller fractions are rounded up, away from zero
(https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/).
"""

from __future__ import annotations

import re
from decimal import ROUND_UP, Context, Decimal
from math import floor
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Number: TypeAlias = int | float | Decimal

_SYNTAX = re.compile(
    r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]{1,3}|)"
)
_EXPONENTS = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_DECIMAL_SUFFIXES = {power: suffix for suffix, power in _EXPONENTS.items()}
_BINARY_SUFFIXES = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_KIBI = 1024
_NANO = Decimal("1e-9")
# Precise enough for every accepted exponent (three digits): only `_to_nano` rounds.
_EXACT_CONTEXT = Context(prec=5000, Emax=99999, Emin=-99999, rounding=ROUND_UP)
_MAX_QUANTITY_CHARACTERS = 1000
# Messages show this many characters of an invalid quantity.
_MAX_EXCERPT_CHARACTERS = 60
_MAX_CACHED_QUANTITIES = 4096
_MAX_CACHED_CHARACTERS = 64


class Quantity:
    """An amount of a resource. Quantities are equal if their values are: `1.5Gi` is `1536Mi`.

    A quantity is immutable and hashable, and compares with quantities and numbers. It is sent as it
    was received, as a number or a string. Sums and differences have the notation of the left
    operand, and so have products and quotients with whole numbers. `int()` truncates, as for any
    Python number.

    A quantity divided by a quantity is a number: `/` gives a float, `//` rounds down to an int.
    """

    __slots__ = ("_given", "_value")
    _given: str | int | float
    _value: Decimal | None

    def __init__(self, value: str | Number) -> None:
        """Parse a value.

        Raises:
            ValueError: `value` is not a quantity.
        """
        given = f"{value:f}" if isinstance(value, Decimal) else value
        object.__setattr__(self, "_value", _parse(given))
        object.__setattr__(self, "_given", given)

    @classmethod
    def received(cls, given: str | float) -> Quantity:
        """Accept a value from a server, valid or not. An invalid value raises an error on use."""
        return received_texts[given] if isinstance(given, str) else _unparsed(given)

    @property
    def value(self) -> Decimal:
        """The amount.

        Raises:
            ValueError: the server sent an invalid quantity.
        """
        if self._value is None:
            object.__setattr__(self, "_value", _parse(self._given))
        assert self._value is not None
        return self._value

    @property
    def given(self) -> str | int | float:
        """The original value, which is the form that is sent."""
        return self._given

    def canonical(self) -> str:
        """Format the amount as the API server does: `1536Mi` for `1.5Gi`, `500m` for `0.5`."""
        return _format(self.value, _notation(self._given))

    def __add__(self, other: Quantity | Number) -> Quantity:
        return self._combine(other, _EXACT_CONTEXT.add)

    __radd__ = __add__

    def __sub__(self, other: Quantity | Number) -> Quantity:
        return self._combine(other, _EXACT_CONTEXT.subtract)

    def __rsub__(self, other: Number) -> Quantity:
        return -self + other

    def __neg__(self) -> Quantity:
        return self._in_own_notation(_EXACT_CONTEXT.minus(self.value))

    def __mul__(self, times: int) -> Quantity:
        if not isinstance(times, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return self._in_own_notation(_EXACT_CONTEXT.multiply(self.value, times))

    __rmul__ = __mul__

    @overload
    def __truediv__(self, other: Quantity) -> float: ...
    @overload
    def __truediv__(self, other: int) -> Quantity: ...
    def __truediv__(self, other: Quantity | int) -> Quantity | float:
        """Divide. A resulting quantity is rounded up to a billionth; for whole bytes, use `//`."""
        if isinstance(other, Quantity):
            return float(_quotient(self.value, other.value))
        if not isinstance(other, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return self._in_own_notation(_to_nano(_quotient(self.value, Decimal(other))))

    @overload
    def __floordiv__(self, other: Quantity) -> int: ...
    @overload
    def __floordiv__(self, other: int) -> Quantity: ...
    def __floordiv__(self, other: Quantity | int) -> Quantity | int:
        """Divide, and round down to a whole number."""
        if isinstance(other, Quantity):
            return floor(_quotient(self.value, other.value))
        if not isinstance(other, int):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return self._in_own_notation(Decimal(floor(_quotient(self.value, Decimal(other)))))

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return str(self._given)

    def __format__(self, spec: str) -> str:
        """Format like a string: `f"{quantity:>10}"`."""
        return format(str(self), spec)

    def __repr__(self) -> str:
        return f"Quantity({self._given!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantity | int | float | Decimal):
            return NotImplemented
        left, right = _comparable(self), _comparable(other)
        return left == right

    def __hash__(self) -> int:
        return hash(_comparable(self))

    def __lt__(self, other: Quantity | Number) -> bool:
        return self.value < _as_decimal(other)

    def __le__(self, other: Quantity | Number) -> bool:
        return self.value <= _as_decimal(other)

    def __gt__(self, other: Quantity | Number) -> bool:
        return self.value > _as_decimal(other)

    def __ge__(self, other: Quantity | Number) -> bool:
        return self.value >= _as_decimal(other)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        message = f"a Quantity is immutable: {name} cannot be assigned"
        raise AttributeError(message)

    def __copy__(self) -> Quantity:
        return self

    def __deepcopy__(self, _memo: object) -> Quantity:
        return self

    def __reduce__(self) -> tuple[Callable[..., Quantity], tuple[str | int | float]]:
        return Quantity.received, (self._given,)

    def _combine(
        self, other: Quantity | Number, operate: Callable[[Decimal, Decimal], Decimal]
    ) -> Quantity:
        """Add or subtract. If `self` is zero, the result has the notation of `other`, as in Go."""
        result = operate(self.value, _as_decimal(other))
        if isinstance(other, Quantity) and not self.value:
            return other._in_own_notation(result)
        return self._in_own_notation(result)

    def _in_own_notation(self, value: Decimal) -> Quantity:
        """Create a quantity of `value` in the notation of this quantity."""
        return Quantity(_format(value, _notation(self._given)))


if TYPE_CHECKING:

    class Quantities:
        """The type of a map of quantities, such as the requests of a container.

        It reads as `dict[str, Quantity]`. Strings and numbers are accepted and converted:
        `ResourceRequirements(requests={"cpu": "100m"})`.
        """

        @overload
        def __get__(self, instance: None, owner: object) -> Quantities: ...
        @overload
        def __get__(self, instance: object, owner: object) -> dict[str, Quantity]: ...
        def __get__(self, instance: object, owner: object) -> Any: ...
        def __set__(
            self, instance: object, value: Mapping[str, Quantity | str | int | float]
        ) -> None: ...

else:
    Quantities = dict[str, Quantity]


class _QuantityCache(dict[str, Quantity]):
    """A cache of received quantities by text, because many objects have the same quantities."""

    def __missing__(self, text: str) -> Quantity:
        quantity = _unparsed(text)
        if len(text) <= _MAX_CACHED_CHARACTERS:
            if len(self) >= _MAX_CACHED_QUANTITIES:
                self.clear()
            self[text] = quantity
        return quantity


received_texts = _QuantityCache()


def _unparsed(text: str | float) -> Quantity:
    """Create a quantity that is parsed on first use."""
    quantity = Quantity.__new__(Quantity)
    object.__setattr__(quantity, "_given", text)
    object.__setattr__(quantity, "_value", None)
    return quantity


def _parse(given: str | float) -> Decimal:
    """Parse an amount.

    Raises:
        ValueError: `given` is not a quantity.
    """
    # A float has the value that its digits show, so that 0.1 is exactly a tenth.
    text = (given if isinstance(given, str) else repr(given)).strip()
    match = _SYNTAX.fullmatch(text) if len(text) <= _MAX_QUANTITY_CHARACTERS else None
    if match is None:
        raise ValueError(
            f"{text[:_MAX_EXCERPT_CHARACTERS]!r} is not a quantity: write a number and at most one"
            " of the suffixes n u m k M G T P E, Ki Mi Gi Ti Pi Ei or an exponent such as e3"
        )
    number, suffix = match.groups()
    return _to_nano(_EXACT_CONTEXT.multiply(Decimal(number), _factor(suffix)))


def _quotient(left: Decimal, right: Decimal) -> Decimal:
    if not right:
        raise ZeroDivisionError("a quantity cannot be divided by zero")
    return _EXACT_CONTEXT.divide(left, right)


def _factor(suffix: str) -> Decimal:
    if suffix in _EXPONENTS:
        return Decimal(1).scaleb(_EXPONENTS[suffix])
    if suffix.endswith("i"):
        return Decimal(_KIBI ** _BINARY_SUFFIXES.index(suffix))
    return Decimal(1).scaleb(int(suffix[1:]))


def _to_nano(value: Decimal) -> Decimal:
    """Round up to a billionth, away from zero."""
    return _EXACT_CONTEXT.quantize(value, _NANO) if _exponent(value) < _exponent(_NANO) else value


def _exponent(value: Decimal) -> int:
    """Return the exponent of a finite decimal number."""
    return int(value.as_tuple().exponent)


def _notation(text: str | float) -> str:
    """Return the notation of a quantity: `i` for binary, `e` for exponent, empty for decimal."""
    if not isinstance(text, str):
        return ""
    match = _SYNTAX.fullmatch(text.strip())
    suffix = match.group(2) if match else ""
    if suffix.endswith("i"):
        return "i"
    return "e" if suffix[1:] else ""


def _format(value: Decimal, notation: str) -> str:
    """Format the shortest integer with a suffix, as apimachinery's CanonicalizeBytes does.

    A binary amount below 1024, or with a fraction, gets a decimal suffix.
    """
    is_integral = value == value.to_integral_value()
    if notation == "i" and is_integral and abs(value) >= _KIBI:
        return _format_binary(int(value))
    return _format_decimal(value, exponent=notation == "e")


def _format_binary(value: int) -> str:
    step = 0
    while value % _KIBI == 0 and step < len(_BINARY_SUFFIXES) - 1:
        value, step = value // _KIBI, step + 1
    return f"{value}{_BINARY_SUFFIXES[step]}"


def _format_decimal(value: Decimal, *, exponent: bool) -> str:
    if not value:
        return "0"
    power = _exponent(_EXACT_CONTEXT.normalize(value))
    power -= power % 3
    if not exponent:
        # Above 10^18, the API server omits the suffix, so its text is another amount. Here, the
        # largest suffix is E.
        power = min(power, 18)
    mantissa = int(_EXACT_CONTEXT.scaleb(value, -power))
    suffix = (f"e{power}" if power else "") if exponent else _DECIMAL_SUFFIXES[power]
    return f"{mantissa}{suffix}"


def _as_decimal(other: Quantity | Number) -> Decimal:
    return other.value if isinstance(other, Quantity) else _parse_number(other)


def _parse_number(number: Number) -> Decimal:
    """Convert a number by its digits, so that 0.1 is exactly a tenth."""
    return number if isinstance(number, Decimal) else Decimal(repr(number))


def _comparable(item: Quantity | Number) -> Decimal | str:
    """Return the amount, or the text of an invalid quantity: comparisons must not raise."""
    try:
        return _as_decimal(item)
    except (ValueError, ArithmeticError):
        return str(item)
