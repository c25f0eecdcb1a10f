"""Checks, or writes, the SHA-256 digests of objects under Spark.

    spark-submit fleetsum.py --binary FLEETSUM check LIST... --out URL
    spark-submit fleetsum.py --binary FLEETSUM write LIST... --out URL

FLEETSUM plans the run at URL, a directory that all executors see or a place in
an object store; each task checks one shard of it; FLEETSUM writes the report.
All that Spark adds is where and when: what was found is in the journal at URL,
and the same command again goes on with what is not there yet.

The exit status is that of `fleetsum report`: 0 if every line has been checked
and is as it should be, 1 if some are not, 2 if some have not been checked; and
130 after an interrupt.
"""

import argparse
import ctypes
import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from pyspark import InheritableThread, SparkFiles, TaskContext
from pyspark.sql import SparkSession

INTERRUPTED = 130
PREPARATION = 10  # seconds that executors have to get ready after the plan is


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
    if args.since:
        command += ["--since", args.since]
    done = subprocess.run([*command, "--", *args.lists], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(2)  # it has said why
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
    # A task has so many of the executor's cores, and no more.
    environment = {"GOMAXPROCS": str(TaskContext.get().cpus()), **os.environ}
    for shard in shards:
        with tempfile.TemporaryFile() as errors:
            worker = subprocess.Popen(
                [SparkFiles.get(name), "worker", "--shard", str(shard), *options],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                env=environment, preexec_fn=die_with_parent,
            )
            summary = None
            try:
                for line in worker.stdout:
                    if line.startswith(b'{"summary":'):
                        summary = json.loads(line)["summary"]
                status = worker.wait()
            finally:
                worker.kill()
                worker.wait()
            if status != 0 or summary is None:
                errors.seek(max(0, errors.seek(0, os.SEEK_END) - 2000))
                reason = errors.read().decode(errors="replace").strip()
                raise RuntimeError(f"shard {shard}: the worker ended with status {status}: {reason}")
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


def interrupt(*_):
    raise KeyboardInterrupt


def main(argv):
    args = arguments(argv)
    if "://" not in args.out:
        args.out = os.path.abspath(args.out)  # executors are elsewhere
    session = SparkSession.builder.appName("fleetsum").config("spark.ui.showConsoleProgress", "false").getOrCreate()
    context = session.sparkContext
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    context.addFile(os.path.abspath(args.binary))  # as --files does; executors make it executable
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
