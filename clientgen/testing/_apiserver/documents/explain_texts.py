"""What `kubectl explain` shows of built-in kinds: the texts of specs/descriptions.

The document that clientgen ships has facts only, because Kubernetes' texts are its own prose.
"""

from __future__ import annotations

from functools import cache

from clientgen._openapi.descriptions import ENDING, Descriptions, Texts, read_texts
from clientgen._problems import Problems
from clientgen._shipped import shipped


@cache
def shipped_descriptions() -> Descriptions:
    """Return the texts that come with clientgen. They are read once, when a document needs them."""
    problems, texts = Problems(), dict[str, Texts]()
    for file in sorted(shipped("specs", "descriptions").glob(f"*{ENDING}")):
        texts |= read_texts(file.stem, file.name, file.read_bytes(), problems)
    problems.raise_if_any()
    return Descriptions(texts)
