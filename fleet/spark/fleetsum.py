"""Checks, or writes, the SHA-256 digests of objects under Spark.

    spark-submit fleetsum.py --binary FLEETSUM check LIST... --out URL
    spark-submit fleetsum.py --binary FLEETSUM write LIST... --out URL

FLEETSUM plans the run at URL, a directory that all executors see or a place in
an object store; each task checks one shard of it; FLEETSUM writes the report.
All that Spark adds is where and when: what was found is in the journal at URL,
and the same command again goes on with what is not there yet.

The exit status is that of `fleetsum report`: 0 if every line has been checked
and is as it should be, 1 if some are not, 2 if some have not been checked; and
130 after an interrupt. Standard output has the report alone; progress and errors
are on standard error.

In a program, also by Spark Connect, the objects of a data frame are checked by

    results = fleetsum.check(frame, binary="./fleetsum")
"""

import argparse
import contextlib
import ctypes
import itertools
import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

from pyspark import InheritableThread, TaskContext
from pyspark.sql import SparkSession

FAILED = 2
INTERRUPTED = 130
PREPARATION = 10  # seconds that executors have to get ready after the plan is

# What check returns, and which columns of digests it takes.
RESULT = ("name string, version string, outcome string, sha256 string, expected string, computed string, "
          "size bigint, error string")
DIGESTS = ("sha256", "md5", "sha1", "sha512", "crc32", "crc32c", "crc64nvme")
ROWS = 10_000  # results that Spark gets at once


def check(frame, binary, store=(), worker=(), environment=None):
    """Returns a data frame of what became of each object of a data frame, with the
    columns of RESULT. It needs pandas and PyArrow.

    frame has the columns of 'fleetsum list', of which name is needed: name, version,
    size, part_size, and those of DIGESTS, whose names may have capitals
    and hyphens, as SHA-1. Or it has those of an S3 inventory, of
    which bucket and key are needed. Others are ignored.
    binary is fleetsum, built for the executors: a file here, which Spark takes to
    them, or a path that they have. store are parameters as of --store, worker are
    more options of 'fleetsum worker', environment are variables for it.

    Spark reads the objects when the result is used, and again each time that it is
    used: write it first. A task that fails is tried again as a whole.
    """
    from pyspark import cloudpickle

    if os.path.exists(binary):
        ship(frame.sparkSession, os.path.abspath(binary))
    options = ["--format", "json", *(part for one in store for part in ("--store", one)), *worker]
    # Executors need not have this module.
    cloudpickle.register_pickle_by_value(sys.modules[check.__module__])
    return frame.select(line_of(frame).alias("line")).mapInPandas(
        lambda batches: check_lines(batches, binary, options, environment or {}), RESULT
    )


def ship(session, binary):
    """Has Spark take a file to the executors."""
    if hasattr(session, "_jsparkSession"):
        session.sparkContext.addFile(binary)
    else:  # Spark Connect
        session.addArtifacts(binary, file=True)


def line_of(frame):
    """Returns the column of lines of JSON that the worker reads."""
    from pyspark.sql import functions as f

    columns = {name.lower(): f.col("`" + name.replace("`", "``") + "`") for name in frame.columns}
    for name, column in list(columns.items()):
        if (plain := name.replace("-", "")) in DIGESTS:
            columns.setdefault(plain, column)
    fields = {name: columns[name] for name in ("name", "version", "size", "part_size", *DIGESTS) if name in columns}
    if "name" not in columns and {"bucket", "key"} <= columns.keys():
        fields["name"] = f.concat(f.lit("s3://"), columns["bucket"], f.lit("/"), columns["key"])
        if "version_id" in columns:
            # S3 calls a version null that is older than the bucket's versioning, and
            # inventories of all versions leave its ID out.
            version = columns["version_id"]
            old = ~columns["is_latest"].cast("boolean") if "is_latest" in columns else f.lit(False)
            fields["version"] = f.when(~version.isin("", "null"), version).when(old, f.lit("null"))
        if "is_delete_marker" in columns:
            fields["deleted"] = columns["is_delete_marker"].cast("boolean")
    if "name" not in fields:
        raise ValueError("the data frame has neither a column name nor the columns bucket and key")
    return f.to_json(f.struct(*(column.alias(name) for name, column in fields.items())))


def check_lines(batches, binary, options, environment):
    """Runs in a task: has the worker check lines, and yields their results."""
    import pandas

    lines = (line for batch in batches for line in batch["line"])
    first = next(lines, None)
    if first is None:
        return
    columns = [column.split()[0] for column in RESULT.split(", ")]

    def batch_of(rows):
        # Integers with gaps would become floating-point numbers.
        return pandas.DataFrame([[row.get(column) for column in columns] for row in rows], columns=columns).astype({"size": "Int64"})

    with on_executor(binary) as path, \
            Worker([path, "worker", *options, "--progress", "never"], environment, subprocess.PIPE) as worker:
        worker.feed(itertools.chain([first], lines))
        results = map(json.loads, worker.results())
        while rows := list(itertools.islice(results, ROWS)):
            yield batch_of(rows)
        worker.end()


@contextlib.contextmanager
def on_executor(binary):
    """Gives the path of a binary that can be run here."""
    from pyspark import SparkFiles

    path = SparkFiles.get(os.path.basename(binary))
    if not os.path.exists(path):
        path = binary
    with tempfile.TemporaryDirectory(prefix="fleetsum-") as folder:
        if not os.access(path, os.X_OK):
            # Spark Connect makes no file executable, and some file systems have none.
            path = shutil.copy(path, folder)
            os.chmod(path, stat.S_IRWXU)
        yield path


class Worker:
    """A worker that runs in a task. It ends with its context."""

    def __init__(self, command, environment=None, stdin=subprocess.DEVNULL):
        self.summary = self.fed = self.error = self.feeder = None
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=self.errors,
            # A task has so many of the executor's cores, and no more.
            env={"GOMAXPROCS": str(TaskContext.get().cpus()), **os.environ, **(environment or {})},
            preexec_fn=die_with_parent,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.errors.close()

    def feed(self, lines):
        """Has the worker read lines, while its results are read."""

        def write():
            self.fed = 0
            try:
                with self.process.stdin as out:
                    for line in lines:
                        out.write(line.encode() + b"\n")
                        self.fed += 1
            except Exception as error:  # of Spark; or the worker has ended, and says why
                self.error = error

        self.feeder = threading.Thread(target=write, daemon=True)
        self.feeder.start()

    def results(self):
        """Yields the lines of results."""
        for line in self.process.stdout:
            if line.startswith(b'{"summary":'):
                self.summary = json.loads(line)["summary"]
            else:
                yield line

    def end(self):
        """Raises an error unless the worker has checked everything."""
        status = self.process.wait()
        if self.feeder is not None:
            self.feeder.join()
        if status != 0 or self.summary is None:
            self.errors.seek(max(0, self.errors.seek(0, os.SEEK_END) - 2000))
            reason = self.errors.read().decode(errors="replace").strip()
            raise RuntimeError(f"the worker ended with status {status}: {reason}")
        if self.error is not None:
            raise self.error
        if self.fed is not None and self.fed != self.summary["lines"]:
            raise RuntimeError(f"the worker has checked {self.summary['lines']} of {self.fed} lines")


def arguments(argv):
    parser = argparse.ArgumentParser(
        prog="fleetsum.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=["check", "write"], help="expect the lists' digests, or write new ones")
    parser.add_argument("lists", nargs="+", metavar="LIST", help="lists, as 'fleetsum split' reads them")
    parser.add_argument("--binary", required=True, help="fleetsum, built for the executors")
    parser.add_argument("--out", required=True, metavar="URL", help="the journal of this run")
    parser.add_argument("--shards", type=int, help="how many tasks; by default four for each core of the cluster")
    parser.add_argument("--since", metavar="URL", help="leave out objects that matched in the run at URL and were not modified since")
    parser.add_argument("--max-errors", type=int, metavar="N", help="cancel the run when more than N lines of finished shards have problems")
    parser.add_argument("--progress", choices=["text", "json", "never"], default="text")
    parser.add_argument("--progress-every", type=float, default=10, metavar="SECONDS")
    parser.add_argument("--split", default="", metavar="OPTIONS", help="more options of 'fleetsum split', such as '--format bagit'")
    parser.add_argument("--worker", default="", metavar="OPTIONS", help="more options of 'fleetsum worker', such as '--readers 128'")
    parser.add_argument("--store", action="append", default=[], metavar="URL", help="as of fleetsum")
    return parser.parse_intermixed_args(argv)


def split(args, shards, stores):
    """Plans the run and returns how many shards it has."""
    command = [args.binary, "split", "--journal", args.out, "--shards", str(shards), *stores, *shlex.split(args.split)]
    if args.command == "write":
        command.append("--no-digests")
    if args.since is not None:
        command += ["--since", args.since]
    done = subprocess.run([*command, "--", *args.lists], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(FAILED)  # it has said why
    return int(done.stdout)


def die_with_parent():
    """Ends this process when its parent does: a task that Spark kills has no
    time to end its worker. Linux alone can do that."""
    try:
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    except (AttributeError, OSError):
        pass


def check_shards(shards, name, options, totals):
    """Runs in a task: has the worker check each of the shards, and yields
    nothing. It is not RDD.pipe, which gives the worker an empty environment,
    without credentials, and an error without a word of why."""
    from pyspark import SparkFiles

    for shard in shards:
        with Worker([SparkFiles.get(name), "worker", "--shard", str(shard), *options]) as worker:
            for _ in worker.results():
                pass
            try:
                worker.end()
            except RuntimeError as error:
                raise RuntimeError(f"shard {shard}: {error}") from None
            summary = worker.summary
        for key, total in totals.items():
            total.add(problems(summary) if key == "errors" else summary[key])
    yield from ()


def problems(summary):
    return summary["problems"]


def prepare(context):
    """Has executors fetch the binary and start Python, about a second's work that
    needs no plan. Whatever goes wrong with that, the run's own tasks do it again."""

    def start():
        try:
            cores = context.defaultParallelism
            context.parallelize(range(cores), cores).foreachPartition(lambda part: None)
        except Exception:
            pass

    thread = InheritableThread(target=start, daemon=True)
    thread.start()
    return thread


class Run:
    """The job, in a thread of its own."""

    def __init__(self, context, shards, name, options):
        self.context = context
        # For people, and to know when to give up. What counts is in the journal:
        # Spark may count a task twice, or not at all.
        self.totals = {key: context.accumulator(0) for key in ("lines", "bytes", "errors")}
        self.shards = shards
        self.error = None
        self.started = time.monotonic()
        totals = self.totals
        rdd = context.parallelize(range(shards), max(1, shards))
        self.job = rdd.mapPartitions(lambda part: check_shards(part, name, options, totals))
        self.thread = InheritableThread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        try:
            self.job.count()
        except Exception as error:  # of Java, of the network, of a task
            self.error = error

    def cancel(self):
        try:
            self.context.cancelAllJobs()
        except Exception:
            pass  # Spark itself has gone
        self.thread.join(30)

    def progress(self, style):
        lines, size, errors = (self.totals[key].value for key in ("lines", "bytes", "errors"))
        done = self.shards if not self.thread.is_alive() and self.error is None else 0
        try:
            tracker = self.context.statusTracker()
            for job in tracker.getActiveJobsIds():
                for stage in tracker.getJobInfo(job).stageIds:
                    info = tracker.getStageInfo(stage)
                    done += info.numCompletedTasks if info else 0
        except Exception:
            pass  # between two stages, or Spark itself has gone
        done = min(done, self.shards)
        seconds = time.monotonic() - self.started
        left = seconds / done * (self.shards - done) if done else None
        if style == "json":
            return json.dumps({"progress": {
                "shards": done, "all_shards": self.shards, "objects": lines, "bytes": size, "errors": errors,
                "seconds": round(seconds, 1), "bytes_per_second": round(size / seconds),
                "seconds_left": None if left is None else round(left, 1),
            }})
        return (f"{done} of {self.shards} shards, {lines} objects, {errors} errors, {size / 1e9:.1f} GB, "
                f"{size / 1e9 / seconds:.2f} GB/s, " + ("? left" if left is None else f"{left:.0f} s left"))


def follow(run, args):
    """Waits for the run, and reports whether it was interrupted."""
    next_line = time.monotonic() + args.progress_every
    try:
        while run.thread.is_alive():
            run.thread.join(0.2)
            if args.max_errors is not None and run.totals["errors"].value > args.max_errors:
                print(f"fleetsum.py: more than {args.max_errors} errors: cancelled", file=sys.stderr)
                run.cancel()
                return False
            if args.progress != "never" and time.monotonic() >= next_line:
                next_line += args.progress_every
                print(run.progress(args.progress), file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("fleetsum.py: interrupted: the same command goes on from here", file=sys.stderr)
        run.cancel()
        return True
    if args.progress != "never":
        print(run.progress(args.progress), file=sys.stderr, flush=True)
    return False


def own_stderr():
    """Has this process write to the standard error of spark-submit, which otherwise
    copies what its Python writes there to its standard output."""
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return
    try:
        libc = ctypes.CDLL(None, use_errno=True)
        # pidfd_open and pidfd_getfd: the same file, at the same place in it.
        parent = libc.syscall(434, os.getppid(), 0)
        fd = libc.syscall(438, parent, 2, 0) if parent >= 0 else -1
        if parent >= 0:
            os.close(parent)
        if fd < 0 and not stat.S_ISREG(os.stat(path := f"/proc/{os.getppid()}/fd/2").st_mode):
            fd = os.open(path, os.O_WRONLY)
        if fd >= 0:
            os.dup2(fd, 2)
            os.close(fd)
    except (AttributeError, OSError):
        pass  # it is not Linux


def interrupt(*_):
    raise KeyboardInterrupt


def main(argv):
    own_stderr()
    args = arguments(argv)
    args.binary = os.path.abspath(args.binary)  # a bare name is no command of PATH
    if "://" not in args.out:
        args.out = os.path.abspath(args.out)  # executors are elsewhere
    session = SparkSession.builder.appName("fleetsum").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    context = session.sparkContext
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    context.addFile(args.binary)  # as --files does; executors make it executable
    preparing = prepare(context)
    stores = [part for store in args.store for part in ("--store", store)]
    shards = split(args, args.shards or 4 * context.defaultParallelism, stores)
    preparing.join(PREPARATION)
    options = ["--journal", args.out, "--progress", "never", *stores, *shlex.split(args.worker)]
    run = Run(context, shards, os.path.basename(args.binary), options)
    interrupted = follow(run, args)
    if run.error is not None and not interrupted:
        print(f"fleetsum.py: the job has failed: {run.error}", file=sys.stderr)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the report is short
    report = subprocess.run([args.binary, "report", *stores, args.out])
    return INTERRUPTED if interrupted else report.returncode


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:  # before the job began
        sys.exit(INTERRUPTED)
    except Exception as error:  # Python's own status would say that objects have problems
        reason = str(error).strip().partition("\n")[0]
        print(f"fleetsum.py: {type(error).__name__}: {reason}", file=sys.stderr)
        sys.exit(FAILED)
