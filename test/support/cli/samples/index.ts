import type { Samples } from '../sample.ts';
import { directorySamples } from './directory.ts';
import { lockSamples } from './locks.ts';
import { workspaceSamples } from './workspaces.ts';

/** A call of every command. */
export const samples: Samples = {
  ...directorySamples,
  ...lockSamples,
  ...workspaceSamples,
};
