import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const lockAsOwner = ({ testbed, subject }: Trial) => testbed.sendAsOwner('workspaces.lock', { subject });

/** Sends the request for a workspace that is locked by a user. The workspace is unlocked afterwards. */
const whileLocked =
  (lock: (trial: Trial) => Promise<unknown>, { releases = true } = {}) =>
  async (trial: Trial): Promise<void> => {
    const { testbed, subject, send } = trial;
    await lock(trial);
    const { status } = await send();
    if (status >= 400 || !releases) await testbed.sendAsOwner('workspaces.force-unlock', { subject });
  };

const LEASE = { 'lease-seconds': 3_600 };
const RENEWAL = { releases: false };

/** Workspace locks: the caller unlocks or renews its own lock, which it took with temporary access if necessary, and another caller's lock. */
export const group = matrixGroup({
  name: 'locks',
  columns: {
    lock: {
      routes: ['workspaces.lock'],
      attempt: async ({ testbed, subject, send }) => {
        if ((await send()).status === 200) await testbed.sendAsOwner('workspaces.force-unlock', { subject });
      },
    },
    'unlock the own lock': {
      routes: ['workspaces.unlock'],
      attempt: whileLocked(async (trial) => {
        // A caller that cannot lock even with temporary access tries to unlock another caller's lock.
        if (!(await trial.testbed.lockAs(trial.caller, trial.subject))) await lockAsOwner(trial);
      }),
    },
    "unlock another's lock": { routes: ['workspaces.unlock'], attempt: whileLocked(lockAsOwner) },
    'renew the own lock': {
      routes: ['workspaces.renew-lock'],
      attempt: whileLocked(async (trial) => {
        if (!(await trial.testbed.lockAs(trial.caller, trial.subject, LEASE))) await lockAsOwner(trial);
      }, RENEWAL),
    },
    "renew another's lock": { routes: ['workspaces.renew-lock'], attempt: whileLocked(lockAsOwner, RENEWAL) },
    'force-unlock': { routes: ['workspaces.force-unlock'], attempt: whileLocked(lockAsOwner) },
  },
  table: `
                                | lock | unlock  | renew-lock | force-unlock
    owner                       | 200  | 200 409 | 200 409    | 200
    manage-projects             | 200  | 200 409 | 200 409    | 200
    manage-workspaces           | 200  | 200 409 | 200 409    | 200
    organization token          | 404  | 404 404 | 404 404    | 200
    read everywhere             | 404  | 404 404 | 404 404    | 404

    project read                | 404  | 404 404 | 404 404    | 404
    project write               | 200  | 200 409 | 200 409    | 404
    project maintain            | 200  | 200 409 | 200 409    | 200
    project admin               | 200  | 200 409 | 200 409    | 200

    workspace read              | 404  | 404 404 | 404 404    | 404
    workspace plan, and locking | 200  | 200 409 | 200 409    | 404
    workspace write             | 200  | 200 409 | 200 409    | 404
    workspace admin             | 200  | 200 409 | 200 409    | 200

    custom                      | 404  | 404 404 | 404 404    | 404
    custom workspace-locking    | 200  | 200 409 | 200 409    | 404

    no access                   | 404  | 404 404 | 404 404    | 404
    outsider                    | 404  | 404 404 | 404 404    | 404
    no valid token              | 401  | 401 401 | 401 401    | 401
  `,
});
