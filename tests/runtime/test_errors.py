"""The tree of errors."""

from __future__ import annotations

import inspect
import pickle
import re

import pytest

from clientgen.runtime import errors
from clientgen.runtime._models.exec_result import ExecResult
from clientgen.runtime._models.meta_v1 import ListMeta, Status, StatusCause, StatusDetails
from clientgen.runtime._models.model_codec import DecodeError
from clientgen.runtime._models.proxy_response import ProxyResponse
from clientgen.runtime.errors import ApiError, ClientError, RequestInfo, api_error

REQUEST = RequestInfo("GET", "/api/v1/pods/x")


def status(code: int = 404, reason: str = "", **more: object) -> Status:
    return Status(status="Failure", code=code, reason=reason, message="the words", **more)


def all_errors() -> list[type[ClientError]]:
    return [
        each
        for _, each in inspect.getmembers(errors, inspect.isclass)
        if issubclass(each, ClientError)
    ]


def test_the_tree_in_the_docstring_is_the_tree():
    drawn: dict[str, str] = {}
    above: dict[int, str] = {-1: "Exception"}
    for line in errors.__doc__.splitlines():
        match = re.match(r"^    ([│├└─ ]*)([A-Z]\w+)", line)
        if match:
            depth = len(match[1]) // 4
            above[depth] = match[2]
            drawn[match[2]] = above[depth - 1]
    real = {each.__name__: each.__bases__[0].__name__ for each in [*all_errors(), DecodeError]}
    assert drawn == real


def error_of(kind: type[ClientError]) -> ClientError:
    if issubclass(kind, ApiError):
        return kind(status(), REQUEST)
    if kind is errors.ProxyFailed:
        response = ProxyResponse(status=500, headers={}, body=b"oh")
        return errors.ProxyFailed("the words", response)
    if kind is errors.ExecFailed:
        result = ExecResult(stdout=b"out", stderr=b"err", exit_code=7)
        return errors.ExecFailed("the words", result)
    return kind("the words")


@pytest.mark.parametrize("kind", all_errors())
def test_every_error_survives_pickling(kind):
    made = error_of(kind)
    made.add_note("a note")
    copied = pickle.loads(pickle.dumps(made))
    assert type(copied) is kind
    assert str(copied) == str(made)
    assert copied.__notes__ == ["a note"]
    assert getattr(copied, "exit_code", 7) == 7


def test_the_reason_decides_and_the_code_where_there_is_none():
    assert type(api_error(status(409, "AlreadyExists"))) is errors.AlreadyExists
    assert type(api_error(status(409, "Conflict"))) is errors.Conflict
    assert type(api_error(status(500, "NotFound"))) is errors.NotFound
    assert type(api_error(status(409))) is errors.Conflict
    assert type(api_error(status(410))) is errors.Gone
    assert type(api_error(status(503, "NewReason"))) is errors.ServiceUnavailable
    assert type(api_error(status(599))) is ApiError
    assert type(api_error(Status())) is ApiError


def test_expired_is_a_kind_of_gone_that_knows_where_to_go_on():
    error = api_error(status(410, "Expired", metadata=ListMeta(continue_="token")))
    assert isinstance(error, errors.Gone)
    assert isinstance(error, errors.Expired)
    assert error.continue_ == "token"


def test_an_error_says_what_the_server_said():
    causes = [StatusCause(reason="FieldValueInvalid", message="bad", field="spec.x")]
    details = StatusDetails(name="x", causes=causes, retry_after_seconds=3)
    error = api_error(status(422, "Invalid", details=details), REQUEST)
    assert (error.code, error.reason, error.message) == (422, "Invalid", "the words")
    assert error.details is details
    assert error.causes == causes
    assert error.retry_after == 3
    assert error.has_cause("FieldValueInvalid")
    assert not error.has_cause("Other")
    assert str(error) == "GET /api/v1/pods/x: the words (422 Invalid)"


def test_an_error_without_words_has_some():
    assert str(api_error(Status(code=418))) == "the server answered 418 (418 ApiError)"
    assert str(api_error(Status())) == "the server answered with an error (0 ApiError)"
    assert api_error(Status()).causes == []
    assert api_error(Status()).retry_after is None


def test_a_deadline_is_a_timeout_error():
    assert isinstance(errors.RequestTimeout("late"), TimeoutError)


def test_an_error_about_a_secret_does_not_quote_it():
    words = (
        'Secret "s" is invalid: patch: Invalid value: "{\\"data\\":{\\"q\\":\\"aHVudGVyMg==\\"}}"'
    )
    status = Status(status="Failure", reason="Invalid", code=422, message=words)
    where = errors.RequestInfo("PATCH", "/api/v1/namespaces/default/secrets/s")

    error = errors.api_error(status, where)

    assert "aHVudGVyMg" not in f"{error} {error!r}"
    assert 'Secret "s" is invalid' in str(error)
    assert error.message == words
