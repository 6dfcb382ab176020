"""Validation rules in CEL: what they may be, what they see, and when they apply."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clientgen._apiextensions.cel import RuleTree, check_rules
from clientgen._apiextensions.correlation import Pair
from clientgen._apiextensions.structure import Structure

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
MEMBERS: dict[str, Any] = {
    "a": NUMBER,
    "s": TEXT,
    "d": {"type": "number"},
    "l": {"type": "array", "items": TEXT},
    "o": {"type": "array", "items": {"type": "object", "properties": {"k": TEXT, "my-x": NUMBER}}},
    "m": {"type": "object", "additionalProperties": NUMBER},
    "deep": {"type": "array", "items": {"type": "array", "items": NUMBER}},
    "port": {"x-kubernetes-int-or-string": True},
    "when": {"type": "string", "format": "date-time"},
    "day": {"type": "string", "format": "date"},
    "span": {"type": "string", "format": "duration"},
    "bytes": {"type": "string", "format": "byte"},
    "none": {"type": "string", "nullable": True},
    "namespace": TEXT,
    "fooBar": TEXT,
    "foo_bar": TEXT,
}
VALUE: dict[str, Any] = {
    "a": 1,
    "s": "abc",
    "d": 2,
    "l": ["a", "b"],
    "o": [{"k": "x", "my-x": 3}],
    "m": {"k": 1},
    "deep": [[1]],
    "port": 80,
    "when": "2020-05-01T10:00:00Z",
    "day": "2020-05-01",
    "span": "90m",
    "bytes": "YWI=",
    "none": None,
    "namespace": "n",
    "fooBar": "",
}


def ruled(*rules: dict[str, Any] | str, **schema: Any) -> Structure:
    written = [{"rule": each} if isinstance(each, str) else each for each in rules]
    raw = {"type": "object", "properties": MEMBERS, "x-kubernetes-validations": written}
    return Structure({**raw, **schema})


def broken(structure: Structure, value: Any, old: Any = None) -> list[str]:
    tree = RuleTree.of(structure)
    assert tree is not None
    pair = None if old is None else Pair(value, old, structure)
    return [
        f"{cause.reason.removeprefix('FieldValue')} {cause}"
        for cause in tree.validate(value, old, "spec", pair)
    ]


TRUE = """
self.a < 1.5 && 1 > 0.5
self.d == 2.0
self.l.all(x, x.startsWith('a') || x == 'b')
self.o.exists(x, x.k == 'x' && x.my__dash__x == 3)
self.m.exists(k, v, k == 'k' && v == 1)
self.m.k == 1 && self.m['k'] == 1
self.deep[0][0] == 1
type(self.port) == int && self.port == 80
self.when.getFullYear() == 2020 && self.when > timestamp('2019-01-01T00:00:00Z')
self.day < self.when
self.span == duration('1h30m') && self.span.getMinutes() == 90
self.bytes == b'ab' && size(self.bytes) == 2
!has(self.none) && !has(self.foo_bar) && has(self.fooBar)
self.__namespace__ == 'n'
has(self.namespace) && self.namespace == 'n' && self.?namespace.hasValue()
self.?foo_bar.orValue('none') == 'none' && self.l[?5].orValue('') == ''
self.l.indexOf('b') == 1 && self.l.lastIndexOf('z') == -1 && self.s.indexOf('c') == 2
[1, 2].sum() == 3 && self.l.isSorted() && self.l.max() == 'b' && [].sum() == 0
[duration('1s'), duration('2s')].sum() == duration('3s')
quantity('1.5Gi').compareTo(quantity('1Gi')) == 1 && quantity('1Gi') == quantity('1024Mi')
sign(quantity('1').sub(2)) == -1 && quantity('2').add(quantity('1')).asInteger() == 3
!isQuantity('1Zi') && isURL('http://x/') && isIP('::1') && !isCIDR('1.2.3.4/33')
url('https://u:p@h.example.com:8080/a%20b?x=1&x=2').getHostname() == 'h.example.com'
url('https://h:8080/?x=1&x=2').getQuery()['x'] == ['1', '2']
url('https://[::1]:80/').getPort() == '80' && url('/a').getScheme() == ''
ip('10.0.0.1').family() == 4 && ip('10.0.0.1').isGlobalUnicast() && ip('::1').isLoopback()
cidr('10.1.0.0/8').masked() == cidr('10.0.0.0/8') && cidr('10.0.0.0/8').prefixLength() == 8
cidr('10.0.0.0/8').containsIP('10.1.1.1') && !cidr('10.0.0.0/8').containsCIDR('::/0')
string(ip('10.0.0.1')) == '10.0.0.1' && string(ip('::1')) + ' string(' == '::1 string('
string(cidr('::1/64').ip()) == '::1' && string(cidr('10.0.0.0/8')) == '10.0.0.0/8'
isIP('::1') && ip('::1') == ip('::1') && string(self.a) == '1' && string(self.span) == '5400s'
ip.isCanonical('::1') && ip('224.0.0.1').isLinkLocalMulticast() && cidr('::1/64').ip() == ip('::1')
semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))
semver('v1', true).major() == 1 && semver('1.2.3').patch() == 3 && !isSemver('1.0')
'abc123d45'.find('[0-9]+') == '123' && 'a1b2'.findAll('[0-9]', 1) == ['1']
'%s|%d|%.1f|%x|%e'.format([self.l, 3, 1.25, 255, 1.5]) == '["a", "b"]|3|1.2|ff|1.500000\\u00d710⁰⁰'
'a,b,c'.split(',', 2) == ['a', 'b,c'] && ['a', 'b'].join('-') == 'a-b' && ' a '.trim() == 'a'
'aXb'.replace('X', '') == 'ab' && 'Ab'.lowerAscii() == 'ab' && 'hé'.charAt(1) == 'é'
strings.quote('a"b') == '"a\\\\"b"' && 'hello'.substring(1, 3) == 'el'
self.s != "duration('x')" // nor duration('y')
sets.contains(self.l, ['a']) && [3, 1].sort() == [1, 3] && [1, 2].slice(0, 1) == [1]
self.l.transformList(i, v, string(i) + v) == ['0a', '1b']
self.s.matches('^[a-z]+$')
!format.dns1123Label().validate(self.s).hasValue() && format.uuid().validate(self.s).hasValue()
format.named('dns1035LabelPrefix').value().validate('a-') == optional.none()
!format.named('nothing').hasValue() && format.labelValue().validate(')').orValue([]).size() == 1
self.s != "format.named('x').validate(y)" && format . uuid ( ) . validate ( self.s ) != null
format.date().validate('2020-01-01').or(format.byte().validate(string(1))).hasValue()
!format.datetime().validate('2020-01-01T00:00:00Z').or(format.uri().validate('/a')).hasValue()
oldSelf.a == self.a
"""


@pytest.mark.parametrize("rule", TRUE.strip().splitlines())
def test_rules_see_values_typed_by_the_schema(rule: str) -> None:
    structure = ruled(rule)
    assert check_rules(structure, "p") == []
    assert broken(structure, VALUE, VALUE) == []


BAD = r"""
self.b > 0
self.zz
self.a
self.a == 'x'
self.s > 1
self.o.all(x, x.q == 1)
self.when == 'x'
quantity(3) == quantity('3')
foo()
self.a +
self.s.matches('(')
duration('x') == self.span
oldSelf.zz == 1
cel.bind(x, 1, x == 1)
{'a': 1}.transformMap(k, v, v) == {}
string(self.l) == ''
string(quantity('1')) == string(ip('::1'))
format.dns1123().validate('a').hasValue()
format.uuid().validate(self.s)
format.uuid().validate(self.s
authorizer.path('/').check('get').allowed()
"""


@pytest.mark.parametrize("rule", BAD.strip().splitlines())
def test_bad_and_unsupported_rules_are_refused(rule: str) -> None:
    causes = check_rules(ruled(rule), "p")
    assert [(cause.reason, cause.field) for cause in causes] == [
        ("FieldValueInvalid", "p.x-kubernetes-validations[0].rule")
    ]


def test_a_message_has_to_be_a_string() -> None:
    causes = check_rules(ruled({"rule": "true", "messageExpression": "self.a"}), "p")
    assert [cause.field for cause in causes] == ["p.x-kubernetes-validations[0].messageExpression"]


def test_old_values_have_to_belong_together() -> None:
    causes = check_rules(ruled("self == oldSelf"), "p.items", "p")
    assert "uncorrelatable" in causes[0].message


def test_optional_old_values_are_for_rules_that_use_them() -> None:
    causes = check_rules(ruled({"rule": "self.a > 0", "optionalOldSelf": True}), "p")
    assert [cause.field for cause in causes] == ["p.x-kubernetes-validations[0].optionalOldSelf"]


def test_a_broken_rule_is_told_in_its_own_words() -> None:
    structure = ruled(
        {"rule": "self.a > 5", "message": "too few", "fieldPath": ".a"},
        {
            "rule": "self.s == ''",
            "messageExpression": "'s was ' + self.s",
            "reason": "FieldValueForbidden",
        },
        {"rule": "self.d == 0.0", "reason": "FieldValueRequired", "message": "set d"},
        "self.m.zz == 1",
        "self.l.size() == 0",
    )  # fmt: skip
    assert broken(structure, VALUE) == [
        "Invalid spec.a: Invalid value: too few",
        "Forbidden spec: Forbidden: s was abc",
        "Required spec: Required value: set d",
        ('Invalid spec: Invalid value: "object": no such key: zz evaluating rule: self.m.zz == 1'),
        "Invalid spec: Invalid value: failed rule: self.l.size() == 0",
    ]


def test_rules_about_changes_wait_for_a_change() -> None:
    inner = {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}
    structure = Structure({"type": "object", "properties": {"kind": inner}})
    assert broken(structure, {"kind": "a"}) == []
    assert broken(structure, {"kind": "a"}, {}) == []
    assert broken(structure, {"kind": "b"}, {"kind": "a"}) == [
        'Invalid spec.kind: Invalid value: "b": failed rule: self == oldSelf'
    ]


def test_a_rule_may_ask_whether_there_is_an_old_value() -> None:
    rule = "oldSelf.hasValue() ? oldSelf.value().a <= self.a : self.a == 1 // a comment"
    structure = ruled(
        {"rule": rule, "optionalOldSelf": True, "messageExpression": "'a: ' + string(self.a)"}
    )
    assert check_rules(structure, "p") == []
    assert broken(structure, {"a": 1}) == []
    assert broken(structure, {"a": 2}) == ["Invalid spec: Invalid value: a: 2"]
    assert broken(structure, {"a": 2}, {"a": 1}) == []
    assert broken(structure, {"a": 2}, {"a": 3}) == ["Invalid spec: Invalid value: a: 2"]


def test_rules_stay_broken_where_nothing_changed() -> None:
    structure = ruled("self.a > 5")
    assert broken(structure, {"a": 1}, {"a": 1}) == []
    assert broken(structure, {"a": 2}, {"a": 1}) == [
        "Invalid spec: Invalid value: failed rule: self.a > 5"
    ]


def test_the_root_shows_its_name() -> None:
    raw = {"type": "object", "x-kubernetes-validations": [{"rule": "self.metadata.name == 'a'"}]}
    structure = Structure.of_kind(raw)
    assert check_rules(structure, "p") == []
    tree = RuleTree.of(structure)
    assert tree is not None
    named: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "K",
        "metadata": {"name": "b", "labels": {}},
    }
    assert [cause.field for cause in tree.validate(named, None)] == ["<nil>"]


def test_rules_of_parts_apply_to_each_part() -> None:
    small = {**NUMBER, "x-kubernetes-validations": [{"rule": "self < 5"}]}
    structure = Structure(
        {
            "type": "object",
            "properties": {
                "list": {"type": "array", "items": small},
                "map": {"type": "object", "additionalProperties": small},
            },
        }
    )
    messages = broken(structure, {"list": [1, 9], "map": {"k": 7}})
    assert [each.split()[1] for each in messages] == ["spec.list[1]:", "spec.map[k]:"]


RECORDED: dict[str, str] = json.loads(Path(__file__).with_name("rule_errors.json").read_text())
"""What a real server says of an object on which a rule has no value, by the rule."""
TYPED: dict[str, Any] = {"type": "object", "properties": {"type": TEXT}}
ERRING: dict[str, Any] = {
    "m": {"type": "object", "additionalProperties": TEXT},
    "l": {"type": "array", "items": TEXT},
    "p": {"x-kubernetes-int-or-string": True},
    "s": TEXT,
    "n": NUMBER,
    "o": TYPED,
    "any": {**TYPED, "x-kubernetes-preserve-unknown-fields": True},
    "lo": {"type": "array", "items": TYPED},
}
OF_ERRING: dict[str, Any] = {
    "m": {"k": "v"},
    "l": ["a"],
    "p": "txt",
    "s": "(x",
    "n": 1,
    "o": {"k": "x"},
    "any": {"k": 1},
    "lo": [{}],
}


@pytest.mark.parametrize("rule", RECORDED)
def test_errors_of_rules_have_the_words_of_a_real_server(rule: str) -> None:
    (told,) = broken(ruled(rule, properties=ERRING), OF_ERRING)
    assert told.split("Invalid value: ")[-1] == RECORDED[rule]
