import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const newJob = ({ subject }: Pick<Trial, 'subject'>) => ({
  data: {
    type: 'bulk-jobs',
    attributes: { action: 'update', parameters: { description: 'x' }, selection: { ids: [subject.id] } },
  },
});

/** Sends the request for a new job of an owner. */
const onOthers = async (trial: Trial): Promise<void> => {
  const { body } = await trial.testbed.sendAsOwner('bulk-jobs.create', { body: newJob(trial) });
  await trial.send({ parameters: { bulk_job_id: body.data.id } });
};

/** Sends the request for a new job of the caller; for one of an owner if the caller may have none. */
const onOwn = async (trial: Trial): Promise<void> => {
  const { testbed, caller, send } = trial;
  const created = await testbed.call('bulk-jobs.create', caller.token, { body: newJob(trial) });
  if (created.status !== 202) return onOthers(trial);
  await send({ parameters: { bulk_job_id: created.body.data.id } });
};

const managers = ['owner', 'manage-workspaces', 'manage-projects', 'organization token'];

/**
 * Bulk jobs: every member may create one, because each of its changes needs the rights of the caller. Managers of workspaces see and
 * cancel those of others (JOB-12). Nobody applies or retries the job of somebody else.
 */
export const group = matrixGroup({
  name: 'bulk jobs',
  columns: {
    list: { routes: ['bulk-jobs.list'], seenBy: () => false },
    create: {
      routes: ['bulk-jobs.create'],
      attempt: (trial) => trial.send({ body: newJob(trial) }),
      seenBy: () => false,
    },
    'show others': {
      routes: ['bulk-jobs.show', 'bulk-jobs.list-items'],
      attempt: onOthers,
      seenBy: () => false,
    },
    'cancel others': { routes: ['bulk-jobs.cancel'], attempt: onOthers, seenBy: () => false },
    'apply others': {
      routes: ['bulk-jobs.apply', 'bulk-jobs.retry'],
      attempt: onOthers,
      seenBy: ({ rows }) => managers.some((name) => rows.includes(name)),
    },
    // Without `If-Match`.
    'apply own': { routes: ['bulk-jobs.apply'], attempt: onOwn, seenBy: () => false },
    // It has not ended.
    'retry own': { routes: ['bulk-jobs.retry'], attempt: onOwn, seenBy: () => false },
    // It was never applied.
    'report of own': { routes: ['bulk-jobs.report'], attempt: onOwn, seenBy: 'members' },
  },
  table: `
                       | list | create show-others cancel-others apply-others | apply retry report
    owner              | 200  | 202    200         202           404          | 428   409   404
    manage-projects    | 200  | 202    200         202           404          | 428   409   404
    manage-workspaces  | 200  | 202    200         202           404          | 428   409   404
    organization token | 200  | 202    200         202           404          | 428   409   404
    anyone             | 200  | 202    404         404           404          | 428   409   404
    audit trail token  | 404  | 404    404         404           404          | 404   404   404
    run with access    | 404  | 404    404         404           404          | 404   404   404
    outsider           | 404  | 404    404         404           404          | 404   404   404
    no valid token     | 401  | 401    401         401           401          | 401   401   401
  `,
});
