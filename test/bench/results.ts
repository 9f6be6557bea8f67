import type { BurstMeasure } from './burst.ts';
import type { ColdStart } from './cold-start.ts';
import type { ListIndexLoad } from './list-index-load.ts';
import type { OperationMeasure } from './measure-operations.ts';
import type { ThroughputMeasure, ThroughputRatio } from './throughput.ts';

/** What a run of the benchmark measured, as `results.json` holds it. */
export interface BenchResults {
  readonly machine: { readonly cores: number; readonly processor: string; readonly node: string };
  /** Workspaces put into the table a second. */
  readonly seedingRate: number;
  readonly operations: readonly OperationMeasure[];
  readonly throughput: readonly ThroughputMeasure[];
  readonly ratios: readonly ThroughputRatio[];
  readonly burst: BurstMeasure;
  readonly listIndex: ListIndexLoad;
  readonly coldStarts: ColdStart;
}
