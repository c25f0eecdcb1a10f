"""Tests what fleetsum.py does itself, without Spark: python3 test_driver.py

A module in the place of pyspark has the few names that fleetsum.py uses.
"""

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from unittest import mock

WORKER = None  # where SparkFiles finds the worker

fake = types.ModuleType("pyspark")
fake.InheritableThread = threading.Thread
fake.SparkFiles = types.SimpleNamespace(get=lambda name: WORKER)
fake.TaskContext = types.SimpleNamespace(get=lambda: types.SimpleNamespace(cpus=lambda: 3))
sql = types.ModuleType("pyspark.sql")
sql.SparkSession = None
sys.modules["pyspark"], sys.modules["pyspark.sql"] = fake, sql
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import fleetsum  # noqa: E402


class Total:
    def __init__(self):
        self.value = 0

    def add(self, n):
        self.value += n


class Test(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = pathlib.Path(folder.name)

    def worker(self, text):
        global WORKER
        path = self.dir / "worker"
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        WORKER = str(path)

    def test_environment(self):
        """The worker has the executor's environment, and the cores of its task."""
        self.worker(f"""echo "$FLEETSUM_STORE $GOMAXPROCS $*" >'{self.dir}/seen'
echo '{{"summary":{{"lines":5,"match":2,"new":1,"problems":2,"bytes":7}},"sha256":"x"}}'
""")
        totals = {key: Total() for key in ("lines", "bytes", "errors")}
        with mock.patch.dict(os.environ, {"FLEETSUM_STORE": "s3://?x=y"}):
            os.environ.pop("GOMAXPROCS", None)
            list(fleetsum.check_shards([4], "worker", ["--journal", "j"], totals))
        self.assertEqual((self.dir / "seen").read_text(), "s3://?x=y 3 worker --shard 4 --journal j\n")
        self.assertEqual([totals[key].value for key in ("lines", "bytes", "errors")], [5, 7, 2])

    def test_worker_ends_with_its_task(self):
        """Python is killed, and its worker ends."""
        self.worker(f"echo $$ >'{self.dir}/pid.new'; mv '{self.dir}/pid.new' '{self.dir}/pid'; exec sleep 60\n")
        task = os.fork()
        if task == 0:
            with contextlib.suppress(BaseException):
                list(fleetsum.check_shards([0], "worker", [], {}))
            os._exit(0)
        pid = int(self.wait_for(lambda: (self.dir / "pid").exists() and (self.dir / "pid").read_text()))
        os.kill(task, signal.SIGKILL)
        os.waitpid(task, 0)
        self.wait_for(lambda: not running(pid))

    def wait_for(self, condition):
        end = time.monotonic() + 30
        while not (found := condition()):
            self.assertLess(time.monotonic(), end, "waited too long")
            time.sleep(0.02)
        return found

    def test_max_errors(self):
        """As many errors as are allowed do not cancel the run, one more does."""
        for errors, cancelled in ((4, False), (5, False), (6, True)):
            with self.subTest(errors=errors):
                release = threading.Event()
                thread = threading.Thread(target=lambda: release.wait(1), daemon=True)
                thread.start()
                total = Total()
                total.add(errors)
                run = types.SimpleNamespace(thread=thread, totals={"errors": total}, calls=0)

                def cancel(run=run):
                    run.calls += 1

                run.cancel = cancel
                args = types.SimpleNamespace(progress="never", progress_every=10, max_errors=5)
                with contextlib.redirect_stderr(io.StringIO()) as said:
                    self.assertFalse(fleetsum.follow(run, args))
                release.set()
                self.assertEqual((run.calls == 1, "more than 5 errors: cancelled" in said.getvalue()), (cancelled, cancelled))

    def test_terminated(self):
        """SIGTERM, like an interrupt, cancels the job, and leaves a report."""
        self.worker("exit 0\n")
        script = f"""
import os, signal, sys, threading, types
sys.argv = ["test_driver.py"]
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_driver
fleetsum = test_driver.fleetsum
cancelled = []
class Run:
    def __init__(self, *_):
        self.error, self.totals = None, {{"errors": test_driver.Total()}}
        self.thread = threading.Thread(target=threading.Event().wait, args=(30,), daemon=True)
        self.thread.start()
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
    def cancel(self):
        print("cancelled")
context = types.SimpleNamespace(addFile=lambda name: None, defaultParallelism=1)
class Builder:
    def __getattr__(self, name):
        return (lambda *_: types.SimpleNamespace(sparkContext=context)) if name == "getOrCreate" else (lambda *_: self)
fleetsum.SparkSession = types.SimpleNamespace(builder=Builder())
fleetsum.Run = Run
fleetsum.prepare = lambda context: types.SimpleNamespace(join=lambda seconds: None)
fleetsum.split = lambda *_: 1
sys.exit(fleetsum.main(["--binary", {WORKER!r}, "--out", {str(self.dir)!r}, "check", "list"]))
"""
        done = subprocess.run([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (130, "cancelled\n"), done.stderr)

    def test_failures(self):
        """A failure has a status and a line of its own, and the binary is the file that
        Spark takes to the executors, not a command of PATH."""
        self.worker('echo "$1 runs" >&2; exit 3\n')
        script = f"""
import os, runpy, sys, types
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_driver
context = types.SimpleNamespace(addFile=os.stat, defaultParallelism=1)
class Builder:
    def __getattr__(self, name):
        return (lambda *_: types.SimpleNamespace(sparkContext=context)) if name == "getOrCreate" else (lambda *_: self)
test_driver.sql.SparkSession = types.SimpleNamespace(builder=Builder())
runpy.run_path(test_driver.fleetsum.__file__, run_name="__main__")
"""
        (self.dir / "data").write_text("")
        for binary, said in (
            ("worker", "split runs\n"),
            ("./worker", "split runs\n"),
            ("./nope", f"fleetsum.py: FileNotFoundError: [Errno 2] No such file or directory: '{self.dir}/nope'\n"),
            ("data", f"fleetsum.py: PermissionError: [Errno 13] Permission denied: '{self.dir}/data'\n"),
        ):
            done = subprocess.run([sys.executable, "-c", script, "--binary", binary, "--out", "run", "check", "list"], cwd=self.dir,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, "", said))

    def test_standard_error(self):
        """What spark-submit's Python writes to standard error is spark-submit's: in a
        pipe, and in a file at its place."""
        script = self.dir / "script.py"
        script.write_text(f"""
import sys
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import test_driver
test_driver.fleetsum.own_stderr()
print("python", file=sys.stderr)
""")
        submit = [sys.executable, "-c", f"""
import os, subprocess
os.write(2, b"before\\n")
subprocess.run([{sys.executable!r}, {str(script)!r}], stderr=subprocess.DEVNULL)
os.write(2, b"after\\n")
"""]
        for gateway, want in (("1", "before\npython\nafter\n"), (None, "before\nafter\n")):
            environment = {k: v for k, v in os.environ.items() if k != "PYSPARK_GATEWAY_PORT"}
            if gateway:
                environment["PYSPARK_GATEWAY_PORT"] = gateway
            done = subprocess.run(submit, stderr=subprocess.PIPE, env=environment, text=True, timeout=60)
            self.assertEqual(done.stderr, want)
            with open(self.dir / "log", "w") as log:
                subprocess.run(submit, stderr=log, env=environment, timeout=60)
            said = (self.dir / "log").read_text()
            # Where a process may not have its parent's files, a file stays as it is.
            self.assertIn(said, {want, "before\nafter\n"})


def running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main(verbosity=2)
