"""Tests fleetsum.check: FLEETSUM=…/fleetsum python3 test_dataframe.py

With FLEETSUM_SPARK=connect the session is one of Spark Connect, which Spark 4 and
its pip extra "connect" have. Otherwise it has a SparkContext.
"""

import hashlib
import json
import os
import pathlib
import sys
import tempfile
import unittest
import zlib

BINARY = os.path.abspath(os.environ["FLEETSUM"])
CONNECT = os.environ.get("FLEETSUM_SPARK") == "connect"
os.environ["PYSPARK_PYTHON"] = sys.executable

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import fleetsum  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402


def session():
    builder = SparkSession.builder.config("spark.ui.enabled", "false")
    builder = builder.remote("local[2]") if CONNECT else builder.master("local[2]")
    return builder.getOrCreate()


class Test(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.spark = session()
        cls.addClassCleanup(cls.spark.stop)

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fleet ")
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def frame(self, schema, *rows):
        return self.spark.createDataFrame(list(rows), schema)

    def file(self, name, data):
        path = self.dir / name
        path.write_bytes(data)
        return str(path)

    def check(self, frame, **options):
        return {row.name: row for row in fleetsum.check(frame, BINARY, **options).collect()}

    def test_outcomes(self):
        """Each row has its outcome, whatever its name is."""
        data = b"text"
        a, b, c = (self.file(name, data) for name in ('a "1"', "b\n2", "c é"))
        sha, md5 = hashlib.sha256(data).hexdigest(), hashlib.md5(data).hexdigest()
        found = self.check(self.frame(
            "name string, size long, sha256 string, md5 string, crc32 string, other date",
            (a, 4, sha, None, None, None),
            (b, None, None, md5, f"{zlib.crc32(data):08x}", None),
            (c, 5, None, None, None, None),
            (str(self.dir / "none"), None, None, md5, None, None),
        ))
        self.assertEqual(len(found), 4)
        row = found[a]
        self.assertEqual((row.outcome, row.sha256, row.expected, row.computed, row.size, row.error), ("match", sha, sha, None, 4, ""))
        row = found[b]
        self.assertEqual((row.outcome, row.sha256, row.expected), ("match", sha, row.computed))
        self.assertIn(f"md5:{md5}", row.computed)
        row = found[c]
        self.assertEqual((row.outcome, row.error), ("mismatch", "4 bytes, not the 5 of the list"))
        row = found[str(self.dir / "none")]
        self.assertEqual((row.outcome, row.sha256, row.size), ("missing", "", -1))

    def test_many_partitions(self):
        """More results than Spark gets at once, and partitions that have no rows."""
        path = self.file("a", b"text")
        frame = self.spark.range(2 * fleetsum.ROWS + 7).selectExpr(f"concat('{self.dir}/', if(id % 2 = 0, 'a', 'none')) AS name")
        counts = {row.outcome: row["count"] for row in
                  fleetsum.check(frame.repartition(3), BINARY, worker=["--max-missing", "0"]).groupBy("outcome").count().collect()}
        self.assertEqual(counts, {"new": fleetsum.ROWS + 4, "missing": fleetsum.ROWS + 3})
        few = self.frame("name string", (path,)).repartition(8)
        self.assertEqual(self.check(few)[path].outcome, "new")
        self.assertEqual(self.check(self.frame("name string")), {})

    def test_names_of_digests(self):
        """A column of digests may have capitals and hyphens in its name."""
        frame = self.frame("name string, `SHA-1` string, MD5 string, `md-5` string", ("a", "x", "y", "z"))
        (row,) = frame.select(fleetsum.line_of(frame).alias("line")).collect()
        self.assertEqual(json.loads(row.line), {"name": "a", "sha1": "x", "md5": "y"})

    def test_inventory(self):
        """The rows of an S3 inventory, from ORC, are versions of objects."""
        columns = "bucket string, key string, version_id string, is_latest boolean, is_delete_marker boolean, size long, e_tag string"
        self.frame(
            columns,
            ("b", "a b%", "v1", True, False, 7, "x"),
            ("b", "old", None, False, False, 8, "x"),
            ("b", "old", "", False, False, 8, "x"),
            ("b", "current", None, True, False, 0, "x"),
            ("b", "current", "null", True, False, 0, "x"),
            ("b", "gone", "v2", True, True, None, None),
        ).write.orc(f"file://{self.dir}/orc")
        frame = self.spark.read.orc(f"file://{self.dir}/orc")
        lines = sorted(row.line for row in frame.select(fleetsum.line_of(frame).alias("line")).collect())
        want = [
            {"name": "s3://b/a b%", "version": "v1", "size": 7, "deleted": False},
            {"name": "s3://b/current", "size": 0, "deleted": False},
            {"name": "s3://b/current", "size": 0, "deleted": False},
            {"name": "s3://b/gone", "version": "v2", "deleted": True},
            {"name": "s3://b/old", "version": "null", "size": 8, "deleted": False},
            {"name": "s3://b/old", "version": "null", "size": 8, "deleted": False},
        ]
        key = lambda e: (e["name"], e.get("version", ""))  # noqa: E731
        self.assertEqual(sorted(map(json.loads, lines), key=key), sorted(want, key=key))

    def test_errors(self):
        """A worker that fails says why, and what is no list is refused at once."""
        frame = self.frame("name string", (self.file("a", b"text"),))
        with self.assertRaisesRegex(Exception, "a number from 1 to 4096 is needed"):
            fleetsum.check(frame, BINARY, worker=["--readers", "0"]).collect()
        with self.assertRaisesRegex(ValueError, "neither a column name nor"):
            fleetsum.check(self.frame("key string", ("a",)), BINARY)
        with self.assertRaisesRegex(Exception, "nowhere"):
            fleetsum.check(frame, "/nowhere").collect()

    def test_store_and_environment(self):
        """Stores and variables reach the worker."""
        frame = self.frame("name string", ("s3://bucket/key",))
        url = "s3://?endpoint=http://127.0.0.1:1&use_path_style=true&anonymous=true&region=us-east-1"
        for options in ({"store": [url]}, {"environment": {"FLEETSUM_STORE": url}}):
            row = self.check(frame, worker=["--retries", "0"], **options)["s3://bucket/key"]
            self.assertEqual(row.outcome, "unreadable")
            self.assertIn("127.0.0.1:1", row.error)


if __name__ == "__main__":
    unittest.main(verbosity=2)
