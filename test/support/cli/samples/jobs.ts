import type { CliBed } from '../cli-bed.ts';
import type { Samples } from '../sample.ts';

/** Creates a bulk job of a new workspace, and runs its preview. @returns its id. */
const createJob = async ({ api, createWorkspace, owner: token }: CliBed): Promise<string> => {
  const { id } = await createWorkspace();
  const attributes = { action: 'update', parameters: { description: 'x' }, selection: { ids: [id] } };
  const body = { data: { type: 'bulk-jobs', attributes } };
  const created = await api.request('POST', '/organizations/acme/bulk-jobs', { token, body });
  await api.lambda.runDeferred();
  return created.body.data.id;
};

/** Creates a bulk job that has ended. @returns its id. */
const runJob = async (bed: CliBed): Promise<string> => {
  const { api, owner: token } = bed;
  const id = await createJob(bed);
  const { headers } = await api.request('GET', `/bulk-jobs/${id}`, { token });
  const applying = { token, headers: { 'if-match': String(headers['etag']) } };
  await api.request('POST', `/bulk-jobs/${id}/actions/apply`, applying);
  await api.lambda.runDeferred();
  return id;
};

/** Creates a bulk job that was canceled. @returns its id. */
const cancelJob = async (bed: CliBed): Promise<string> => {
  const id = await createJob(bed);
  await bed.api.request('POST', `/bulk-jobs/${id}/actions/cancel`, { token: bed.owner });
  return id;
};

const working = ({ api }: CliBed) => ({ wait: () => api.lambda.runDeferred() });

/** Calls of the commands of bulk jobs. */
export const jobSamples: Samples = {
  'job create': async (bed) => {
    const names = [(await bed.createWorkspace()).name, (await bed.createWorkspace()).name];
    return { args: ['update', ...names, '--set', 'description=x', '--yes'], options: working(bed) };
  },
  'job list': async (bed) => {
    await createJob(bed);
    return { args: ['--limit', '1'] };
  },
  'job show': async (bed) => ({ args: [await createJob(bed)] }),
  'job items': async (bed) => ({ args: [await createJob(bed)] }),
  'job apply': async (bed) => ({ args: [await createJob(bed), '--yes'], options: working(bed) }),
  'job watch': async (bed) => ({ args: [await runJob(bed)] }),
  'job cancel': async (bed) => ({ args: [await createJob(bed)] }),
  'job retry': async (bed) => ({ args: [await cancelJob(bed), '--yes'], options: working(bed) }),
  'job report': async (bed) => ({ args: [await runJob(bed)] }),
};
