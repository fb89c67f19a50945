# SPDX-License-Identifier: Apache-2.0

"""Checks statements on tables with a corrupt schema or corrupt domain metadata."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from robustness.harness.corrupt_stats import ODD_KEYS, WRONG
from robustness.harness.corrupt_tables import (
    CONTENTS,
    SCHEMA,
    SKIPPING,
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

    from robustness.harness.corrupt_tables import Findings, ValidFiles

NAMES = [
    "a.b", "`", "a`b", "'", '"', "\\", "é", "日本", ".", "..", ".element", "element", "\u0000",
    "line\nbreak", "\u202e", "$c$", "${x}", "<c>", "%s", "'; DROP TABLE t; --", "x" * 300, "\ud800",
    "fields", "__COLLATIONS", "name.element", "İ", "\u017f", "NAME", "\x1b[31m",
]  # fmt: skip
STRINGS = {"type": "array", "elementType": "string", "containsNull": True}


def odd_collations(rng: random.Random) -> str:
    """Return a schema whose collation metadata has a wrong form."""
    entries = rng.choice([*WRONG, "icu.de", {"name": rng.choice(WRONG)}, {"low": "icu.de"}])
    return _schema(field("name", "string", __COLLATIONS=entries))


def odd_paths(rng: random.Random) -> str:
    steps = rng.choice(["", ".", "..", ".element", ".element.", ".key", "..element", ".value.key"])
    entries = {rng.choice(["tags", *NAMES]) + steps: "icu.de"}
    return _schema(SCHEMA[0], field("tags", STRINGS, __COLLATIONS=entries))


def odd_identifiers(rng: random.Random) -> str:
    return _schema(collated("name", rng.choice(ODD_KEYS).format(v="78.3")))


def odd_names(rng: random.Random) -> str:
    name = rng.choice(NAMES)
    return _schema(SCHEMA[0], collated(name, rng.choice(["icu.de", "acme.X", "spark.UTF8_LCASE"])))


def forged_stash(rng: random.Random) -> str:
    """Return a schema with the stash that only the schema in memory may have."""
    stash = rng.choice([*WRONG, "no JSON", '{"strings":{"":{"written":7}},"others":[]}', "[]"])
    metadata_entries = {
        "__COLLATIONS": {"name": "icu.UNICODE_CI"},
        "__COLLATIONS_AS_WRITTEN": stash,
    }
    return _schema(field("name", "string", **metadata_entries))


def duplicate_keys(rng: random.Random) -> str:
    first, second = (rng.choice(["icu.de", "icu.UNICODE_CI", "acme.X"]) for _ in range(2))
    entries = f'{{"name": "{first}", "name": "{second}"}}'
    return _schema(field("name", "string", __COLLATIONS="HERE")).replace('"HERE"', entries)


def odd_metadata(rng: random.Random) -> str:
    broken = {**SCHEMA[0], "metadata": rng.choice([*WRONG, "__COLLATIONS"])}
    return _schema(broken, collated("more", "icu.de"))


def deep(rng: random.Random) -> str:
    data_type: Any = "string"
    depth = rng.choice([20, 90])
    for _ in range(depth):
        data_type = {"type": "array", "elementType": data_type, "containsNull": True}
    path = "deep" + ".element" * rng.choice([depth, depth + 1, depth - 1])
    return _schema(SCHEMA[0], field("deep", data_type, __COLLATIONS={path: "icu.de"}))


def too_deep(rng: random.Random) -> str:
    depth = rng.choice([1100, 10_000])
    entries = "[" * depth + "]" * depth
    return _schema(field("name", "string", __COLLATIONS="HERE")).replace('"HERE"', entries)


def many_entries(_: random.Random) -> str:
    entries = {"name": "icu.UNICODE_CI"} | {f"n{number}": "icu.de" for number in range(100_000)}
    return _schema(field("name", "string", __COLLATIONS=entries))


def truncated(rng: random.Random) -> str:
    text = _schema(SCHEMA[0])
    return text[: rng.randrange(len(text))]


def _schema(*fields: Json) -> str:
    return json.dumps(struct([*fields, *SCHEMA[1:]]))


SCHEMAS = [
    odd_collations, odd_paths, odd_identifiers, odd_names, forged_stash, duplicate_keys,
    odd_metadata, deep, too_deep, many_entries, truncated,
]  # fmt: skip


def domain(rng: random.Random) -> str:
    """Return a corrupt configuration of the ``collations`` domain."""
    key = rng.choice([*ODD_KEYS, "icu.UNICODE_CI"])
    lists: list[Any] = [*WRONG, "78.3", ["78.3", 7, None], [["78.3"]], ["9" * 5000], {"78.3": 1}]
    kinds = [
        json.dumps({"writeVersions": {key: rng.choice(lists)}, key: rng.choice(WRONG)}),
        json.dumps({"writeVersions": rng.choice(lists), "readVersions": rng.choice(lists)}),
        json.dumps({"writeVersions": {"icu.UNICODE_CI": ["78.3"]}})[: rng.randrange(46)],
        '{"writeVersions":' + "[" * 10_000 + "]" * 10_000 + "}",
        json.dumps({"writeVersions": {f"icu.n{n}": ["1"] for n in range(2000)}}),
        '{"writeVersions":{"icu.de":["1"],"icu.de":["2"]}}',
        rng.choice(["", "null", "[]", "7", "\u0000", "\ud800", "'; DROP TABLE t; --"]),
    ]
    return rng.choice(kinds)


def write(valid: ValidFiles, path: Path, schema: str, configuration: str | None) -> Table:
    """Write a table with one valid file and a corrupt schema or domain."""
    (path / "_delta_log").mkdir(parents=True)
    file = valid.files[0]
    os.link(valid.table.path / file["path"], path / "0.parquet")
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
        metadata_of_domain = {
            "domain": "collations",
            "configuration": configuration,
            "removed": False,
        }
        actions.append({"domainMetadata": metadata_of_domain})
    (path / "_delta_log" / f"{0:020}.json").write_bytes(b"".join(map(line, actions)))
    return Table(valid.table.spark, path)


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


def check_statements(table: Table, findings: Findings, *, is_valid: bool) -> None:
    """Run typical statements; queries that succeed must return the right rows.

    With a valid schema, no statement may fail. Otherwise, a failure must have an error condition or
    must not come from our code.
    """
    what = f"{table.path.name}"

    def run(statement: str) -> list[Any] | None:
        started = time.monotonic()
        found, wrong = outcome(lambda: table.sql(statement).collect())
        findings.timed(statement, time.monotonic() - started)
        if wrong is not None:
            findings.wrong.append(f"{what}: {statement}: {wrong}")
        elif found is None and is_valid:
            findings.wrong.append(f"{what}: {statement} fails")
        rows: list[Any] | None = found
        return rows

    before = run("SELECT low FROM {t}")
    if before is None:
        return
    if sorted(row[0] for row in before) != sorted(map(str, CONTENTS[0])):
        findings.wrong.append(f"{what}: {before}")
    found = run("SELECT low FROM {t} WHERE name = 'BOB'")
    with setting(table.spark, SKIPPING, "false"):
        if found != run("SELECT low FROM {t} WHERE name = 'BOB'"):
            findings.wrong.append(f"{what}: skipping changes the result: {found}")
    done = {statement: run(statement) is not None for statement in STATEMENTS}
    after = run("SELECT low FROM {t}")
    if after is None:
        # If a name has a lone surrogate, the state that Delta caches differs from its log.
        clear_log_cache(table)
        after = run("SELECT low FROM {t}")
    names = {row[0] for row in after or ()}
    expected = {"zoë"} | ({"NEW"} if done[STATEMENTS[7]] and done[STATEMENTS[4]] else set())
    if not expected <= names:
        findings.wrong.append(f"{what}: {expected} is not in {names}")


def next_table(
    valid: ValidFiles, folder: Path, rng: random.Random, number: int, findings: Findings
) -> None:
    """Check one corrupt schema, and one corrupt domain with a valid schema."""
    # One kind after the other, so that a short run has all of them.
    kind = SCHEMAS[number % len(SCHEMAS)]
    findings.cases[f"schema: {kind.__name__}"] += 1
    table = write(valid, folder / f"schema {number} {kind.__name__}", kind(rng), None)
    check_statements(table, findings, is_valid=False)
    findings.cases["domain metadata"] += 1
    valid_schema = json.dumps(struct(SCHEMA))
    table = write(valid, folder / f"domain {number}", valid_schema, domain(rng))
    check_statements(table, findings, is_valid=True)
