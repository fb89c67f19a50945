# SPDX-License-Identifier: Apache-2.0

"""Checks error messages and tables in a session without some hooks."""

from __future__ import annotations

import io
import json
import re
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from delta_collations.cli import ERROR
from delta_collations.cli import main as command_line
from deltalake import DeltaTable
from support.platforms import HAS_KERNEL, ICU
from support.tables import Json, Table, kernel_schema, setting, values_outside_bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

SKIPPING = "spark.deltaCollations.skipping.enabled"
TAG = "deltaCollations.codePoints"
QUERIES = ("name = 'ANN'", "name < 'm'", "name >= 'M'", "name IN ('zoë', 'BOB')")

# Errors that users cannot understand.
CRASHES = re.compile(
    r"ClassCastException|NullPointerException|MatchError|NoSuch\w+Error|AbstractMethodError"
    r"|LinkageError|VerifyError|NoClassDefFoundError|IllegalAccessError|UNCLASSIFIED|INTERNAL_ERROR"
)
# Delta raises conflicts without an error condition; their classes are documented.
CONDITION = re.compile(
    r"\[([A-Z][A-Z0-9_]+)|\b(DELTA_[A-Z0-9_]+)|io\.delta\.exceptions\.(Concurrent\w+)"
)


class HookChecks:
    """Records the abilities of a session, and its faults."""

    def __init__(self, spark: SparkSession) -> None:
        """Start without faults."""
        self.spark = spark
        self.faults: list[str] = []
        self.abilities: dict[str, bool | None] = {}
        self.probe = ""

    def attempt(self, probe: str, action: Callable[[], object]) -> None:
        """Run a probe; an exception is a fault."""
        self.probe = probe
        try:
            action()
        except Exception as error:  # noqa: BLE001
            self.fault(f"failed: {str(error)[:300]}")

    def works(self, action: Callable[[], object]) -> bool:
        """Return whether an action succeeds; a failure must have an error condition."""
        try:
            action()
        except Exception as error:  # noqa: BLE001
            message = str(error)
            if CRASHES.search(message) or not CONDITION.search(message):
                self.fault(f"failed without an error condition: {message[:300]}")
            return False
        return True

    def must_fail(self, action: Callable[[], object]) -> str:
        """Check that an action fails with an error condition, and return its message."""
        message = ""
        try:
            action()
        except Exception as error:  # noqa: BLE001
            message = str(error)
            # Delta raises a violated constraint without an error condition.
            if CRASHES.search(message) or not (
                CONDITION.search(message) or "CHECK constraint" in message
            ):
                self.fault(f"failed without an error condition: {message[:300]}")
        else:
            self.fault("did not fail")
        return message

    def expect(self, found: object, expected: object) -> None:
        """Record a fault if the two values differ."""
        if found != expected:
            self.fault(f"found {found}, not {expected}")

    def fault(self, description: str) -> None:
        """Record a fault of the current probe."""
        self.faults.append(f"{self.probe}: {description}")

    def check(self, table: Table) -> None:
        """Check the log of a table and the results of queries."""
        lost = ("open without the feature", "incomplete"), ("open unknown collations", "unknown")
        if any(
            table.path.name == name and self.abilities.get(able) is False for able, name in lost
        ):
            return
        self._check_log(table)
        if not DeltaTable(str(table.path)).schema().fields:
            self.fault("deltalake finds no column")
        if HAS_KERNEL:
            kernel_schema(self.spark, table.path)
        with redirect_stdout(io.StringIO()):
            if command_line(["status", str(table.path), "--icu-version", ICU]) == ERROR:
                self.fault("the command line cannot read it")
        if "name" in log_columns(table) and table.log.files:
            for place in values_outside_bounds(table):
                self.fault(f"outside its bounds: {place}")
            query = " UNION ALL ".join(f"SELECT id FROM {{t}} WHERE {each}" for each in QUERIES)
            rows = sorted(table.column(query))
            with setting(self.spark, SKIPPING, "false"):
                self.expect(rows, sorted(table.column(query)))

    def _check_log(self, table: Table) -> None:
        if "string collate" in table.log.schema_text.lower():
            self.fault(f"a type that other engines cannot read: {table.log.schema_text}")
        features = set(table.log.protocol.get("writerFeatures", ()))
        if "collations" in features and "domainMetadata" not in features:
            self.fault("collations without domainMetadata")
        if domains(table) and "collations" not in features:
            self.fault("versions listed without the feature")
        if any(TAG in (stats or {}) for stats in table.log.stats):
            self.fault(f"{TAG} in the statistics")


def log_columns(table: Table) -> list[str]:
    return [column["name"] for column in json.loads(table.log.schema_text)["fields"]]


def domains(table: Table) -> list[Json]:
    return [one for one in table.log.actions("domainMetadata") if one["domain"] == "collations"]
