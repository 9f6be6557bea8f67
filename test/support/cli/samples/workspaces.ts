import type { Samples } from '../sample.ts';

/** Calls of the commands of workspaces. */
export const workspaceSamples: Samples = {
  'ws list': async ({ createWorkspace }) => {
    await createWorkspace();
    return { args: [] };
  },
  'ws show': async ({ createWorkspace }) => ({ args: [(await createWorkspace()).name] }),
};
