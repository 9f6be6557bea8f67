import { expect } from 'vitest';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const remove = async ({ testbed, caller, subject, send }: Trial): Promise<void> => {
  if ((await send()).status !== 204) return;
  testbed.discardWorkspace(caller);
  const { status } = await testbed.call('workspaces.show', testbed.ownerToken, { subject });
  expect(status, 'whether it is still there').toBe(404);
};

/** A dry run needs the same permission as the deletion, and is 200 where the deletion is 204. */
const preview = ({ send }: Trial) => send({ query: 'dry-run=true' });

const whereAdminsMay =
  (attempt: (trial: Trial) => Promise<unknown>) =>
  async (trial: Trial): Promise<void> => {
    await trial.testbed.letAdminsForceDelete(true);
    await attempt(trial);
    await trial.testbed.letAdminsForceDelete(false);
  };

const forced = ['workspaces.force-delete', 'workspaces.force-delete-by-name'] as const;

/** Workspace deletion: forced with the organization's setting off and on. `show` with the setting on reports the permission. */
export const group = matrixGroup({
  name: 'deletion',
  columns: {
    'safe-delete': { routes: ['workspaces.safe-delete', 'workspaces.safe-delete-by-name'], attempt: remove },
    'force-delete': { routes: forced, attempt: remove },
    'force-delete where admins may': { routes: forced, attempt: whereAdminsMay(remove) },
    'dry run of a safe-delete': {
      routes: ['workspaces.safe-delete', 'workspaces.safe-delete-by-name'],
      attempt: preview,
    },
    'dry run of a force-delete': { routes: forced, attempt: preview },
    'show where admins may force-delete': {
      routes: ['workspaces.show'],
      attempt: whereAdminsMay(({ send }) => send()),
    },
  },
  table: `
                          | safe-delete | force-delete | dry run | show
    owner                 | 204         | 204 204      | 200 200 | 200
    manage-projects       | 204         | 403 204      | 200 403 | 200
    manage-workspaces     | 204         | 403 204      | 200 403 | 200
    organization token    | 204         | 403 204      | 200 403 | 200
    read everywhere       | 404         | 403 403      | 404 403 | 200

    project read          | 404         | 403 403      | 404 403 | 200
    project write         | 404         | 403 403      | 404 403 | 200
    project maintain      | 204         | 403 204      | 200 403 | 200
    project admin         | 204         | 403 204      | 200 403 | 200
    project custom delete | 204         | 403 403      | 200 403 | 200

    workspace read        | 404         | 403 403      | 404 403 | 200
    workspace write       | 404         | 403 403      | 404 403 | 200
    workspace admin       | 204         | 403 204      | 200 403 | 200

    no access             | 404         | 404 404      | 404 404 | 404
    run with access       | 404         | 403 403      | 404 403 | 200
    outsider              | 404         | 404 404      | 404 404 | 404
    no valid token        | 401         | 401 401      | 401 401 | 401
  `,
});
