# SPDX-License-Identifier: Apache-2.0

"""Lists the suites of Spark's test jars and our own that ``harness/spark_suites.py`` runs.

Excluded, because they cannot run from a jar or would prove nothing:

- ``TPCDSCollationQueryTestSuite`` and ``TPCDSQueryTestSuite`` need data of the TPC-DS toolkit;
  ``CollatedTpcdsSuite`` has data of its own.
- ``*PlanStabilitySuite`` compare plans with files, and ``ExpressionsSchemaSuite`` writes one.
- Suites of Python, JDBC and the UI need programs or jars that are missing. The Python functions of
  ``SQLQueryTestSuite`` are ignored by Spark for the same reason.
- ``SparkSessionExtensionSuite`` sets extensions of its own, so its sessions do not have ours.
- Suites of ``spark-core``, of storage formats and of state stores plan no query.
"""

from __future__ import annotations

SQL = "org.apache.spark.sql"
OURS = "org.deltacollations.sparktests"

COLLATION = (
    "CollatedFilterPushDownToParquetV1Suite",
    "CollatedFilterPushDownToParquetV2Suite",
    "CollationAggregationSuite",
    "CollationSQLFunctionsSuite",
    "CollationSQLRegexpSuite",
    "CollationSuite",
    "CollationTypePrecedenceSuite",
    "DefaultCollationCharVarcharTestSuiteV1",
    "DefaultCollationCharVarcharTestSuiteV2",
    "DefaultCollationStringTestSuiteV1",
    "DefaultCollationStringTestSuiteV2",
    "IndeterminateCollationTestSuite",
)

QUERIES = (
    "CTEHintSuite",
    "DataFrameAggregateSuite",
    "DataFrameAsOfJoinSuite",
    "DataFrameJoinSuite",
    "DataFramePivotSuite",
    "DataFrameSelfJoinSuite",
    "DataFrameSessionWindowingSuite",
    "DataFrameSetOperationsSuite",
    "DataFrameSubquerySuite",
    "DataFrameWindowFramesSuite",
    "DataFrameWindowFunctionsSuite",
    "InjectRuntimeFilterSuite",
    "JoinSuite",
    "LateralColumnAliasSuite",
    "PlanMergeSuite",
    "SubquerySuite",
    "execution.ReuseExchangeAndSubquerySuite",
    "execution.SQLWindowFunctionSuite",
    "execution.joins.ExistenceJoinSuite",
    "execution.joins.InnerJoinSuite",
    "execution.joins.OuterJoinSuite",
    "execution.joins.SingleJoinSuite",
)

# Each group is one JVM, so that a suite that hangs or exits does not take the others with it.
GROUPS: dict[str, tuple[str, ...]] = {
    "extension": (f"{OURS}.ExtensionSentinelSuite",),
    "collation": (
        *(f"{SQL}.collation.{name}" for name in COLLATION),
        f"{SQL}.ICUCollationsMapSuite",
        f"{SQL}.catalyst.expressions.CollationExpressionSuite",
        f"{SQL}.catalyst.expressions.CollationRegexpExpressionsSuite",
    ),
    "collation of every function": (f"{SQL}.collation.CollationExpressionWalkerSuite",),
    "queries": tuple(f"{SQL}.{name}" for name in QUERIES),
    "parameters and SQL": (
        f"{SQL}.ParametersSuite",
        f"{SQL}.LegacyParameterSubstitutionSuite",
        f"{SQL}.SQLQuerySuite",
    ),
    "adaptive": (f"{SQL}.execution.adaptive.AdaptiveQueryExecSuite",),
    "caching": (f"{SQL}.CachedTableSuite", f"{SQL}.DatasetCacheSuite"),
    "streaming": (
        f"{SQL}.streaming.StreamSuite",
        f"{SQL}.streaming.StreamingAggregationSuite",
        f"{SQL}.streaming.StreamingDeduplicationSuite",
        f"{SQL}.streaming.StreamingInnerJoinWithVCFSuite",
        f"{SQL}.streaming.StreamingInnerJoinWithoutVCFSuite",
        f"{SQL}.streaming.StreamingOuterJoinWithVCFSuite",
        f"{SQL}.streaming.StreamingSessionWindowSuite",
    ),
    "benchmark queries": (f"{SQL}.TPCDSQuerySuite", f"{SQL}.TPCHQuerySuite"),
    "Hive": (
        f"{OURS}.HiveSentinelSuite",
        f"{SQL}.hive.execution.HashAggregationQuerySuite",
        f"{SQL}.hive.execution.WindowQuerySuite",
    ),
    "SQL inputs": (f"{SQL}.SQLQueryTestSuite",),
    "collated SQL inputs": (f"{OURS}.CollatedInputsSuite",),
    "collated benchmark queries": (f"{OURS}.CollatedTpchSuite", f"{OURS}.CollatedTpcdsSuite"),
}

# Part of ./dev test: tests that found defects of this library, and one that must fail.
SUBSET: dict[str, tuple[str, ...]] = {
    f"{OURS}.ExtensionSentinelSuite": (),
    f"{SQL}.collation.CollationSuite": (
        "invalid collation name throws exception",
        "aggregates count respects collation",
        "Create dataframe with non utf8 binary collation",
        "Aggregation on complex containing collated strings",
        "Joins on complex types containing collated strings",
        "Check order by on StructType with different types containing collated strings",
        "null aware anti join from NOT IN with collated columns in struct type",
        "execute immediate variable parameter implicit vs column collation",
        "parameterized query vs column collation",
    ),
    f"{OURS}.CollatedInputsSuite": (
        "except.sql",
        "natural-join.sql",
        "subquery/in-subquery/in-joins.sql",
        "subquery/scalar-subquery/scalar-subquery-select.sql",
    ),
}
