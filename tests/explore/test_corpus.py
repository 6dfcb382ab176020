"""Every bug of the corpus is found, and nothing is found in its twin without the bug.

`scripts/explore_corpus.py` spends more time on each, and prints a table.
"""

from __future__ import annotations

import pytest
from explore.corpus import CASES

from clientgen.testing import FoundBug

pytestmark = pytest.mark.slow
CORRECT = [name for name, case in CASES.items() if case.correct is not None]


@pytest.mark.parametrize("name", CASES)
def test_the_bug_is_found(name: str):
    case = CASES[name]

    with pytest.raises(FoundBug) as caught:
        case.explore(case.buggy, budget=60.0, runs=250)

    assert "What happened:" in str(caught.value)


@pytest.mark.parametrize("name", CORRECT)
def test_nothing_is_found_in_its_twin(name: str):
    case = CASES[name]
    assert case.correct is not None

    assert case.explore(case.correct, budget=60.0, runs=5).runs == 5
