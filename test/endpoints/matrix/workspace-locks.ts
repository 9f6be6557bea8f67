import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const lockByKeeper = ({ world, subject }: Trial) => world.keep('workspaces.lock', { subject });

/** On a workspace that somebody has locked, and that nobody has when it is over. */
const whileLocked =
  (lock: (trial: Trial) => Promise<unknown>) =>
  async (trial: Trial): Promise<void> => {
    const { world, subject, send } = trial;
    await lock(trial);
    const { status } = await send();
    if (status >= 400) await world.keep('workspaces.force-unlock', { subject });
  };

/** Unlocking: a lock of the caller's own, taken while it could where it no longer may, and somebody else's. */
export const group = matrixGroup({
  name: 'locks',
  columns: {
    lock: {
      routes: ['workspaces.lock'],
      attempt: async ({ world, subject, send }) => {
        if ((await send()).status === 200) await world.keep('workspaces.force-unlock', { subject });
      },
    },
    'unlock the own lock': {
      routes: ['workspaces.unlock'],
      attempt: whileLocked(async (trial) => {
        // Where even more access than it has would not let it lock, somebody else's lock is as near as it gets.
        if (!(await trial.world.lockAs(trial.caller, trial.subject))) await lockByKeeper(trial);
      }),
    },
    "unlock another's lock": { routes: ['workspaces.unlock'], attempt: whileLocked(lockByKeeper) },
    'force-unlock': { routes: ['workspaces.force-unlock'], attempt: whileLocked(lockByKeeper) },
  },
  table: `
                                | lock | unlock  | force-unlock
    owner                       | 200  | 200 409 | 200
    manage-projects             | 200  | 200 409 | 200
    manage-workspaces           | 200  | 200 409 | 200
    organization token          | 404  | 404 404 | 200
    read everywhere             | 404  | 404 404 | 404

    project read                | 404  | 404 404 | 404
    project write               | 200  | 200 409 | 404
    project maintain            | 200  | 200 409 | 200
    project admin               | 200  | 200 409 | 200

    workspace read              | 404  | 404 404 | 404
    workspace plan, and locking | 200  | 200 409 | 404
    workspace write             | 200  | 200 409 | 404
    workspace admin             | 200  | 200 409 | 200

    custom                      | 404  | 404 404 | 404
    custom workspace-locking    | 200  | 200 409 | 404

    no access                   | 404  | 404 404 | 404
    outsider                    | 404  | 404 404 | 404
    no valid token              | 401  | 401 401 | 401
  `,
});
