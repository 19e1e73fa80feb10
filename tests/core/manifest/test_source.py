"""Spec 01, Processing order 1: YAML with positions, identical with and without libyaml."""

import time

import pytest

from awp_core.diagnostics.model import Location, Severity
from awp_core.manifest.scanner import has_libyaml
from awp_core.manifest.source import Document, parse_document

FLOW = """\
awp: 1.0.0
workflow:
  name: demo   # a comment
  tags: [a, "b c", 1.10]
graph:
  - id: first
    source: |
      import math

      def main():
          return {}
  - id: second
    quoted: "x"
"""


@pytest.fixture(params=[True, False], ids=["libyaml", "pure"])
def parse(request):
    if request.param and not has_libyaml():
        pytest.skip("PyYAML was built without libyaml")

    def parse(text, name="flow.awp.yaml", **options) -> Document:
        return parse_document(text, name, use_libyaml=request.param, **options)

    return parse


def place(document, path, *, key=False):
    location = document.locate(path, key=key)
    return location.line, location.column


def messages(document):
    return [f"{f.location.line}:{f.location.column} {f.message}" for f in document.problems]


def value(parse, text):
    document = parse(f"v: {text}\n")
    assert document.problems == ()
    return document.data["v"]


def test_reads_plain_data(parse):
    document = parse(FLOW)
    assert document.problems == ()
    assert document.data == {
        "awp": "1.0.0",
        "workflow": {"name": "demo", "tags": ["a", "b c", 1.1]},
        "graph": [
            {"id": "first", "source": "import math\n\ndef main():\n    return {}\n"},
            {"id": "second", "quoted": "x"},
        ],
    }


def test_knows_where_every_value_and_key_stands(parse):
    document = parse(FLOW)
    assert place(document, ()) == (1, 1)
    assert place(document, ("awp",)) == (1, 6)
    assert place(document, ("awp",), key=True) == (1, 1)
    assert place(document, ("workflow",)) == (3, 3)
    assert place(document, ("workflow",), key=True) == (2, 1)
    assert place(document, ("workflow", "tags", 1)) == (4, 13)
    assert place(document, ("graph", 1, "id")) == (12, 9)
    assert place(document, ("graph", 1, "quoted"), key=True) == (13, 5)
    assert document.locate(("awp",)) == Location("flow.awp.yaml", 1, 6)


def test_locates_a_missing_path_at_its_nearest_ancestor(parse):
    document = parse(FLOW)
    assert place(document, ("graph", 1, "nope")) == (12, 5)
    assert place(document, ("graph", 1, "nope"), key=True) == (12, 5)
    assert place(document, ("graph", 7, "id")) == (6, 3)
    assert place(document, ("workflow", "name", "deeper", 3)) == (3, 9)
    assert place(document, ("workflow", 0)) == (3, 3)
    assert place(document, ("graph", -1)) == (6, 3)


def test_an_empty_value_stands_behind_its_key(parse):
    assert place(parse("a:\nb: {c: }\n"), ("a",)) == (1, 2)
    assert place(parse("a:\nb: {c: }\n"), ("b", "c")) == (2, 6)


def test_shifts_lines_below_a_cell_magic(parse):
    document = parse("a: 1\nb: {a: 1, a: 2}\n", "cell greet", first_line=2)
    assert str(document.locate(("b",))) == "cell greet:3:4"
    assert document.source_line(3) == "b: {a: 1, a: 2}"
    assert document.source_line(1) == ""
    assert messages(document) == ["3:11 the key 'a' is there twice, in line 3 and in line 3"]
    assert document.problems[0].source_line == "b: {a: 1, a: 2}"


def test_builds_a_finding_for_a_path(parse):
    finding = parse(FLOW).finding("N1", Severity.WARNING, ("graph", 1, "id"), "odd", hint="why", key=True)
    assert (finding.rule, finding.severity, finding.message, finding.hint) == (
        "N1",
        Severity.WARNING,
        "odd",
        "why",
    )
    assert finding.location == Location("flow.awp.yaml", 12, 5)
    assert finding.source_line == "  - id: second"


def test_quotes_scalars_as_they_are_written(parse):
    document = parse(FLOW + "t: !!str 012\na: &x 1.50\nb: *x\n")
    assert document.scalar_text(("workflow", "tags", 2)) == "1.10"
    assert document.scalar_text(("workflow", "tags", 1)) == '"b c"'
    assert document.scalar_text(("workflow", "name")) == "demo"
    assert document.scalar_text(("t",)) == "012"
    assert document.scalar_text(("b",)) == "1.50"
    assert document.scalar_text(("workflow",)) is None
    assert document.scalar_text(("nope",)) is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("s: |\n  a\n", 2),
        ("s: |-2  # code\n\n  a\n", 2),
        ("\n\ns: &x |\n  a\n", 4),
        ("s: !!str\n  |\n  a\n", 3),
        ("s: >\n  a\n", None),
        ("s: 'a'\n", None),
        ("s: a\n", None),
        ("s: [a]\n", None),
    ],
)
def test_finds_the_first_line_of_a_literal_block(parse, text, line):
    assert parse(text).block_scalar_line(("s",)) == line


def test_maps_block_lines_below_a_magic(parse):
    assert parse("s: |\n  a\n", first_line=5).block_scalar_line(("s",)) == 6


@pytest.mark.parametrize("text", ["yes", "no", "on", "off", "Y", "n", "NO", "012", "1_000", "0x1F", "0o7",
                                  "12:30:45", "2026-01-02", "2026-01-02T03:04:05Z", "1.2.3", "01.5", "+", "-",
                                  "1e", ".", "truE", "nil", "=", "1,000", "٣"])  # fmt: skip
def test_keeps_surprising_words_as_text(parse, text):
    if text in {"-"}:
        text = "-x"
    assert value(parse, text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True), ("True", True), ("TRUE", True), ("false", False), ("FALSE", False),
        ("null", None), ("~", None), ("", None),
        ("0", 0), ("-7", -7), ("+7", 7), ("120", 120),
        ("1.10", 1.1), ("1e3", 1000.0), ("-.5", -0.5), ("2.", 2.0), ("1.5E-2", 0.015), (".inf", float("inf")),
        ("-.INF", float("-inf")), ("!!str 12", "12"), ("!!float 1", 1.0), ("! 12", "12"), ("'12'", "12"),
        ("!!int 7", 7), ("!!int '7'", 7),
    ],
)  # fmt: skip
def test_reads_core_scalars(parse, text, expected):
    result = value(parse, text)
    assert result == expected
    assert type(result) is type(expected)


def test_reads_nan(parse):
    result = value(parse, ".nan")
    assert result != result


def test_keys_are_text_as_written(parse):
    document = parse("on: 1\n1: a\n1.10: b\ntrue: c\n~: d\n!!int 3: e\n&k 4.50: f\n*k : g\n'no': h\n")
    assert list(document.data) == ["on", "1", "1.10", "true", "~", "3", "4.50", "no"]
    assert messages(document) == ["8:1 the key '4.50' is there twice, in line 7 and in line 8"]
    assert place(document, ("1.10",), key=True) == (3, 1)


def test_reports_every_duplicate_key_with_both_lines(parse):
    document = parse("a: 1\nb:\n  c: 1\n  c: 2\na: 3\na: 4\n")
    assert messages(document) == [
        "4:3 the key 'c' is there twice, in line 3 and in line 4",
        "5:1 the key 'a' is there twice, in line 1 and in line 5",
        "6:1 the key 'a' is there twice, in line 1 and in line 6",
    ]
    assert {f.rule for f in document.problems} == {"M6"}
    assert document.data == {"a": 1, "b": {"c": 1}}


def test_a_number_key_and_the_same_text_are_duplicates(parse):
    assert messages(parse("1: a\n'1': b\n")) == ["2:1 the key '1' is there twice, in line 1 and in line 2"]


def test_anchors_aliases_and_merge_keys_work(parse):
    document = parse("base: &b\n  x: 1\n  y: 2\nuse:\n  <<: *b\n  y: 3\nagain: *b\n")
    assert document.problems == ()
    assert document.data == {"base": {"x": 1, "y": 2}, "use": {"x": 1, "y": 3}, "again": {"x": 1, "y": 2}}
    assert place(document, ("use", "x")) == (2, 6)
    assert place(document, ("use", "x"), key=True) == (2, 3)
    assert place(document, ("use", "y")) == (6, 6)
    assert place(document, ("again", "y")) == (3, 6)
    assert place(document, ("again",), key=True) == (7, 1)


def test_of_several_merged_mappings_the_first_wins(parse):
    document = parse("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b], z: 3}\n")
    assert document.data["c"] == {"x": 1, "y": 2, "z": 3}


def test_a_quoted_merge_key_is_a_plain_key(parse):
    assert parse("'<<': 1\n").data == {"<<": 1}


def test_refuses_to_merge_what_is_no_mapping(parse):
    assert messages(parse("a:\n  <<: 3\n")) == ["2:7 '<<' merges mappings, and this is none"]


def test_an_unknown_alias_names_the_nearest_anchor(parse):
    document = parse("a: &base 1\nb: *bas\n")
    assert messages(document) == ["2:4 the alias '*bas' has no anchor '&bas' before it"]
    assert document.problems[0].hint == "did you mean '*base'?"


def test_refuses_an_alias_bomb(parse):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    document = parse("\n".join(lines))
    assert document.data is None
    assert [f.message for f in document.problems] == ["the document holds more than 250,000 keys and values"]
    assert document.problems[0].location.line == 6


def test_refuses_a_merge_bomb(parse):
    lines = [f"a: &a {{{', '.join(f'k{n}: 1' for n in range(1000))}}}", "b:"]
    lines += ["  - <<: *a"] * 500
    document = parse("\n".join(lines))
    assert [f.message for f in document.problems] == ["the document holds more than 250,000 keys and values"]


def test_refuses_too_many_values_without_aliases(parse):
    text = "a: [" + "x, " * 125_000 + "]\nb: {" + "".join(f"k{n}: y, " for n in range(62_500)) + "}\n"
    document = parse(text)
    assert messages(document)[0].endswith("the document holds more than 250,000 keys and values")
    assert parse("[" + "x, " * 249_999 + "]").problems == ()


def test_lists_two_hundred_problems_at_most(parse):
    document = parse("a: 1\n" * 500)
    assert len(document.problems) == 201
    assert document.problems[-1].message == "more than 200 problems; the rest is not listed"


def test_shortens_hostile_names_in_messages(parse):
    document = parse(f"a: *{'x' * 10_000}\nb: !{'y' * 10_000} 1\n'{'z' * 900}': 1\n'{'z' * 900}': 1\n")
    assert len(document.problems) == 3
    assert all(len(f.message) < 250 for f in document.problems)


def test_refuses_a_value_that_contains_itself(parse):
    document = parse("a: &a\n  - *a\n")
    assert messages(document) == ["2:5 the alias '*a' stands inside the value it refers to"]
    assert document.data is None


@pytest.mark.parametrize("text", ["[" * 5000, "{a: " * 5000, "- " * 5000, "[" * 101 + "]" * 101])
def test_refuses_deep_nesting(parse, text):
    document = parse(text)
    assert [f.message for f in document.problems] == ["nested more than 100 levels deep"]


def test_refuses_deep_nesting_made_of_aliases(parse):
    lines = ["- &a0 []"] + [f"- &a{n} [*a{n - 1}]" for n in range(1, 300)]
    assert [f.message for f in parse("\n".join(lines)).problems] == ["nested more than 100 levels deep"]


def test_reads_a_hundred_levels(parse):
    assert parse("[" * 100 + "]" * 100).problems == ()


def test_refuses_several_documents(parse):
    document = parse("---\na: 1\n---\nb: 2\n")
    assert messages(document) == ["3:1 a second document starts here; a file holds exactly one"]
    assert document.data is None


def test_reads_a_document_with_markers(parse):
    assert parse("%YAML 1.2\n---\na: 1\n...\n").data == {"a": 1}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n", "~\n", "\ufeff"])
def test_reports_an_empty_document(parse, text):
    document = parse(text)
    assert [f.message for f in document.problems] == ["the document is empty"]
    assert document.locate(("a",)) == Location("flow.awp.yaml", 1, 1)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("a: !!python/object/apply:os.system ['true']\n", "!!python/object/apply:os.system"),
        ("a: !!python/name:os.system x\n", "!!python/name:os.system"),
        ("a: !!binary aGk=\n", "!!binary"),
        ("a: !!set {x, y}\n", "!!set"),
        ("a: !mine 1\n", "!mine"),
        ("a: !!timestamp 2026-01-02\n", "!!timestamp"),
        ("a: !!seq {}\n", "!!seq"),
    ],
)
def test_refuses_every_tag_but_the_core_ones(parse, text, tag):
    document = parse("x: 1\n" + text)
    (finding,) = document.problems
    assert repr(tag) in finding.message
    assert (finding.location.line, finding.location.column) == (2, 4)


def test_refuses_a_value_that_does_not_fit_its_tag(parse):
    assert messages(parse("a: !!int 012\nb: !!bool yes\nc: !!null x\n")) == [
        "1:4 '012' is no int",
        "2:4 'yes' is no bool",
        "3:4 'x' is no null",
    ]


def test_bounds_the_length_of_numbers(parse):
    assert value(parse, "9" * 400) == int("9" * 400)
    started = time.monotonic()
    document = parse("a: " + "9" * 1_000_000)
    assert time.monotonic() - started < 60  # a guard against hanging, not a measurement
    assert [f.message for f in document.problems] == ["a number of 1000000 characters; at most 400 are allowed"]


@pytest.mark.parametrize("use", [b"\xef\xbb\xbf", "\ufeff"])
def test_skips_a_byte_order_mark(parse, use):
    document = parse(use + (b"a: 1\n" if isinstance(use, bytes) else "a: 1\n"))
    assert document.data == {"a": 1}
    assert place(document, ("a",)) == (1, 4)


def test_keeps_the_text_as_given(parse):
    assert parse("\ufeffa: 1\r\n").text == "\ufeffa: 1\r\n"


def test_counts_characters_beyond_ascii_once(parse):
    document = parse("é: {漢字: 1, 😀: two}\n".encode())
    assert document.data == {"é": {"漢字": 1, "😀": "two"}}
    assert place(document, ("é", "😀")) == (1, 15)


def test_windows_line_ends_are_line_ends(parse):
    document = parse("a: 1\r\nb: |\r\n  x\r\n  y\r\n")
    assert document.data == {"a": 1, "b": "x\ny\n"}
    assert place(document, ("b",)) == (2, 4)
    assert document.source_line(3) == "  x"


def test_only_line_feeds_break_lines(parse):
    document = parse("a: x\u2028y\x85z\u2029\nb: 1\n")
    assert document.data == {"a": "x\u2028y\x85z\u2029", "b": 1}
    assert place(document, ("b",)) == (2, 4)


def test_a_question_mark_inside_a_flow_list_is_text(parse):
    document = parse("a: [really?, 'no?', what? now, https://x.example/?q=1]\n")
    assert document.data == {"a": ["really?", "no?", "what? now", "https://x.example/?q=1"]}


def test_joins_the_surrogate_pairs_of_json(parse):
    assert value(parse, r'"\ud83d\ude00"') == "😀"


def test_refuses_half_a_surrogate_pair(parse):
    assert messages(parse('a: "\\ud83d"\n')) == ["1:4 half of a surrogate pair is no character"]


def test_reports_bytes_that_are_not_utf_8(parse):
    document = parse(b"a: 1\nb: caf\xe9\n")
    assert messages(document) == ["2:7 the byte 0xe9 is not UTF-8"]
    assert document.data is None


@pytest.mark.parametrize("char", ["\0", "\x07", "\x1b", "\x7f", "\x9b", "\ufffe", "\ud800", "\ufeff"])
def test_reports_control_characters(parse, char):
    document = parse(f"a: 1\nb: x{char}\n")
    assert messages(document) == [f"2:5 the character U+{ord(char):04X} is not allowed in YAML"]
    assert document.data is None


@pytest.mark.parametrize("kind", [str, bytes])
def test_refuses_more_than_five_mebibytes(parse, kind):
    text = "a: " + "x" * (5 * 1024 * 1024 - 3)
    assert parse(text if kind is str else text.encode()).problems == ()
    text += "é"
    document = parse(text if kind is str else text.encode())
    assert [f.message for f in document.problems] == ["the document is larger than 5 MiB"]
    assert document.data is None


def test_counts_the_size_in_bytes(parse):
    assert [f.message for f in parse("é" * (3 * 1024 * 1024)).problems] == ["the document is larger than 5 MiB"]


def test_collects_problems_before_a_syntax_error(parse):
    document = parse("a: 1\na: 2\nb: *nope\nc: ]\n")
    assert [f.location.line for f in document.problems] == [2, 3, 4]
    assert document.data is None
