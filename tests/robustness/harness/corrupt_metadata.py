# SPDX-License-Identifier: Apache-2.0

"""Tables whose schema or domain metadata is damaged, and all that people do with a table."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from robustness.harness.corrupt_stats import ODD_KEYS, WRONG
from robustness.harness.corrupt_tables import (
    CONTENTS,
    SCHEMA,
    SWITCH,
    line,
    metadata,
    outcome,
    protocol,
    struct,
)
from support.tables import Json, Table, clear_log_cache, collated, field, setting

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from robustness.harness.corrupt_tables import Findings, Sound

NAMES = [
    "a.b", "`", "a`b", "'", '"', "\\", "é", "日本", ".", "..", ".element", "element", "\u0000",
    "line\nbreak", "\u202e", "$c$", "${x}", "<c>", "%s", "'; DROP TABLE t; --", "x" * 300, "\ud800",
    "fields", "__COLLATIONS", "name.element", "İ", "\u017f", "NAME", "\x1b[31m",
]  # fmt: skip
STRINGS = {"type": "array", "elementType": "string", "containsNull": True}


def odd_collations(chance: random.Random) -> str:
    """Let what says the collations of a field be of a wrong form."""
    entries = chance.choice([*WRONG, "icu.de", {"name": chance.choice(WRONG)}, {"low": "icu.de"}])
    return _schema(field("name", "string", __COLLATIONS=entries))


def odd_paths(chance: random.Random) -> str:
    steps = chance.choice(
        ["", ".", "..", ".element", ".element.", ".key", "..element", ".value.key"]
    )
    entries = {chance.choice(["tags", *NAMES]) + steps: "icu.de"}
    return _schema(SCHEMA[0], field("tags", STRINGS, __COLLATIONS=entries))


def odd_identifiers(chance: random.Random) -> str:
    return _schema(collated("name", chance.choice(ODD_KEYS).format(v="78.3")))


def odd_names(chance: random.Random) -> str:
    name = chance.choice(NAMES)
    return _schema(
        SCHEMA[0], collated(name, chance.choice(["icu.de", "acme.X", "spark.UTF8_LCASE"]))
    )


def our_own_mark(chance: random.Random) -> str:
    """Let the log hold what only the memory of a session should."""
    aside = chance.choice([*WRONG, "no JSON", '{"strings":{"":{"written":7}},"others":[]}', "[]"])
    mark = {"__COLLATIONS": {"name": "icu.UNICODE_CI"}, "__COLLATIONS_AS_WRITTEN": aside}
    return _schema(field("name", "string", **mark))


def said_twice(chance: random.Random) -> str:
    first, second = (chance.choice(["icu.de", "icu.UNICODE_CI", "acme.X"]) for _ in range(2))
    entries = f'{{"name": "{first}", "name": "{second}"}}'
    return _schema(field("name", "string", __COLLATIONS="HERE")).replace('"HERE"', entries)


def odd_metadata(chance: random.Random) -> str:
    broken = {**SCHEMA[0], "metadata": chance.choice([*WRONG, "__COLLATIONS"])}
    return _schema(broken, collated("more", "icu.de"))


def deep(chance: random.Random) -> str:
    data_type: Any = "string"
    depth = chance.choice([20, 90])
    for _ in range(depth):
        data_type = {"type": "array", "elementType": data_type, "containsNull": True}
    path = "deep" + ".element" * chance.choice([depth, depth + 1, depth - 1])
    return _schema(SCHEMA[0], field("deep", data_type, __COLLATIONS={path: "icu.de"}))


def too_deep(chance: random.Random) -> str:
    depth = chance.choice([1100, 10_000])
    entries = "[" * depth + "]" * depth
    return _schema(field("name", "string", __COLLATIONS="HERE")).replace('"HERE"', entries)


def many_entries(_: random.Random) -> str:
    entries = {"name": "icu.UNICODE_CI"} | {f"n{number}": "icu.de" for number in range(100_000)}
    return _schema(field("name", "string", __COLLATIONS=entries))


def truncated(chance: random.Random) -> str:
    text = _schema(SCHEMA[0])
    return text[: chance.randrange(len(text))]


def _schema(*fields: Json) -> str:
    return json.dumps(struct([*fields, *SCHEMA[1:]]))


SCHEMAS = [
    odd_collations, odd_paths, odd_identifiers, odd_names, our_own_mark, said_twice, odd_metadata,
    deep, too_deep, many_entries, truncated,
]  # fmt: skip


def domain(chance: random.Random) -> str:
    """Return a configuration of the domain that no writer should leave."""
    key = chance.choice([*ODD_KEYS, "icu.UNICODE_CI"])
    lists: list[Any] = [*WRONG, "78.3", ["78.3", 7, None], [["78.3"]], ["9" * 5000], {"78.3": 1}]
    kinds = [
        json.dumps({"writeVersions": {key: chance.choice(lists)}, key: chance.choice(WRONG)}),
        json.dumps({"writeVersions": chance.choice(lists), "readVersions": chance.choice(lists)}),
        json.dumps({"writeVersions": {"icu.UNICODE_CI": ["78.3"]}})[: chance.randrange(46)],
        '{"writeVersions":' + "[" * 10_000 + "]" * 10_000 + "}",
        json.dumps({"writeVersions": {f"icu.n{n}": ["1"] for n in range(2000)}}),
        '{"writeVersions":{"icu.de":["1"],"icu.de":["2"]}}',
        chance.choice(["", "null", "[]", "7", "\u0000", "\ud800", "'; DROP TABLE t; --"]),
    ]
    return chance.choice(kinds)


def write(sound: Sound, path: Path, schema: str, configuration: str | None) -> Table:
    """Write a table of one sound file under a damaged schema or domain."""
    (path / "_delta_log").mkdir(parents=True)
    file = sound.files[0]
    os.link(sound.table.path / file["path"], path / "0.parquet")
    add = {
        "path": "0.parquet",
        "partitionValues": {},
        "size": file["size"],
        "modificationTime": 1767611870645,
        "dataChange": True,
        "stats": json.dumps(file["stats"]),
    }
    actions: list[Json] = [protocol(), metadata(schema), {"add": add}]
    if configuration is not None:
        said = {"domain": "collations", "configuration": configuration, "removed": False}
        actions.append({"domainMetadata": said})
    (path / "_delta_log" / f"{0:020}.json").write_bytes(b"".join(map(line, actions)))
    return Table(sound.table.spark, path)


STATEMENTS = [
    'SELECT * FROM collation_status("{t}")',
    'SELECT * FROM collation_columns("{t}")',
    "SELECT * FROM collation_explain(\"{t}\", \"name = 'BOB'\")",
    "ANALYZE TABLE {t} COMPUTE DELTA STATISTICS",
    "INSERT INTO {t} (low) VALUES ('new')",
    "DELETE FROM {t} WHERE name = 'ANNA'",
    "ALTER TABLE {t} ADD COLUMN late INT",
    "UPDATE {t} SET low = 'NEW' WHERE low = 'NEW'",
]  # fmt: skip


def tried(table: Table, findings: Findings, *, is_sound: bool) -> None:
    """Do all that people do; what can be read is read right, before and after.

    Where the schema is sound nothing may fail. Else a failure is told in words, or is not ours.
    """
    what = f"{table.path.name}"

    def run(statement: str) -> list[Any] | None:
        started = time.monotonic()
        found, wrong = outcome(lambda: table.sql(statement).collect())
        findings.timed(statement, time.monotonic() - started)
        if wrong is not None:
            findings.wrong.append(f"{what}: {statement}: {wrong}")
        elif found is None and is_sound:
            findings.wrong.append(f"{what}: {statement} fails")
        rows: list[Any] | None = found
        return rows

    before = run("SELECT low FROM {t}")
    if before is None:
        return
    if sorted(row[0] for row in before) != sorted(map(str, CONTENTS[0])):
        findings.wrong.append(f"{what}: {before}")
    found = run("SELECT low FROM {t} WHERE name = 'BOB'")
    with setting(table.spark, SWITCH, "false"):
        if found != run("SELECT low FROM {t} WHERE name = 'BOB'"):
            findings.wrong.append(f"{what}: skipping changes what is found: {found}")
    done = {statement: run(statement) is not None for statement in STATEMENTS}
    after = run("SELECT low FROM {t}")
    if after is None:
        # With half a character in a name, what Delta remembers is not what it wrote.
        clear_log_cache(table)
        after = run("SELECT low FROM {t}")
    names = {row[0] for row in after or ()}
    expected = {"zoë"} | ({"NEW"} if done[STATEMENTS[7]] and done[STATEMENTS[4]] else set())
    if not expected <= names:
        findings.wrong.append(f"{what}: {expected} is not in {names}")


def next_table(
    sound: Sound, folder: Path, chance: random.Random, number: int, findings: Findings
) -> None:
    """Try one damaged schema, and one damaged domain under a sound schema."""
    # Each kind in its turn, so that a short run has them all.
    kind = SCHEMAS[number % len(SCHEMAS)]
    findings.cases[f"schema: {kind.__name__}"] += 1
    table = write(sound, folder / f"schema {number} {kind.__name__}", kind(chance), None)
    tried(table, findings, is_sound=False)
    findings.cases["domain metadata"] += 1
    sound_schema = json.dumps(struct(SCHEMA))
    table = write(sound, folder / f"domain {number}", sound_schema, domain(chance))
    tried(table, findings, is_sound=True)
