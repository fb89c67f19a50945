# SPDX-License-Identifier: Apache-2.0

"""Whether statements fail with words, and whether a table is right, whatever hook is missing."""

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

# What nobody understands who did not write the code.
CRASHES = re.compile(
    r"ClassCastException|NullPointerException|MatchError|NoSuch\w+Error|AbstractMethodError"
    r"|LinkageError|VerifyError|NoClassDefFoundError|IllegalAccessError|UNCLASSIFIED|INTERNAL_ERROR"
)
# Delta raises conflicts without a condition; their classes are documented.
CONDITION = re.compile(
    r"\[([A-Z][A-Z0-9_]+)|\b(DELTA_[A-Z0-9_]+)|io\.delta\.exceptions\.(Concurrent\w+)"
)


class Judge:
    """Notes what works in a session, and what is wrong."""

    def __init__(self, spark: SparkSession) -> None:
        """Begin without a fault."""
        self.spark = spark
        self.faults: list[str] = []
        self.abilities: dict[str, bool | None] = {}
        self.probe = ""

    def attempt(self, probe: str, action: Callable[[], object]) -> None:
        """Have ``action`` run to its end; nothing in it may fail that is not expected to."""
        self.probe = probe
        try:
            action()
        except Exception as error:  # noqa: BLE001
            self.fault(f"failed: {str(error)[:300]}")

    def works(self, action: Callable[[], object]) -> bool:
        """Tell whether it does; if not, it has to fail with a condition that a user understands."""
        try:
            action()
        except Exception as error:  # noqa: BLE001
            said = str(error)
            if CRASHES.search(said) or not CONDITION.search(said):
                self.fault(f"failed without words: {said[:300]}")
            return False
        return True

    def never(self, action: Callable[[], object]) -> None:
        """Whatever hook is missing, this must fail, and with words."""
        try:
            action()
        except Exception as error:  # noqa: BLE001
            said = str(error)
            # Delta raises a broken constraint without a condition.
            if CRASHES.search(said) or not (CONDITION.search(said) or "CHECK constraint" in said):
                self.fault(f"failed without words: {said[:300]}")
        else:
            self.fault("was not refused")

    def same(self, found: object, wanted: object) -> None:
        """Note a fault if the two differ."""
        if found != wanted:
            self.fault(f"found {found}, not {wanted}")

    def fault(self, words: str) -> None:
        """Note it with the probe that met it."""
        self.faults.append(f"{self.probe}: {words}")

    def check(self, table: Table) -> None:
        """Look for anything wrong with a table, in its log and in what queries find."""
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
                self.fault("the command line does not read it")
        if "name" in log_columns(table) and table.log.files:
            for place in values_outside_bounds(table):
                self.fault(f"outside its bounds: {place}")
            query = " UNION ALL ".join(f"SELECT id FROM {{t}} WHERE {each}" for each in QUERIES)
            rows = sorted(table.column(query))
            with setting(self.spark, SKIPPING, "false"):
                self.same(rows, sorted(table.column(query)))

    def _check_log(self, table: Table) -> None:
        if "string collate" in table.log.schema_text.lower():
            self.fault(f"a type that others cannot read: {table.log.schema_text}")
        features = set(table.log.protocol.get("writerFeatures", ()))
        is_dropped = (
            table.path.name == "dropped" and self.abilities.get("keep domainMetadata") is False
        )
        if "collations" in features and "domainMetadata" not in features and not is_dropped:
            self.fault("collations without domainMetadata")
        if domains(table) and "collations" not in features:
            self.fault("versions listed without the feature")
        if any(TAG in (stats or {}) for stats in table.log.stats):
            self.fault(f"{TAG} in the statistics")


def log_columns(table: Table) -> list[str]:
    return [column["name"] for column in json.loads(table.log.schema_text)["fields"]]


def domains(table: Table) -> list[Json]:
    return [one for one in table.log.actions("domainMetadata") if one["domain"] == "collations"]
