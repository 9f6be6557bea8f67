import type { OrganizationAccess } from '../access/authorize/organization.ts';
import { effectiveRights, type Rights } from '../access/rights.ts';
import type { Dependencies } from '../runtime/dependencies.ts';

/** Rights of a caller on workspaces, including deleted ones, and in projects. Undefined if it is not stored. */
export type FoundRights = (type: 'workspaces' | 'projects', id: string) => Rights | undefined;

/** Reads workspaces and projects by their ids, and returns the rights of the caller on them. */
export const findRights = async (
  store: Dependencies['store'],
  { caller, organization }: Pick<OrganizationAccess, 'caller' | 'organization'>,
  { workspaces, projects }: { readonly workspaces: readonly string[]; readonly projects: readonly string[] },
): Promise<FoundRights> => {
  const stored = await store.workspaces.findAll([...new Set(workspaces)].map((id) => ({ id, hasLongText: false })));
  const byId = new Map(stored.map((workspace) => [workspace.id, workspace]));
  const projectIds = new Set([...projects, ...stored.map(({ project }) => project)]);
  const findRecord = await store.records.find([...projectIds].map((id) => ({ kind: 'project', id })));
  return (type, id) => {
    const workspace = type === 'workspaces' ? byId.get(id) : undefined;
    const target = workspace ?? (type === 'projects' ? findRecord('project', id) : undefined);
    if (target?.organization !== organization.name) return undefined;
    return effectiveRights(caller, organization, findRecord('project', workspace?.project ?? id), workspace);
  };
};
