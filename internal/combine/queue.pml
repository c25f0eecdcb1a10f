/*
 * A model of the queue of a Shard, for SPIN. docs/queue.md says what it covers.
 *
 * "func" names a function of Go. The comments "go" and "out" that follow have its lines,
 * all of them and in their order. A line "go" is modelled beside or above its comment, a
 * line "out" is left out. TestModelIsTheSource fails where this is no longer true.
 */

#ifndef WIDTH
#define WIDTH 2 /* lanes of a batch */
#endif
#ifndef N
#define N 3 /* goroutines, which make one request each, again and again */
#endif
#define PROCS 2 /* GOMAXPROCS, until it falls to 1 */
#ifndef STEPS
#define STEPS 2 /* of a job, at most */
#endif

/* A STEP looks to others as if it happened at once: it takes the lock mu or waits, then
 * does what only its goroutine can see, and ends when it gives up the lock, a request or
 * a batch. With FINE, others may come between any two statements. */
#ifdef FINE
#define STEP
#else
#define STEP atomic
#endif

/* A Shard. */
bool open = true;
byte waiting, combiners, maxCombiners;
bit mu, busy; /* 1 when locked */
chan queue = [N] of { byte };

/* Requests are numbers from 1 on, as are their goroutines. */
bool done[4], parked[4];
byte batch[4]; /* the batch that is passed on, or 0 */
byte left[4];  /* steps until the job is done, at most */
bool bad;          /* the memory of job 1 cannot be read: found out by a step */

/* Batches are numbers from 1 on. */
byte jobs[4]; /* a bit for each job */
byte size[4]; /* the number of jobs */

/* What only assertions and formulas read. */
bool shared[4];  /* others than its goroutine may touch the request */
byte owner[4];   /* the goroutine that may touch the batch */
byte times[4];   /* how often the job was done */
byte counted[4]; /* shard.lengths */
bool inDo[4];
bool closing, closed;

byte procs = PROCS;

#define touch(r) assert(r == me || shared[r])
#define touchBatch(b) assert(owner[b] == me)
#define has(b, r) ((jobs[b] >> (r)) & 1)

inline lock() { atomic { mu == 0 -> mu = 1 } }

inline unlock()
{
	d_step {
		assert(waiting == len(queue));
		assert(waiting == 0 || combiners > 0); /* a queue has a combiner */
		assert((busy == 1) || combiners == 0);
		mu = 0
	}
}

inline newBatch(b)
{
	d_step {
		b = (owner[1] == 0 -> 1 : (owner[2] == 0 -> 2 : 3));
		assert(owner[b] == 0);
		owner[b] = me;
		jobs[b] = 0;
		size[b] = 0
	}
}

inline release(b) { d_step { touchBatch(b); assert(jobs[b] == 0); owner[b] = 0 } }

/* A fault leaves the batch to the garbage collector. */
inline drop(b) { d_step { touchBatch(b); owner[b] = 0; jobs[b] = 0; size[b] = 0 } }

/* Takes the lowest bit from a mask that is not 0. */
inline lowest(mask, r)
{
	d_step {
		r = (mask & 2 -> 1 : (mask & 4 -> 2 : 3));
		mask = mask & ~(1 << r)
	}
}

inline join(b, r)
{
	d_step {
		touchBatch(b);
		touch(r);
		assert(size[b] < WIDTH && !has(b, r));
		jobs[b] = jobs[b] | (1 << r);
		size[b]++
	}
}

/* func request.go alone
 * go: *r.Job.State = r.state
 * go: for _, p := range r.Job.Segments {
 * go: block.Compress(r.Job.State, p)
 * go: r.done = true
 */
inline alone(r)
{
	touch(r);
	if
	:: r == 1 && bad /* Do panics in the goroutine whose memory it is */
	:: else -> times[r]++; done[r] = true
	fi
}

/* func request.go wake */
inline wake(r, b)
{
	touch(r);
	batch[r] = b;
	/* go: r.batch = b */
	d_step {
		assert(parked[r]);
		owner[b] = (b > 0 -> r : 0);
		shared[r] = false;
		parked[r] = false
	}
	/* go: r.parked.Unlock() */
}

/* func request.go wait */
inline wait(r, b)
{
	parked[r] == false;
	/* go: r.parked.RLock() */
	b = batch[r];
	/* go: b := r.batch */
	batch[r] = 0;
	/* go: r.batch = nil */
	/* out: r.parked.RUnlock() */
	parked[r] = true;
	/* go: r.parked.Lock() // at once: for the next wait */
	/* out: return b */
}

/* func shard.go push */
inline push(r)
{
	queue ! r;
	/* go: *s.last = r */
	/* go: s.last = &r.next */
	waiting++
	/* go: s.waiting.Add(1) */
}

/* func shard.go pop */
inline pop(r)
{
	assert(len(queue) > 0);
	queue ? r;
	touch(r);
	/* go: r := s.first */
	/* go: s.first, r.next = r.next, nil */
	/* go: if s.first == nil { */
	/* go: s.last = &s.first */
	waiting--
	/* go: s.waiting.Add(-1) */
	/* out: return r */
}

/* func shard.go leave */
inline leave(r, own)
{
	touch(r);
	assert(counted[r] == 1);
	counted[r]--;
	/* go: s.lengths[r.class].Add(-1) */
	if
	:: r != own ->
		/* go: if r != own { */
		wake(r, 0)
		/* go: r.wake(nil) */
	:: else
	fi
}

/* func shard.go pass */
inline pass(b)
{
	touchBatch(b);
	if
	:: size[b] > 0 ->
		/* go: if len(b.Jobs()) > 0 { */
		if /* the longest request is any */
		:: has(b, 1) -> j = 1
		:: has(b, 2) -> j = 2
		:: has(b, 3) -> j = 3
		fi;
		wake(j, b)
		/* go: b.Longest().Owner.(*Request).wake(b) */
		/* go: return */
	:: else ->
		lock();
		/* go: s.mu.Lock() */
		if
		:: len(queue) > 0 && combiners <= maxCombiners ->
			/* go: if s.first != nil && s.combiners <= s.maxCombiners { */
			pop(j);
			/* go: r := s.pop() */
			unlock();
			/* go: s.mu.Unlock() */
			join(b, j);
			/* go: b.Join(&r.Job) */
			wake(j, b)
			/* go: r.wake(b) */
			/* go: return */
		:: else ->
			combiners--;
			if
			:: combiners == 0 -> assert(busy == 1); busy = 0
			:: else
			fi;
			/* go: if s.combiners--; s.combiners == 0 { */
			/* go: s.busy.Unlock() */
			unlock();
			/* go: s.mu.Unlock() */
			release(b)
			/* go: b.Release() */
		fi
	fi;
	j = 0
}

/* func shard.go admit */
inline admit(b)
{
	touchBatch(b);
	if
	:: waiting == 0 || size[b] == WIDTH
		/* go: if s.waiting.Load() == 0 || b.Room() == 0 { */
		/* go: return */
	:: else ->
		lock();
		/* go: s.mu.Lock() */
		if
		:: combiners > maxCombiners
			/* go: defer s.mu.Unlock() */
			/* go: if s.combiners > s.maxCombiners { */
			/* go: return */
		:: else ->
			n = (waiting + combiners - 1) / combiners; /* share(waiting, combiners) */
			n = (n < WIDTH - size[b] -> n : WIDTH - size[b]);
			do
			:: n > 0 -> n--; pop(j); join(b, j)
			:: else -> break
			od
			/* go: for range min(share(int(s.waiting.Load()), s.combiners), b.Room()) { */
			/* go: b.Join(&s.pop().Job) */
		fi;
		unlock()
	fi;
	j = 0
}

/* func shard.go stepLimit
 * out: if b.Room() > 0 {
 * out: return blocksPerStep
 * out: return math.MaxInt
 */

/* What lanes.Batch.Step does: a step for each job. finished is a mask of the jobs that
 * it finishes. */
inline step(b, finished)
{
	touchBatch(b);
	finished = 0;
	j = 1;
	if
	:: has(b, 1) -> bad = true; j = N + 1
	:: true
	fi;
	do
	:: j > N -> break
	:: j <= N ->
		if
		:: has(b, j) ->
			touch(j);
			left[j]--;
			if
			:: times[j]++;
				left[j] = 0;
				finished = finished | (1 << j);
				jobs[b] = jobs[b] & ~(1 << j);
				size[b]--
			:: left[j] > 0
			fi
		:: else
		fi;
		j++
	od;
	j = 0
}

/* func shard.go combine
 * out: defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
 * go: defer func() {
 */
inline combine(b, r)
{
	do
	::
		STEP {
			admit(b);
			step(b, n)
		}
		if
		:: has(b, 1) && bad -> break
		:: else
		fi;
		do
		:: n > 0 ->
			STEP {
				lowest(n, j);
				touch(j);
				assert(!done[j]);
				done[j] = true;
				leave(j, r);
				j = 0
			}
		:: else -> break
		od;
		if
		:: done[r] -> break
		:: else
		fi
	od;
	if
	:: done[r]
		/* go: if r.done { */
		/* go: return */
	:: else ->
		/* go: cause := recover() */
		n = jobs[b];
		drop(b);
		do
		:: n > 0 ->
			STEP {
				lowest(n, j);
				leave(j, r);
				j = 0
			}
		:: else -> break
		od;
		/* go: for _, j := range b.Jobs() { */
		/* go: s.leave(j.Owner.(*Request), r) */
		newBatch(b)
		/* go: b = lanes.NewBatch() */
		/* go: s.pass(b) */
		/* out: if _, fault := cause.(interface{ Addr() uintptr }); !fault { */
		/* out: panic(cause) */
		/* out: }() */
	fi;
	STEP {
		pass(b);
		b = 0
	}
	/* out: if window { */
	/* out: s.openWindow(b) */
	/* go: for { */
	/* go: s.admit(b) */
	/* go: done := b.Step(stepLimit(b)) */
	/* go: for _, j := range done { */
	/* go: other := j.Owner.(*Request) */
	/* go: other.done = true */
	/* go: s.leave(other, r) */
	/* go: if r.done { */
	/* go: break */
	/* out: if len(done) > 0 && s.wants(b) { */
	/* out: s.yield() // goroutines of finished requests go on, and may come again */
	/* go: s.pass(b) */
}

/* func shard.go meet */
inline meet(r)
{
	STEP {
		lock();
		/* go: s.mu.Lock() */
		if
		:: !open ->
			/* go: if !s.open.Load() { */
			unlock();
			/* go: s.mu.Unlock() */
			goto undone
			/* go: return */
		:: else
		fi;
		if
		:: maxCombiners = procs
		:: maxCombiners > 0
		fi;
		/* go: if s.lookup--; s.lookup < 0 { */
		/* go: s.lookup = lookupEvery */
		/* go: s.maxCombiners = (runtime.GOMAXPROCS(0) + s.shards - 1) / s.shards */
		if
		:: combiners >= maxCombiners ->
			/* go: if s.combiners >= s.maxCombiners { */
			if
			:: true ->
				/* go: if s.crowded(r) { */
				unlock();
				/* go: s.mu.Unlock() */
				goto undone
				/* go: return */
			:: true
			fi;
			counted[r]++;
			/* go: s.lengths[r.class].Add(1) */
			shared[r] = true;
			push(r);
			/* go: s.push(r) */
			unlock()
			/* go: s.mu.Unlock() */
		:: else -> /* its lines follow, in the order of the source */
			combiners++;
			if
			:: combiners == 1 -> atomic { busy == 0 -> busy = 1 }
			:: else
			fi;
			counted[r]++;
			unlock();
			newBatch(b);
			join(b, r)
		fi
	}
	if
	:: b == 0 -> STEP { wait(r, b) }
	:: else -> goto combining
	fi;
	if
	:: b == 0 -> goto undone
	:: else
	fi;
	/* go: if b := r.wait(); b != nil { */
	/* go: s.combine(b, r, len(b.Jobs()) == 1) */
	/* go: return */
	/* go: if s.combiners++; s.combiners == 1 { */
	/* go: s.busy.Lock() // does not wait: after Close has locked it, no combiner comes */
	/* go: s.lengths[r.class].Add(1) */
	/* go: s.mu.Unlock() */
	/* go: b := lanes.NewBatch() */
	/* go: b.Join(&r.Job) */
combining:
	combine(b, r);
	/* go: s.combine(b, r, true) */
undone:
	skip
}

/* func shard.go Do */
proctype goroutine(byte me)
{
	byte b, j, n;
	do
	::
		d_step {
			inDo[me] = true;
			times[me] = 0;
			done[me] = false;
			/* go: r.done = false */
			/* out: r.state = *r.Job.State */
			/* out: r.class = lengthClass(r.Job.Segments[:]) */
			/* out: defer r.end() */
			left[me] = STEPS;
			bad = (me == 1 -> false : bad)
		}
		meet(me);
		/* go: s.meet(r) */
		STEP {
			if
			:: !done[me] -> alone(me)
			:: else
			fi;
			/* go: if !r.done { */
			/* go: r.alone() */
			/* Each request is done once, if its memory can be read. */
			assert(times[me] == (me == 1 && bad -> 0 : 1));
			assert(counted[me] == 0 && !shared[me] && parked[me] && batch[me] == 0);
			left[me] = 0;
			inDo[me] = false
		}
	od
}

/* func shard.go Close */
proctype closer()
{
	closing = true;
	{
		lock();
		/* go: s.mu.Lock() */
		open = false;
		/* go: s.open.Store(false) */
		unlock()
		/* go: s.mu.Unlock() */
	}
	atomic { busy == 0 -> busy = 1 }
	/* go: s.busy.Lock() */
	assert(combiners == 0 && len(queue) == 0);
	closed = true;
	busy = 0
	/* go: defer s.busy.Unlock() */
}

init
{
	atomic {
		parked[1] = true;
		parked[2] = true;
		parked[3] = true;
		run goroutine(1);
		run goroutine(2);
#if N == 3
		run goroutine(3)
#endif
	}
	if
	:: procs = 1 /* GOMAXPROCS falls */
	:: true
	fi;
	if
	:: run closer()
	:: true
	fi
}

/* With weak fairness. */
ltl first { [] (inDo[1] -> <> !inDo[1]) }
ltl last { [] (inDo[N] -> <> !inDo[N]) }
ltl closes { [] (closing -> <> closed) }
