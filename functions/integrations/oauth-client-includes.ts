import type { OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import type { VcsConnection } from '../../shared/domain/directory/records.ts';
import type { Resource } from '../../shared/jsonapi/document.ts';
import { oauthTokenResource } from '../../shared/resources/oauth-clients/response.ts';
import { projectResource } from '../../shared/resources/projects/response.ts';
import type { OauthClientInclude } from '../../shared/routes/route.ts';
import type { IntegrationDependencies } from './dependencies.ts';

/** Builds the resources that a request includes with VCS connections (VCS-6). Only projects that the caller can read are included. */
export const includeWithClients = async (
  { store }: Pick<IntegrationDependencies, 'store'>,
  { caller, organization }: Pick<OrganizationAccess, 'caller' | 'organization'>,
  connections: readonly VcsConnection[],
  include: ReadonlySet<OauthClientInclude>,
): Promise<readonly Resource[]> => {
  const tokens = include.has('oauth_tokens') ? connections.map(oauthTokenResource) : [];
  if (!include.has('projects')) return tokens;
  const ids = [...new Set(connections.flatMap(({ projects = [] }) => projects))];
  const find = await store.records.find(
    ids.map((id) => ({ kind: 'project', id })),
    true,
  );
  const projects = ids.flatMap((id) => {
    const project = find('project', id);
    const rights = effectiveRights(caller, organization, project);
    return project !== undefined && canRead(rights) ? [projectResource({ project, organization, rights })] : [];
  });
  return [...tokens, ...projects];
};
