"""Tests fleetsum.py with real Spark: FLEETSUM=…/fleetsum python3 test_fleetsum.py

Spark's master is local or, where two executors are needed, a cluster of
processes on this machine.
"""

import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import pyspark

BINARY = os.path.abspath(os.environ["FLEETSUM"])
SCRIPT = str(pathlib.Path(__file__).with_name("fleetsum.py"))
SUBMIT = str(pathlib.Path(pyspark.__file__).parent / "bin" / "spark-submit")

# Tasks are tried again, which a local master does only if told to.
LOCAL = "local[4,4]"
# Two executors with one core each.
CLUSTER = "local-cluster[2,1,1024]"


class Test(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="fleet ")  # a blank in every path
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)
        self.out = self.dir / "run"

    def start(self, *args, binary=BINARY, master=LOCAL):
        """Starts fleetsum.py."""
        return subprocess.Popen(
            [SUBMIT, "--master", master, "--conf", "spark.ui.enabled=false", "--conf", "spark.log.level=ERROR",
             SCRIPT, "--binary", str(binary), "--out", str(self.out), "--progress-every", "0.5", *map(str, args)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            # Spark would ask DNS for this machine's name, and wait.
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_HOSTNAME": "localhost",
                 "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable,
                 "SPARK_HOME": str(pathlib.Path(pyspark.__file__).parent)},
        )

    def finish(self, run, status):
        """Returns the report, which is all of standard output, and standard error."""
        out, err = run.communicate(timeout=300)
        self.assertEqual(run.returncode, status, err)
        report = json.loads(out)
        self.assertEqual(json.loads((self.out / "report" / "summary.json").read_text()), report)
        return report, err

    def run_to_end(self, *args, status=0, **options):
        return self.finish(self.start(*args, **options), status)[0]

    def files(self, count, size):
        """Makes files, and the list of coreutils."""
        (self.dir / "files").mkdir()
        lines = []
        for i in range(count):
            data = i.to_bytes(4, "little") * (size // 4)
            path = self.dir / "files" / f"{i:05}"
            path.write_bytes(data)
            lines.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
        sums = self.dir / "sums"
        sums.write_text("".join(lines))
        return sums

    def manifest(self):
        return (self.out / "report" / "SHA256SUMS").read_bytes()

    def results(self):
        """When each result was written, in nanoseconds."""
        return {p.name: p.stat().st_mtime_ns for p in (self.out / "results").glob("*.jsonl")}

    def wait_for(self, condition):
        end = time.monotonic() + 120
        while not (found := condition()):
            self.assertLess(time.monotonic(), end, "waited too long")
            time.sleep(0.02)
        return found

    def workers(self):
        """The workers of this test that are running, with their parents."""
        found = {}
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                if str(self.out).encode() in (stat.parent / "cmdline").read_bytes().split(b"\0") and \
                        b"worker" in (stat.parent / "cmdline").read_bytes().split(b"\0"):
                    found[int(stat.parent.name)] = int(stat.read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass  # it has ended
        return found

    def test_goroot(self):
        """GOROOT in 16 shards: the lines of coreutils, by check and by write."""
        root = subprocess.run(["go", "env", "GOROOT"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
        sums = self.dir / "sums"
        with sums.open("wb") as f:
            names = subprocess.Popen(f"find '{root}' -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum", shell=True, stdout=f)
            self.assertEqual(names.wait(), 0)
        report = self.run_to_end("check", sums, "--shards", 16)
        want = sums.read_bytes()
        self.assertEqual((report["shards"], report["match"]), (16, want.count(b"\n")))
        self.assertEqual(self.manifest(), want)

        self.out = self.dir / "written"
        with (self.dir / "list").open("wb") as f:
            subprocess.run([BINARY, "list", root], stdout=f, check=True)
        report = self.run_to_end("write", self.dir / "list", "--shards", 16)
        self.assertEqual(report["new"], want.count(b"\n"))
        self.assertEqual(self.manifest(), want)

    def test_problems(self):
        """The exit status and the report say what is wrong; --since leaves out
        what has not changed since a list with times."""
        sums = self.files(40, 1000)
        (self.dir / "files" / "00007").write_bytes(b"other")
        (self.dir / "files" / "00011").unlink()
        with sums.open("a") as f:
            f.write("nonsense\n")
        report = self.run_to_end("check", sums, "--shards", 3, status=1)
        self.assertEqual([report[k] for k in ("lines", "match", "mismatch", "missing", "malformed")], [41, 38, 1, 1, 1])
        problems = [json.loads(line) for line in (self.out / "report" / "problems.jsonl").read_text().splitlines()]
        self.assertEqual(sorted((p["line"], p["outcome"]) for p in problems), [(8, "mismatch"), (12, "missing"), (41, "malformed")])

        objects = self.dir / "list"
        with objects.open("wb") as f:
            subprocess.run([BINARY, "list", self.dir / "files"], stdout=f, check=True)
        self.out = self.dir / "first"
        self.assertEqual(self.run_to_end("write", objects, "--shards", 3)["new"], 39)
        first, self.out = self.out, self.dir / "later"
        report = self.run_to_end("write", objects, "--shards", 3, "--since", first)
        self.assertEqual([report[k] for k in ("unchanged", "lines")], [39, 0])

    def test_worker_killed(self):
        """A worker that is killed half-way is run again."""
        sums = self.files(200, 100_000)
        script = self.dir / "killed"
        script.write_text(f"""#!/bin/sh
if [ "$1 $2 $3" = "worker --shard 2" ] && mkdir '{self.dir}/once'; then
	'{BINARY}' "$@" --bytes-per-second 1MB & sleep 1; kill -9 $!; wait $!; exit $?
fi
exec '{BINARY}' "$@"
""")
        script.chmod(0o755)
        report = self.run_to_end("check", sums, "--shards", 4, binary=script)
        self.assertTrue((self.dir / "once").exists())
        self.assertEqual((report["complete"], report["match"]), (True, 200))
        self.assertEqual(self.manifest(), sums.read_bytes())

    def test_worker_fails(self):
        """A worker that always fails: the run ends, says why, and is not complete."""
        sums = self.files(20, 1000)
        run = self.start("check", sums, "--shards", 4, "--worker", "--readers 0", "--store", "s3://?region=us-east-1")
        report, err = self.finish(run, 2)
        self.assertFalse(report["complete"])
        self.assertEqual(len(report["missing_shards"]), 4)
        self.assertIn("a number from 1 to 4096 is needed", err)

    def test_task_killed(self):
        """Python is killed with its task, in the middle of it, and its worker
        ends, too."""
        sums = self.files(200, 100_000)
        run = self.start("check", sums, "--shards", 4, "--worker", "--bytes-per-second 2MB")
        workers = self.wait_for(self.workers)
        time.sleep(0.5)
        worker, task = next(iter(workers.items()))
        os.kill(task, signal.SIGKILL)
        self.wait_for(lambda: worker not in self.workers())
        report, _ = self.finish(run, 0)
        self.assertEqual(report["match"], 200)
        self.assertEqual(self.manifest(), sums.read_bytes())

    def test_interrupted_and_resumed(self):
        """An interrupt leaves no worker behind; the same command goes on."""
        sums = self.files(200, 100_000)
        args = ["check", sums, "--shards", 12, "--progress", "json"]
        # Three rounds of four shards, of four seconds each: a busy machine may take
        # some seconds to pass the interrupt on.
        run = self.start(*args, "--worker", "--bytes-per-second 400kB")
        self.wait_for(lambda: len(self.results()) >= 3)
        os.killpg(run.pid, signal.SIGINT)  # as a terminal does
        report, err = self.finish(run, 130)
        self.wait_for(lambda: not self.workers())
        before = self.results()
        self.assertLess(len(before), 12)
        self.assertFalse((self.out / "report" / "SHA256SUMS").exists())
        self.assertFalse(report["complete"])
        progress = [json.loads(line)["progress"] for line in err.splitlines() if line.startswith('{"progress"')]
        self.assertTrue(progress and progress[-1]["all_shards"] == 12, err)

        report = self.run_to_end(*args)
        self.assertEqual((report["complete"], report["match"]), (True, 200))
        self.assertEqual(self.manifest(), sums.read_bytes())
        after = self.results()
        self.assertEqual({name: after[name] for name in before}, before, "a result was written again")

    def test_max_errors(self):
        """Too many errors cancel the run."""
        sums = self.files(200, 100_000)
        for i in range(20):
            (self.dir / "files" / f"{i:05}").write_bytes(b"other")
        run = self.start("check", sums, "--shards", 20, "--max-errors", 5, "--worker", "--bytes-per-second 500kB")
        report, err = self.finish(run, 2)
        self.assertIn("more than 5 errors: cancelled", err)
        self.assertFalse(report["complete"])
        self.assertGreater(report["mismatch"], 5)

    def test_two_executors(self):
        """Two executors, and two drivers at once, on one journal."""
        sums = self.files(300, 100_000)
        runs = [self.start("check", sums, "--shards", 8, "--worker", "--bytes-per-second 10MB", master=CLUSTER) for _ in range(2)]
        for run in runs:
            report, _ = self.finish(run, 0)
            self.assertEqual((report["complete"], report["match"]), (True, 300))
        self.assertEqual(self.manifest(), sums.read_bytes())


if __name__ == "__main__":
    unittest.main(verbosity=2)
