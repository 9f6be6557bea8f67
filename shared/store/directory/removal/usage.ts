import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { OWNERS_TEAM, type Team, type User, type WorkloadIdentity } from '../../../domain/directory/records.ts';
import { lastOwner } from '../../../domain/directory/transitions/memberships.ts';
import {
  requireNoRepositories,
  requireNoWorkspaces,
  requireUnusedPool,
  requireUnusedProject,
  revokePermissions,
} from '../../../domain/directory/transitions/usage.ts';
import { unassignSshKey } from '../../../domain/transitions/relationships/assign-ssh-key.ts';
import { revokeAccess } from '../../../domain/transitions/relationships/change-team-access.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { projectOf } from '../../items/directory-items.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import { apply } from '../records/commit.ts';
import type { RepositoryOwner, Uses } from './find-uses.ts';
import { openRemoveItems } from './remove-items.ts';

/**
 * Opens the checks and changes of the first step of a deletion. Functions named `require…` throw a conflict while the
 * record is in use; all others end the use of a record, and can be repeated.
 */
export const openUsage = (
  { table, records, members, projects }: DirectoryWriter,
  { find, findKept, ofProject, ofPool, ofRepositories, change }: Uses,
) => {
  const { database, clock } = table;
  const { removeTokens } = openRemoveItems(table);

  return {
    requireNoWorkspaces: async (organization: string): Promise<void> =>
      requireNoWorkspaces(await findKept(organization), clock()),

    requireUnusedProject: async (organization: string, id: string): Promise<void> => {
      const [found, stored] = await Promise.all([ofProject(organization, id), records.findOrganization(organization)]);
      requireUnusedProject(found.length, stored?.record.defaultProject === id);
    },

    requireUnusedPool: async (organization: string, id: string): Promise<void> => {
      const [found, rows, stored] = await Promise.all([
        ofPool(organization, id),
        records.list('project', organization),
        records.findOrganization(organization),
      ]);
      const items = await database.getAll(
        rows.map((row) => keys.project(String(row['id']))),
        true,
      );
      const defaults = items.filter((item) => item['ty'] === 'project' && projectOf(item).defaultAgentPool === id);
      requireUnusedPool(found.length, defaults.length, stored?.record.defaultAgentPool === id);
    },

    requireNoRepositories: async (kind: RepositoryOwner, organization: string, id: string): Promise<void> =>
      requireNoRepositories(kind, (await ofRepositories(kind, organization, id)).length),

    /** Unassigns an SSH key from all workspaces. */
    unassignSshKey: async (request: RequestContext, organization: string, id: string): Promise<void> =>
      change(request, await find(organization, ({ sshKey }) => sshKey === id), unassignSshKey(id)),

    /** Revokes the permissions of a team, and its access to all workspaces and projects. */
    revokeAccessOf: async (request: RequestContext, team: Team): Promise<void> => {
      const { organization } = team;
      const has = (grants: unknown) => Object.hasOwn(grants as object, team.id);
      const [found, rows] = await Promise.all([
        find(
          organization,
          ({ access }) => has(access),
          (row) => has(row['acc']),
        ),
        records.list('project', organization),
        apply<undefined>(table, request, async () =>
          revokePermissions(await records.findOrganization(organization), team),
        ),
      ]);
      await change(request, found, revokeAccess(team.id));
      for (const { id, acc } of rows) {
        const project = has(acc) ? await records.find('project', organization, String(id)) : undefined;
        if (project !== undefined) await projects.revokeAccess(request, organization, project.id, team.id);
      }
    },

    /** Removes the tokens of a workload identity, to which none are added any more. */
    removeTokensOf: ({ id }: WorkloadIdentity): Promise<void> => removeTokens({ kind: 'workloadIdentity', id }),

    /** Finds the workload identities of a team. */
    findIdentitiesOf: async ({ organization, id }: Team): Promise<readonly WorkloadIdentity[]> =>
      (await records.listAll('workloadIdentity', organization)).filter(({ team }) => team === id),

    /** @throws DomainError 409 where the user is the only owner of an organization. */
    requireOtherOwners: async ({ id }: User): Promise<void> => {
      const partition = keys.user(id).pk;
      const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
      for (const { organization, team } of items.filter((one) => one['team'] !== undefined)) {
        const item = await database.get(keys.team(String(team)), true);
        if (item?.['name'] !== OWNERS_TEAM) continue;
        const others = (await members.list(String(team))).filter((one) => one !== id);
        if (others.length === 0) throw lastOwner(String(organization));
      }
    },
  };
};

export type Usage = ReturnType<typeof openUsage>;
