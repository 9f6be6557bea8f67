import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Testbed } from '../../support/matrix/testbed.ts';

const body = { data: { type: 'data-retention-policy-dont-deletes' } };

const makePolicy = (testbed: Testbed) =>
  testbed.createOnce('a policy', () => testbed.sendAsOwner('default-retention-policies.set', { body }));

/** Sends the request while the organization has a default policy. */
const withPolicy = async ({ testbed, route, send }: Trial): Promise<void> => {
  await makePolicy(testbed);
  await send(route === 'default-retention-policies.replace' ? { body } : {});
};

/** Sends the request while the organization has no default policy. */
const withoutPolicy = async ({ testbed, send }: Trial): Promise<void> => {
  await testbed.createOnce('none', () => testbed.call('default-retention-policies.delete', testbed.ownerToken));
  await send({ body });
};

/** Default retention policies: callers that may update the organization may set its default policy. */
export const group = matrixGroup({
  name: 'default data retention policies',
  columns: {
    show: { routes: ['default-retention-policies.show'], seenBy: 'members', attempt: withPolicy },
    'show through a workspace': {
      routes: ['retention-policies.show'],
      attempt: async ({ testbed, send }) => {
        await makePolicy(testbed);
        await send();
      },
    },
    set: { routes: ['default-retention-policies.set'], seenBy: 'members', attempt: withoutPolicy },
    replace: { routes: ['default-retention-policies.replace'], seenBy: 'members', attempt: withPolicy },
    delete: { routes: ['default-retention-policies.delete'], seenBy: 'members', attempt: withPolicy },
  },
  table: `
                       | show | by workspace | set | replace | delete
    owner              | 200  | 200          | 201 | 200     | 204
    organization token | 200  | 200          | 201 | 200     | 204
    no access          | 200  | 404          | 404 | 404     | 404
    outsider           | 404  | 404          | 404 | 404     | 404
    no valid token     | 401  | 401          | 401 | 401     | 401
    anyone             | 200  | 200          | 404 | 404     | 404
  `,
});
