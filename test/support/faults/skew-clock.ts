/** Preloaded by the threads of functions: gives each thread a clock of its own, up to `MAX_SKEW` milliseconds off the time. */
import { threadId } from 'node:worker_threads';

/** LOCK-21 allows a second. */
const MAX_SKEW = 500;
const skew = ((threadId * 211) % (2 * MAX_SKEW + 1)) - MAX_SKEW;
const readTime = Date.now;
Date.now = () => readTime() + skew;
