import type { Samples } from '../sample.ts';

/** Calls of the commands of locks. */
export const lockSamples: Samples = {
  lock: async ({ createWorkspace }) => ({
    args: [(await createWorkspace()).name, '--reason', 'migrating', '--lease', '15m'],
  }),
  unlock: async ({ createWorkspace, run }) => {
    const { name } = await createWorkspace();
    await run(['lock', name]);
    return { args: [name] };
  },
  locks: async ({ createWorkspace, run }) => {
    await run(['lock', (await createWorkspace()).name]);
    return { args: [] };
  },
};
