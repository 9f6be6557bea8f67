/** Percentiles of durations, in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
}

const percentile = (values: readonly number[], part: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
};
export const median = (values: readonly number[]): number => percentile(values, 0.5);
export const percentilesOf = (values: readonly number[]): Percentiles => ({
  p50: median(values),
  p95: percentile(values, 0.95),
  p99: percentile(values, 0.99),
});
export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
