import { expect } from 'vitest';
import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';
import type { Caller } from '../../support/matrix/testbed.ts';

const WORKSPACES = ['manage-workspaces', 'manage-projects'];
const TEAMS = ['manage-teams', 'manage-organization-access'];
const READERS = ['read-workspaces', 'read-projects', 'workspace admin, and read-workspaces'];

/** Callers, besides the owners, that have each of the `permissions` of an organization (PERM-14). */
const permissions: Readonly<Record<string, { readonly by?: readonly string[]; readonly token?: false }>> = {
  'can-update': {},
  'can-destroy': { token: false },
  'can-update-api-token': { token: false },
  'can-create-workspace': { by: WORKSPACES },
  'can-create-project': { by: ['manage-projects'] },
  'can-create-team': { by: TEAMS },
  'can-manage-owners': { token: false },
  'can-manage-users': { by: ['manage-membership', ...TEAMS] },
  'can-manage-membership': { by: ['manage-membership', ...TEAMS] },
  'can-manage-tags': { by: WORKSPACES },
  'can-read-varsets': { by: [...WORKSPACES, ...READERS, 'manage-agent-pools'] },
  'can-manage-varsets': { by: WORKSPACES },
  'can-update-agent-pools': { by: ['manage-agent-pools'] },
  'can-update-oauth': { by: ['manage-vcs-settings'] },
  'can-update-ssh-keys': { by: ['manage-vcs-settings'], token: false },
};

const expectedPermissions = ({ rows }: Caller): Record<string, boolean> => ({
  'can-traverse': true,
  ...Object.fromEntries(
    Object.entries(permissions).map(([name, { by = [], token = true }]) => [
      name,
      rows.includes('organization token') ? token : ['owner', ...by].some((row) => rows.includes(row)),
    ]),
  ),
});

const expectPermissions = async ({ caller, send }: Trial): Promise<void> => {
  const { status, body } = await send();
  if (status === 200) expect(body.data.attributes.permissions, caller.name).toEqual(expectedPermissions(caller));
};

let made = 0;

/** Organizations: only site administrators create them, and they have no access to any. */
export const group = matrixGroup({
  name: 'organizations',
  columns: {
    list: {
      routes: ['organizations.list'],
      shows: {
        own: ({ testbed }) => [testbed.organization],
        other: ({ testbed }) => [testbed.otherOrganization],
        none: () => [],
      },
    },
    create: {
      routes: ['organizations.create'],
      seenBy: 'everybody',
      attempt: ({ send }) =>
        send({
          body: {
            data: { type: 'organizations', attributes: { name: `made-${++made}`, email: `made-${made}@example.com` } },
          },
        }),
    },
    show: { routes: ['organizations.show'], attempt: expectPermissions },
    entitlements: { routes: ['organizations.entitlements'] },
    update: {
      routes: ['organizations.update'],
      seenBy: 'members',
      attempt: ({ caller, send }) =>
        send({ body: { data: { type: 'organizations', attributes: { email: `${caller.token}@example.com` } } } }),
    },
    // The organization has workspaces, so a caller that may delete it gets a conflict.
    delete: { routes: ['organizations.delete'], seenBy: 'members' },
  },
  table: `
                                 | list      | create | show entitlements | update delete
    owner                        | 200:own   | 404    | 200  200          | 200    409
    organization token           | 200:own   | 404    | 200  200          | 200    404
    anyone                       | 200:own   | 404    | 200  200          | 404    404
    another organization's owner | 200:other | .      | .    .            | .      .
    another organization's token | 200:other | .      | .    .            | .      .
    audit trail token            | 404       | .      | .    .            | .      .
    site administrator           | .         | 201    | .    .            | .      .
    run                          | .         | .      | .    200          | .      .
    outsider                     | 200:none  | 404    | 404  404          | 404    404
    no valid token               | 401       | 401    | 401  401          | 401    401
  `,
});
