import type { WorkloadIdentity } from '../../domain/directory/records.ts';
import { REVISED, type Resource, toMany, toOne } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/**
 * Builds the resource of a workload identity. It has the relationships `projects` and `workspaces` only if it is limited to
 * some: empty lists would look as if it were limited to nothing.
 */
export const workloadIdentityResource = (identity: WorkloadIdentity): Resource => {
  const { id, organization, team, scope, createdAt, lifetimeMinutes, name, issuer, audience, enabled } = identity;
  return {
    id,
    [REVISED]: identity,
    type: 'workload-identities',
    attributes: {
      name,
      issuer,
      audience,
      conditions: identity.conditions.map((condition) => ({ ...condition })),
      'lifetime-minutes': lifetimeMinutes,
      enabled,
      'created-at': timestamp(createdAt),
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      organization: toOne('organizations', organization),
      team: toOne('teams', team),
      ...(scope && {
        projects: toMany('projects', scope.projects),
        workspaces: toMany('workspaces', scope.workspaces),
      }),
    },
    links: { self: `${BASE_PATH}/workload-identities/${id}` },
  };
};
