"""The order of resource versions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clientgen.runtime.models import compare_resource_versions

versions = st.integers(min_value=1, max_value=10**40)


@given(versions, versions)
def test_versions_have_the_order_of_their_numbers(first: int, second: int) -> None:
    wanted = (first > second) - (first < second)
    assert compare_resource_versions(str(first), str(second)) == wanted


@pytest.mark.parametrize("version", ["", "0", "01", "-1", "1.5", "1 ", "1\n", "a", "\u0661"])
def test_other_texts_have_no_order(version: str) -> None:
    with pytest.raises(ValueError, match="is not a positive number"):
        compare_resource_versions("1", version)
    with pytest.raises(ValueError, match="is not a positive number"):
        compare_resource_versions(version, "1")
