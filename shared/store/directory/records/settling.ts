/**
 * Time, in milliseconds, after which no request that read an old record can still write, and the index contains all
 * writes of such requests. It is longer than the maximum duration of a function, its cache and the lag of the index.
 */
export const SETTLING = 30_000;
