"""Amounts of resources: `500m`, `1.5Gi`, `2e3`.

The rules are those of apimachinery's `resource.Quantity`: a signed decimal number with a suffix,
and a precision of one billionth. Smaller fractions are rounded up, away from zero
(https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/).
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_EVEN, ROUND_UP, Context, Decimal
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
_DECIMAL_UNITS = tuple(_EXPONENTS)
_UNITS = (*_DECIMAL_UNITS, *_BINARY_SUFFIXES[1:])
_KIBI = 1024
_KILO = 1000
# `f"{quantity:>10.1h}"`: the layout of the text, the digits after the point, and the unit's choice.
_FORMAT = re.compile(r"((?:.?[<>^])?[0-9]{0,4})(?:\.([0-9]{1,2}))?([fh])", re.DOTALL)
_CUT = re.compile(r"(?:.?[<>^])?[0-9]*\.[0-9]+s?", re.DOTALL)
# Numbers beyond these powers of ten are refused before anything is computed.
_MAX_POWER = 999
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

    A quantity is immutable and hashable, and compares with quantities, numbers and text:
    `requests["memory"] > "1Gi"`. Text is compared as an amount, but has the hash of text: use
    quantities only, or text only, as keys of a dict. A quantity is sent as it was received, as a
    number or a string. `int()` truncates, as for any Python number.

    Results have the notation of the left operand, binary, decimal or exponent, also where the text
    has no suffix: `Quantity("1Gi") + 1` is `1073741825`, and is binary. The text of a result is the
    API server's canonical form, such as `1536Mi`. `f"{result:.1h}"` shows it rounded, `1.5Gi`.
    Amounts are rounded up to a billionth; `round` and `//` give whole bytes.

    A quantity divided by a quantity is a number: `/` gives a float, `//` rounds down to an int.
    """

    __slots__ = ("_given", "_kept", "_value")
    _given: str | int | float
    _value: Decimal | None
    _kept: str  # the notation of a result whose text does not show it; otherwise not set

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
        return _format(self.value, self._notation())

    def to(self, unit: str) -> Quantity:
        """Write the amount in a unit: `Quantity("1536Mi").to("Gi")` is `Quantity("1.5Gi")`.

        The result is a quantity, not a number, so that it shows its unit, can be sent, and is equal
        to this quantity: nothing is rounded. `f"{quantity.to('Gi'):.1f}"` rounds what is shown.
        `quantity / Quantity("1Gi")` is the number.

        Args:
            unit: `n`, `u`, `m`, `k`, `M`, `G`, `T`, `P`, `E`, `Ki`, `Mi`, `Gi`, `Ti`, `Pi`,
                `Ei`, or empty for the amount without a suffix.

        Raises:
            ValueError: `unit` is none of these.
        """
        if unit not in _UNITS:
            units = " ".join(_UNITS)
            raise ValueError(f"{unit!r} is not a unit of quantities: use one of {units}")
        number = _EXACT_CONTEXT.normalize(_EXACT_CONTEXT.divide(self.value, _factor(unit)))
        notation = _notation(f"1{unit}") if unit else self._notation()
        return _computed(f"{number:f}{unit}", notation)

    def __add__(self, other: Quantity | Number) -> Quantity:
        return self._combine(other, _EXACT_CONTEXT.add)

    __radd__ = __add__

    def __sub__(self, other: Quantity | Number) -> Quantity:
        return self._combine(other, _EXACT_CONTEXT.subtract)

    def __rsub__(self, other: Number) -> Quantity:
        return (-self)._combine(other, _EXACT_CONTEXT.add)

    def __neg__(self) -> Quantity:
        return self._in_own_notation(_EXACT_CONTEXT.minus(self.value))

    def __mul__(self, times: Number) -> Quantity:
        """Multiply. A result is rounded up to a billionth; for whole bytes, use `round`."""
        if not isinstance(times, int | float | Decimal):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return self._in_own_notation(
            _to_nano(_EXACT_CONTEXT.multiply(self.value, _parse_number(times)))
        )

    __rmul__ = __mul__

    @overload
    def __truediv__(self, other: Quantity) -> float: ...
    @overload
    def __truediv__(self, other: Number) -> Quantity: ...
    def __truediv__(self, other: Quantity | Number) -> Quantity | float:
        """Divide. A resulting quantity is rounded up to a billionth; for whole bytes, use `//`."""
        if isinstance(other, Quantity):
            return float(_quotient(self.value, other.value))
        if not isinstance(other, int | float | Decimal):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return self._in_own_notation(_to_nano(_quotient(self.value, _parse_number(other))))

    @overload
    def __floordiv__(self, other: Quantity) -> int: ...
    @overload
    def __floordiv__(self, other: Number) -> Quantity: ...
    def __floordiv__(self, other: Quantity | Number) -> Quantity | int:
        """Divide, and round down to a whole number."""
        if isinstance(other, Quantity):
            return floor(_quotient(self.value, other.value))
        if not isinstance(other, int | float | Decimal):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        return self._in_own_notation(Decimal(floor(_quotient(self.value, _parse_number(other)))))

    def __round__(self, digits: int = 0) -> Quantity:
        """Round the amount, half to even: `round(Quantity("1Gi") / 3)` is a whole number of bytes.

        Unlike `round` of a float without digits, the result is a quantity.
        """
        if digits >= -_exponent(_NANO):
            return self
        unit = Decimal(1).scaleb(-max(digits, -_MAX_POWER))
        return self._in_own_notation(
            self.value.quantize(unit, rounding=ROUND_HALF_EVEN, context=_EXACT_CONTEXT)
        )

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return str(self._given)

    def __format__(self, spec: str) -> str:
        """Format as text, like a string: `f"{quantity:>10}"`.

        With `f`, the number before the suffix is rounded, half to even: `f"{quantity:.1f}"`. With
        `h`, the suffix is the largest that leaves a number of at least 1, for people:
        `f"{Quantity('1173576Ki'):>8.1h}"` is `   1.1Gi`. One digit after the point is the default.

        Raises:
            ValueError: the format is none of these, or would cut the text of the amount.
        """
        if found := _FORMAT.fullmatch(spec):
            layout, digits, choice = found.groups()
            return format(self._rounded(int(digits or 1), largest=choice == "h"), layout)
        if _CUT.fullmatch(spec):
            raise ValueError(
                f"{spec!r} would cut a quantity: write {spec.rstrip('s')}f to round it"
            )
        return format(str(self), spec)

    def _rounded(self, digits: int, *, largest: bool) -> str:
        if not largest:
            match = _SYNTAX.fullmatch(str(self._given).strip())
            suffix = match.group(2) if match else ""
            return f"{_in_unit(self.value, _factor(suffix), digits):f}{suffix}"
        step, units = (
            (_KIBI, _BINARY_SUFFIXES) if self._notation() == "i" else (_KILO, _DECIMAL_UNITS)
        )
        *smaller, last = units
        for unit in smaller:
            number = _in_unit(self.value, _factor(unit), digits)
            if abs(number) < step and (number or not self.value or unit != units[0]):
                break
        else:
            unit, number = last, _in_unit(self.value, _factor(last), digits)
        return f"{number:f}{unit}" if self.value else f"{number:f}"

    def __repr__(self) -> str:
        return f"Quantity({self._given!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantity | int | float | Decimal | str):
            return NotImplemented
        left, right = _comparable(self), _comparable(other)
        return left == right

    def __hash__(self) -> int:
        return hash(_comparable(self))

    def __lt__(self, other: Quantity | Number | str) -> bool:
        right = _operand(other)
        return NotImplemented if right is None else self.value < right

    def __le__(self, other: Quantity | Number | str) -> bool:
        right = _operand(other)
        return NotImplemented if right is None else self.value <= right

    def __gt__(self, other: Quantity | Number | str) -> bool:
        right = _operand(other)
        return NotImplemented if right is None else self.value > right

    def __ge__(self, other: Quantity | Number | str) -> bool:
        right = _operand(other)
        return NotImplemented if right is None else self.value >= right

    def __setattr__(self, name: str, value: object) -> NoReturn:
        message = f"a Quantity is immutable: {name} cannot be assigned"
        raise AttributeError(message)

    def __copy__(self) -> Quantity:
        return self

    def __deepcopy__(self, _memo: object) -> Quantity:
        return self

    def __reduce__(self) -> tuple[Callable[..., Quantity], tuple[str | int | float, ...]]:
        kept = getattr(self, "_kept", None)
        if kept is None:
            return Quantity.received, (self._given,)
        return _computed, (self._given, kept)

    def _notation(self) -> str:
        kept: str | None = getattr(self, "_kept", None)
        return _notation(self._given) if kept is None else kept

    def _combine(
        self, other: Quantity | Number, operate: Callable[[Decimal, Decimal], Decimal]
    ) -> Quantity:
        """Add or subtract. If `self` is zero, the result has the notation of `other`, as in Go."""
        if not isinstance(other, Quantity | int | float | Decimal):  # pyright: ignore[reportUnnecessaryIsInstance]
            return NotImplemented
        result = _to_nano(operate(self.value, _as_decimal(other)))
        if isinstance(other, Quantity) and not self.value:
            return other._in_own_notation(result)
        return self._in_own_notation(result)

    def _in_own_notation(self, value: Decimal) -> Quantity:
        """Create a quantity of `value` in the notation of this quantity."""
        notation = self._notation()
        return _computed(_format(value, notation), notation)


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


def _computed(text: str, notation: str) -> Quantity:
    """Create a quantity that keeps a notation which its text may not show."""
    quantity = Quantity(text)
    if _notation(text) != notation:
        object.__setattr__(quantity, "_kept", notation)
    return quantity


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


def _in_unit(value: Decimal, factor: Decimal, digits: int) -> Decimal:
    """Return the number of units, rounded for people."""
    number = _EXACT_CONTEXT.divide(value, factor)
    places = Decimal(1).scaleb(-digits)
    return number.quantize(places, rounding=ROUND_HALF_EVEN, context=_EXACT_CONTEXT)


def _operand(other: object) -> Decimal | None:
    """Return the amount to compare with. None for a value that is no amount.

    Raises:
        ValueError: `other` is text, or a number, that is no quantity.
    """
    if isinstance(other, str):
        return _parse(other)
    if isinstance(other, float | Decimal) and abs(other) == float("inf"):
        return Decimal(other)
    return _as_decimal(other) if isinstance(other, Quantity | int | float | Decimal) else None


def _as_decimal(other: Quantity | Number) -> Decimal:
    return other.value if isinstance(other, Quantity) else _parse_number(other)


def _parse_number(number: Number) -> Decimal:
    """Convert a number by its digits, so that 0.1 is exactly a tenth.

    Raises:
        ValueError: the number is infinite, or no number, or too large or small for a quantity.
    """
    value = number if isinstance(number, Decimal) else Decimal(repr(number))
    if not value.is_finite() or abs(value.adjusted()) > _MAX_POWER:
        raise ValueError(f"{str(number)[:_MAX_EXCERPT_CHARACTERS]} is not an amount: use a number")
    return value


def _comparable(item: Quantity | Number | str) -> Decimal | str:
    """Return the amount, or the text of an invalid quantity: comparisons must not raise."""
    try:
        return _parse(item) if isinstance(item, str) else _as_decimal(item)
    except (ValueError, ArithmeticError):
        return str(item)
