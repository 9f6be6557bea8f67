import type { CliBed, CliOptions } from './cli-bed.ts';

/** A call of a command that succeeds. */
export interface Sample {
  /** Arguments after the name of the command. */
  readonly args: readonly string[];
  readonly options?: CliOptions;
  /** Exit code of the success, if it is not 0, such as 7 for a comparison that finds differences. */
  readonly code?: number;
}

/**
 * Calls by the names of commands. Each function prepares what the command needs, such as a new workspace, and is called for
 * every run, because a command may delete what it was given.
 */
export type Samples = Readonly<Record<string, (bed: CliBed) => Sample | Promise<Sample>>>;
