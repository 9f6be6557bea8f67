import type { Samples } from '../sample.ts';

/** Calls of the command for any request. */
export const apiSamples: Samples = {
  api: async ({ createWorkspace }) => ({
    args: ['GET', 'workspaces/{workspace}', '-p', `workspace=${(await createWorkspace()).name}`],
  }),
};
