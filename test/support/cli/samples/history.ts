import { followHistory } from '../../history/history-follower.ts';
import type { CliBed } from '../cli-bed.ts';
import type { Samples } from '../sample.ts';

/** Creates a workspace and writes the entry of the change. */
const createRecorded = async ({ api, createWorkspace }: CliBed): Promise<{ readonly name: string }> => {
  const { record } = await followHistory(api);
  const { name } = await createWorkspace();
  await record();
  return { name };
};

/** Calls of the commands of histories. */
export const historySamples: Samples = {
  'ws history': async (bed) => ({ args: [(await createRecorded(bed)).name] }),
  'audit list': async (bed) => {
    await createRecorded(bed);
    return { args: ['--limit', '1'] };
  },
};
