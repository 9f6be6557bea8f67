import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const body = { data: { type: 'data-retention-policy-dont-deletes' } };

/** Sends the request for a workspace with a retention policy. */
const withPolicy = async ({ testbed, subject, route, send }: Trial): Promise<void> => {
  await testbed.createOnce(`of ${subject.id}`, () => testbed.sendAsOwner('retention-policies.set', { subject, body }));
  await send(route === 'retention-policies.replace' ? { body } : {});
};

/** Sends the request for a workspace without a retention policy. */
const withoutPolicy = async ({ testbed, subject, send }: Trial): Promise<void> => {
  await testbed.createOnce(`none of ${subject.id}`, () =>
    testbed.call('retention-policies.delete', testbed.ownerToken, { subject }),
  );
  await send({ body });
};

export const group = matrixGroup({
  name: 'data retention policies',
  columns: {
    show: { routes: ['retention-policies.show'], attempt: withPolicy },
    set: { routes: ['retention-policies.set'], attempt: withoutPolicy },
    replace: { routes: ['retention-policies.replace'], attempt: withPolicy },
    delete: { routes: ['retention-policies.delete'], attempt: withPolicy },
  },
  table: `
                       | show | set | replace | delete
    owner              | 200  | 201 | 200     | 204
    manage-projects    | 200  | 201 | 200     | 204
    manage-workspaces  | 200  | 201 | 200     | 204
    organization token | 200  | 201 | 200     | 204
    read everywhere    | 200  | 404 | 404     | 404

    project read       | 200  | 404 | 404     | 404
    project write      | 200  | 404 | 404     | 404
    project maintain   | 200  | 201 | 200     | 204
    project admin      | 200  | 201 | 200     | 204

    workspace read     | 200  | 404 | 404     | 404
    workspace write    | 200  | 404 | 404     | 404
    workspace admin    | 200  | 201 | 200     | 204

    no access          | 404  | 404 | 404     | 404
    outsider           | 404  | 404 | 404     | 404
    no valid token     | 401  | 401 | 401     | 401
  `,
});
