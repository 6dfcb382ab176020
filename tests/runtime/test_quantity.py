"""Quantities count as apimachinery counts, and go back as they came."""

# JSON by hand has no types to speak of.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

from __future__ import annotations

import copy
import operator
import pickle
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clientgen.runtime._models.quantity import Quantity


@pytest.mark.parametrize(
    ("given_text", "canonical"),
    [
        ("0", "0"),
        ("0.5", "500m"),
        ("1.50", "1500m"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("1024Ki", "1Mi"),
        ("1.5Gi", "1536Mi"),
        ("1536Mi", "1536Mi"),
        ("0.5Ki", "512"),
        ("-2Ki", "-2Ki"),
        ("0.0001Ki", "102400u"),
        ("1e3", "1e3"),
        ("1E3", "1e3"),
        ("1500e-3", "1500e-3"),
        ("1E", "1E"),
        ("12E", "12E"),
        ("+5.", "5"),
        (".5", "500m"),
        ("1n", "1n"),
        ("0.1n", "1n"),
        ("-0.1n", "-1n"),
        ("1.0000000001", "1000000001n"),
    ],
)
def test_the_canonical_form_is_the_servers(given_text: str, canonical: str) -> None:
    quantity = Quantity(given_text)
    assert quantity.canonical() == canonical
    assert str(quantity) == given_text


@pytest.mark.parametrize("number", [1, 0.5, 10**20, -3])
def test_a_number_is_kept_as_a_number(number: float) -> None:
    assert Quantity(number).given == number
    assert type(Quantity(number).given) is type(number)


def test_an_amount_above_every_suffix_is_not_cut_off() -> None:
    assert Quantity("1000000000000000000000").canonical() == "1000E"


@pytest.mark.parametrize(
    "text", ["", "abc", "1Zi", "1 Gi", "1e", "--1", "1K", "1Ei2", "1e99999", "9" * 2000, "NaN"]
)
def test_malformed_text_is_refused_with_the_rule(text: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity: write a number"):
        Quantity(text)


@pytest.mark.parametrize("value", [True, float("nan"), float("inf"), Decimal("NaN")])
def test_invalid_quantities_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="is not a quantity"):
        Quantity(value)


def test_equal_amounts_are_equal_and_hash_alike() -> None:
    assert Quantity("1.5Gi") == Quantity("1536Mi") == 1610612736
    assert hash(Quantity("1.5Gi")) == hash(Quantity("1536Mi")) == hash(1610612736)
    assert Quantity("500m") != Quantity("501m")
    assert Quantity("1Gi") == "1024Mi"
    assert Quantity("1") != "1 apple"
    assert Quantity("500m") < "1" <= Quantity("1") < float("inf")
    assert Quantity("2") > "1"
    with pytest.raises(ValueError, match="is not a quantity"):
        Quantity("1") < "1 apple"  # noqa: B015 # pyright: ignore[reportUnusedExpression]
    with pytest.raises(TypeError):
        Quantity("1") < None  # type: ignore[operator] # noqa: B015
    assert Quantity("0.1") == 0.1
    assert Quantity(Decimal("0.5")) == Quantity("500m")


def test_quantities_are_ordered_among_themselves_and_with_numbers() -> None:
    assert Quantity("999Mi") < Quantity("1Gi") <= Quantity("1024Mi")
    assert Quantity("1") > 0.5
    assert Quantity("1") >= 1
    assert max(Quantity("1k"), Quantity("1Ki")) == 1024


def test_sums_keep_the_notation_of_the_left_side() -> None:
    assert str(Quantity("1Gi") + Quantity("512Mi")) == "1536Mi"
    assert str(Quantity("1") + Quantity("250m")) == "1250m"
    assert str(Quantity("0") + Quantity("1Ki")) == "1Ki"
    assert str(Quantity("1Gi") - Quantity("1Mi")) == "1023Mi"
    assert str(sum([Quantity("500m"), Quantity("1")])) == "1500m"
    assert str(1 - Quantity("500m")) == "500m"
    assert str(-Quantity("2Ki")) == "-2Ki"
    assert str(3 * Quantity("500m")) == "1500m"
    assert str(Quantity("1e3") * 2) == "2e3"


def test_a_quotient_with_a_number_has_the_notation() -> None:
    assert str(Quantity("500m") / 2) == "250m"
    assert str(Quantity("1Gi") / 4) == "256Mi"
    assert str(Quantity("1") / 3) == "333333334n"
    assert str(Quantity("1Gi") // 3) == "357913941"
    assert str(Quantity("-7") // 2) == "-4"
    assert str(Quantity("2e3") / -2) == "-1e3"


def test_a_quotient_of_quantities_is_a_number() -> None:
    assert Quantity("300m") / Quantity("100m") == 3.0
    assert Quantity("1Gi") / Quantity("4Gi") == 0.25
    assert f"{Quantity('1') / Quantity('3'):.1%}" == "33.3%"
    assert Quantity("3.9") // Quantity("1300m") == 3
    assert isinstance(Quantity("4") // Quantity("2"), int)


@pytest.mark.parametrize("zero", [0, Quantity("0m")])
def test_dividing_by_nothing(zero: Any) -> None:
    for number in ("0", "1Gi"):
        with pytest.raises(ZeroDivisionError, match="divided by zero"):
            Quantity(number) / zero  # pyright: ignore[reportUnusedExpression]
        with pytest.raises(ZeroDivisionError, match="divided by zero"):
            Quantity(number) // zero  # pyright: ignore[reportUnusedExpression]


def test_operands_that_are_no_numbers_are_type_errors() -> None:
    operations: list[Any] = [operator.mul, operator.truediv, operator.add, operator.sub]
    for operate in [*operations, operator.floordiv]:
        with pytest.raises(TypeError):
            operate(Quantity("1"), "2")
    with pytest.raises(TypeError):
        Quantity("1") * Quantity("1")  # type: ignore[operator]
    with pytest.raises(TypeError):
        1 / Quantity("1")  # type: ignore[operator]


@pytest.mark.parametrize("number", [float("nan"), Decimal("1e999999"), 10**1500])
def test_numbers_that_are_no_amounts_are_refused(number: Any) -> None:
    for operate in (operator.mul, operator.truediv, operator.add, operator.sub, operator.lt):
        with pytest.raises(ValueError, match="is not an amount"):
            operate(Quantity("1"), number)


def test_results_keep_a_notation_that_their_text_does_not_show() -> None:
    odd = Quantity("128Mi") + Quantity("232891136")
    assert str(odd) == "367108864"
    assert f"{odd:.1h}" == "350.1Mi"
    copied = pickle.loads(pickle.dumps(odd + 1))
    assert str(copied - 1 - Quantity("232891136")) == "128Mi"
    assert str(Quantity("1Gi") * 1.5) == "1536Mi"
    assert str(Quantity("1") / 0.4) == "2500m"
    assert str(round(Quantity("1Gi") / 3)) == "357913941"
    assert str(round(Quantity("1250m"), 1)) == "1200m"
    assert round(Quantity("1"), -(10**9)) == 0


def test_a_quantity_in_another_unit() -> None:
    assert str(Quantity("1536Mi").to("Gi")) == "1.5Gi"
    assert str(Quantity("1G").to("Gi")) == "0.931322574615478515625Gi"
    assert str(Quantity("250m").to("")) == "0.25"
    with pytest.raises(ValueError, match="'GB' is not a unit of quantities: use one of n u m"):
        Quantity("1").to("GB")


@pytest.mark.parametrize(
    ("text", "spec", "shown"),
    [
        ("1500M", ".1h", "1.5G"),
        ("1173576Ki", ">8.1h", "   1.1Gi"),
        ("1048575Ki", ".1h", "1.0Gi"),
        ("999950u", ".1h", "1.0"),
        ("0", ".1h", "0.0"),
        ("-2048", ".0h", "-2k"),
        ("1n", ".0h", "1n"),
        ("9999999999E", "h", "9999999999.0E"),
        ("1.25Gi", "*^9.1f", "**1.2Gi**"),
        ("2e3", ".2f", "2.00e3"),
    ],
)
def test_amounts_are_rounded_for_people(text: str, spec: str, shown: str) -> None:
    assert format(Quantity(text), spec) == shown


def test_a_format_that_would_cut_an_amount_is_refused() -> None:
    with pytest.raises(ValueError, match=r"'>9.2' would cut a quantity: write >9.2f"):
        format(Quantity("123456"), ">9.2")


def test_a_quantity_converts_to_the_numbers_of_python() -> None:
    assert int(Quantity("1500m")) == 1
    assert float(Quantity("250m")) == 0.25
    assert Quantity("100n").value == Decimal("0.0000001")


def test_a_quantity_does_not_change() -> None:
    quantity = Quantity("1")
    with pytest.raises(AttributeError):
        quantity.given = "2"  # type: ignore[misc]
    assert copy.deepcopy(quantity) is quantity
    assert copy.copy(quantity) is quantity
    assert pickle.loads(pickle.dumps(quantity)) == quantity


def test_equal_text_received_is_one_object() -> None:
    assert Quantity.received("250m") is Quantity.received("250m")
    assert Quantity.received(1).given == 1


def test_the_objects_kept_for_received_text_are_bounded() -> None:
    for number in range(10_000):
        Quantity.received(f"{number}m")
    from clientgen.runtime._models.quantity import received_texts

    assert len(received_texts) <= 4096
    Quantity.received("1" * 500)
    assert "1" * 500 not in received_texts


def test_malformed_text_received_raises_only_when_it_is_computed_with() -> None:
    malformed = Quantity.received("1Zi")
    assert str(malformed) == "1Zi"
    assert repr(malformed) == "Quantity('1Zi')"
    assert malformed == Quantity.received("1Zi")
    assert malformed != Quantity("1")
    assert malformed in {malformed}
    with pytest.raises(ValueError, match="is not a quantity"):
        malformed + 1  # pyright: ignore[reportUnusedExpression]
    with pytest.raises(ValueError, match="is not a quantity"):
        malformed < 1  # noqa: B015 # pyright: ignore[reportUnusedExpression]
    with pytest.raises(ValueError, match="is not a quantity"):
        malformed.canonical()


amounts = st.builds(
    lambda number, places, suffix: f"{Decimal(number).scaleb(-places):f}{suffix}",
    st.integers(-(10**12), 10**12),
    st.integers(0, 6),
    st.sampled_from(["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "e3", "e-3", "E6"]),
)


@given(amounts)
def test_the_canonical_form_is_the_same_amount_and_stays(text: str) -> None:
    quantity = Quantity(text)
    canonical = Quantity(quantity.canonical())
    assert canonical == quantity
    assert canonical.canonical() == quantity.canonical()


@given(amounts, amounts)
def test_addition_and_subtraction_are_inverse(left: str, right: str) -> None:
    assert Quantity(left) + Quantity(right) - Quantity(right) == Quantity(left)


@given(st.text(max_size=30))
def test_any_text_can_be_received(text: str) -> None:
    received = Quantity.received(text)
    assert received == received  # noqa: PLR0124
    assert hash(received) == hash(Quantity.received(text))


def test_a_quantity_is_formatted_as_text():
    assert f"{Quantity('1Gi'):>10}|{Quantity('500m'):<6}|{Quantity(2)}" == "       1Gi|500m  |2"


@given(amounts, amounts, st.fractions(-1000, 1000, max_denominator=64))
def test_arithmetic_is_that_of_fractions(left: str, right: str, factor: Fraction) -> None:
    one, other = Quantity(left), Quantity(right)
    number = Decimal(factor.numerator) / 64
    exact_one, exact_other = Fraction(one.value), Fraction(other.value)
    assert Fraction((one + other).value) == exact_one + exact_other
    assert Fraction((one - other).value) == exact_one - exact_other
    for result, exact in (
        (one * number, exact_one * Fraction(number)),
        *(((one / number, exact_one / Fraction(number)),) if number else ()),
    ):
        rounded_up = ceil(abs(exact) * 10**9)
        assert abs(Fraction(result.value)) == Fraction(rounded_up, 10**9)
        assert (result < 0) == (exact < 0)
    assert (one < other, one == other) == (exact_one < exact_other, exact_one == exact_other)
    assert (one < right, one == right) == (exact_one < exact_other, exact_one == exact_other)
    assert Fraction(round(one, 3).value) == round(exact_one, 3)
    for unit in ("m", "", "k", "Ki", "Ei"):
        assert one.to(unit) == one
