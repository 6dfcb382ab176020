"""Quantities that are given as texts and numbers: in generated models and in those by hand."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from kubeapi.core.v1 import EmptyDirVolumeSource, ResourceFieldSelector, ResourceRequirements

from clientgen.runtime._models import model_codec
from clientgen.runtime._models.model import Model, field
from clientgen.runtime._models.quantity import Quantities, Quantity


class Tank(Model):
    """Every way in which a class may hold quantities, and two that are none."""

    volume: Quantity
    parts: list[Quantity] = field(default_factory=list)
    levels: Quantities = field(default_factory=dict)
    either: str | Quantity | None = None
    label: str = ""


class LargeTank(Tank):
    """What is inherited is as it was."""

    more: Quantities = field(default_factory=dict)


def test_texts_and_numbers_become_quantities() -> None:
    resources = ResourceRequirements(requests={"cpu": "100m", "memory": 2, "x": Quantity("1")})
    assert resources.requests == {"cpu": Quantity("0.1"), "memory": Quantity(2), "x": Quantity(1)}
    assert resources.requests["cpu"].value * 10 == 1
    assert model_codec.to_dict(resources) == {"requests": {"cpu": "100m", "memory": 2, "x": "1"}}
    volume: Any = "1Gi"
    assert EmptyDirVolumeSource(size_limit=volume).size_limit == Quantity("1Gi")
    assert ResourceFieldSelector(resource="limits.cpu").divisor is None


def test_assigned_values_become_quantities() -> None:
    resources = ResourceRequirements()
    resources.limits = {"cpu": 0.5}
    assert resources.limits == {"cpu": Quantity("500m")}
    given = {"cpu": Quantity(1)}
    resources.limits = given
    assert resources.limits is given
    unread: Any = {"cpu": "a lot"}  # assigning is not checked
    resources.limits = unread
    assert model_codec.to_dict(resources) == {"limits": {"cpu": "a lot"}}


@pytest.mark.parametrize("model", [Tank, LargeTank])
def test_models_by_hand_take_them_too(model: Any) -> None:
    tank = model(volume="1k", parts=["1", 2], levels={"a": "3"}, either="x", label="1")
    assert (tank.volume, tank.parts) == (Quantity(1000), [Quantity(1), Quantity(2)])
    assert (tank.levels, tank.either, tank.label) == ({"a": Quantity(3)}, "x", "1")
    tank.volume = 5
    assert model_codec.to_dict(tank)["volume"] == 5


def test_inherited_and_added_fields_are_quantities() -> None:
    tank = LargeTank(volume=Quantity(1), more={"a": "1"}, levels={"b": 2})
    assert tank.more["a"] + tank.levels["b"] == 3


def test_invalid_quantities_are_reported_with_their_field() -> None:
    with pytest.raises(ValueError, match=r"^ResourceRequirements.requests: 'a lot' is not a quan"):
        ResourceRequirements(requests={"cpu": "a lot"})


def test_any_quantity_of_a_server_is_read() -> None:
    sent = {"requests": {"cpu": "a lot", "memory": True, "x": {}}, "limits": {}, "new": 1}
    decoded = model_codec.from_dict(ResourceRequirements, sent)
    copies = (decoded, model_codec.deep_copy(decoded), pickle.loads(pickle.dumps(decoded)))
    assert [model_codec.to_dict(each) for each in copies] == [sent] * 3
