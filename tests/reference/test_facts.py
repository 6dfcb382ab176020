"""Facts at the end of texts: of kubeapi's, and of the generator's sentences about schemas."""

from __future__ import annotations

import pytest

from clientgen.reference.facts import split
from clientgen.reference.package_reader import Api
from clientgen.reference.records import Facts


@pytest.mark.parametrize(
    ("text", "prose", "facts"),
    [
        ("How many.", "How many.", Facts()),
        ("", "", Facts()),
        ("No full stop", "No full stop", Facts()),
        ("How many. Default: `1`.", "How many.", Facts(default="1")),
        ("A. Default:\n`1`. Range:\n1 to 5.", "A.", Facts(default="1", limits=("Range: 1 to 5.",))),
        ("A. Default: `420` (octal 0644).", "A.", Facts(default="`420` (octal 0644)")),
        (
            "A.\n\nDefaults to `x.y z`. At least 1 item.",
            "A.",
            Facts("x.y z", limits=("At least 1 item.",)),
        ),
        ("Default: `1`.", "", Facts(default="1")),
        ("A. Since 1.33. Deprecated: use `b`.", "A.", Facts(since="1.33", deprecated="use `b`")),
        ("A. Set by the server. More.", "A. Set by the server. More.", Facts()),
        ("At least two are needed.", "At least two are needed.", Facts()),
        (
            "A.\n\nAt most 5 items. Rule: keep. it. short (`self.size() < 3`).",
            "A.",
            Facts(limits=("At most 5 items.", "Rule: keep. it. short (`self.size() < 3`).")),
        ),
        ("A `b. c` d. Matches `^a. $`.", "A `b. c` d.", Facts(limits=("Matches `^a. $`.",))),
    ],
)
def test_facts_are_taken_from_the_end(text: str, prose: str, facts: Facts):
    assert split(text) == (prose, facts)


def test_a_deprecation_is_found_in_the_middle_of_the_texts_of_others():
    text = "DEPRECATED: use csi instead.\nIt was a volume."

    assert split(text) == (text, Facts(deprecated="use csi instead"))


def test_long_and_odd_texts_lose_nothing():
    for text in ("`" * 100_000, "a" * 100_000, "a. " * 50_000, "Rule: `" * 20_000):
        prose, facts = split(text)
        assert prose == text
        assert facts == Facts()


def test_no_fact_in_fixed_words_stays_in_a_text_of_kubeapi(kubeapi: Api):
    words = ("Default: `", "Range: ", "Since 1.", "Deprecated: use `")
    left = {
        f"{each.name}.{field.name}"
        for package in kubeapi.packages
        for home in package.homes
        for each in kubeapi.types_of(home)
        for field in each.fields
        if any(word in " ".join(field.text.split()) for word in words)
    }
    # A sentence that is no fact follows.
    assert left <= {"PodFailurePolicyOnExitCodesRequirement.values"}
