import type { Samples } from '../sample.ts';
import { apiSamples } from './api.ts';
import { authSamples } from './auth.ts';
import { bundleSamples, importSamples } from './bundles.ts';
import { directorySamples } from './directory.ts';
import { historySamples } from './history.ts';
import { jobSamples } from './jobs.ts';
import { lockSamples } from './locks.ts';
import { stateSamples } from './states.ts';
import { variableSamples } from './variables.ts';
import { workspaceSamples } from './workspaces.ts';

/** A call of every command. */
export const samples: Samples = {
  ...authSamples,
  ...apiSamples,
  ...bundleSamples,
  ...importSamples,
  ...directorySamples,
  ...historySamples,
  ...jobSamples,
  ...lockSamples,
  ...stateSamples,
  ...variableSamples,
  ...workspaceSamples,
};
