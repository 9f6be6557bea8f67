import type { BurstMeasure } from './burst.ts';
import type { ColdStart } from './cold-start.ts';
import type { ListIndexLoad } from './list-index-load.ts';
import type { OperationMeasure } from './measure-operations.ts';
import type { ThroughputMeasure, ThroughputRatio } from './throughput.ts';

/** Results of a benchmark run, in the format of `results.json`. */
export interface BenchResults {
  readonly machine: { readonly cores: number; readonly processor: string; readonly node: string };
  /** Number of workspaces seeded per second. */
  readonly seedingRate: number;
  readonly operations: readonly OperationMeasure[];
  readonly throughput: readonly ThroughputMeasure[];
  readonly ratios: readonly ThroughputRatio[];
  readonly burst: BurstMeasure;
  readonly listIndex: ListIndexLoad;
  readonly coldStarts: ColdStart;
}
