import { authorizeOrganization, type OrganizationAccess } from '../../shared/access/authorize/organization.ts';
import {
  authorizeWorkloadIdentity,
  requireWorkloadManagement,
} from '../../shared/access/authorize/workload-identity.ts';
import { concealNotFound } from '../../shared/access/conceal-not-found.ts';
import { seesTeam } from '../../shared/access/organization-policy.ts';
import { canRead, effectiveRights } from '../../shared/access/rights.ts';
import type { Team, WorkloadIdentity, WorkloadScope } from '../../shared/domain/directory/records.ts';
import { DomainError, invalid, invalidRelationship } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { WORKLOAD_MINUTES } from '../../shared/domain/limits.ts';
import { nameTaken } from '../../shared/domain/transitions/transition.ts';
import { findIssuerProblem, findMissingOwner } from '../../shared/domain/workload-identities/issuers.ts';
import { readConditions } from '../../shared/domain/workload-identities/read-conditions.ts';
import { isAlive } from '../../shared/domain/workspace/workspace-record.ts';
import type { OperationRequest, Operations } from '../../shared/http/operation.ts';
import { paginate, readPageOf, slice } from '../../shared/jsonapi/pagination.ts';
import { requireSameId } from '../../shared/jsonapi/require-same-id.ts';
import { newId } from '../../shared/lib/random.ts';
import { workloadIdentityRequest } from '../../shared/resources/workload-identities/attributes.ts';
import { workloadIdentityResource } from '../../shared/resources/workload-identities/response.ts';
import { allowsLoopbackIssuers } from '../../shared/runtime/environment.ts';
import type { OrganizationDependencies } from './dependencies.ts';

type Body = OperationRequest<'workload-identities.create'>['body'];
type Relationships = NonNullable<Body['data']['relationships']>;

/** Finds a workload identity for a caller who may manage it. */
const authorizeIdentity = ({ store, directory }: OrganizationDependencies, digest: string, id: string) =>
  authorizeWorkloadIdentity(store, digest, (consistent) =>
    directory.records.findById('workloadIdentity', id, consistent),
  );

/** Finds the team of a new workload identity. @throws DomainError 422. */
const requireTeam = async (
  { store }: OrganizationDependencies,
  access: OrganizationAccess,
  relationships: Relationships | undefined,
): Promise<Team> => {
  const id = relationships?.team?.data?.id;
  if (!id) throw invalidRelationship('team', "Team can't be blank");
  const team = await store.teams.find(id, true);
  const { organization } = access;
  if (team?.organization !== organization.name || !seesTeam(access, team)) {
    throw invalidRelationship('team', 'Team does not exist in this organization');
  }
  if (team.id === organization.ownersTeam) {
    throw invalidRelationship('team', 'Team must not be the owners team: no pipeline may do everything');
  }
  return team;
};

/** Requires that the caller reads the projects and workspaces that a request adds to a scope. @throws DomainError 422. */
const requireReadable = async (
  { store }: OrganizationDependencies,
  { caller, organization }: Pick<OrganizationAccess, 'caller' | 'organization'>,
  scope: WorkloadScope,
  before: WorkloadScope | undefined,
): Promise<void> => {
  const isNew = (name: keyof WorkloadScope) => (id: string) => !before?.[name].includes(id);
  const workspaces = await store.workspaces.findAll(
    scope.workspaces
      .filter(isNew('workspaces'))
      .filter((id) => isId('workspace', id))
      .map((id) => ({ id, hasLongText: false })),
    true,
  );
  const byId = new Map(
    workspaces
      .filter((one) => isAlive(one) && one.organization === organization.name)
      .map((workspace) => [workspace.id, workspace]),
  );
  // The project of a workspace that does not exist is read as well (PERM-21).
  const projectIds = new Set([
    ...scope.projects.filter((id) => isId('project', id)),
    ...scope.workspaces.map((id, index) => byId.get(id)?.project ?? `none-${index}`),
  ]);
  const findRecord = await store.records.find(
    [...projectIds].map((id) => ({ kind: 'project', id })),
    true,
  );
  const reads = {
    projects: (id: string): boolean => {
      const project = findRecord('project', id);
      return project?.organization === organization.name && canRead(effectiveRights(caller, organization, project));
    },
    workspaces: (id: string): boolean => {
      const workspace = byId.get(id);
      const project = workspace && findRecord('project', workspace.project);
      return workspace !== undefined && canRead(effectiveRights(caller, organization, project, workspace));
    },
  };
  for (const name of ['projects', 'workspaces'] as const) {
    const index = scope[name].findIndex((id) => isNew(name)(id) && !reads[name](id));
    if (index < 0) continue;
    const noun = name === 'projects' ? 'Project' : 'Workspace';
    throw new DomainError('invalid-attribute', `${noun} does not exist in this organization`, {
      source: { pointer: `/data/relationships/${name}/data/${index}/id` },
    });
  }
};

/**
 * Reads the scope that a request sets. An omitted list keeps its ids.
 * @returns undefined if the request does not mention any list.
 * @throws DomainError 422 for a scope of nothing.
 */
const readScope = (
  relationships: Relationships | undefined,
  before: WorkloadScope | undefined,
): WorkloadScope | undefined => {
  const listed = (name: 'projects' | 'workspaces') => relationships?.[name]?.data?.map(({ id }) => id);
  const [projects, workspaces] = [listed('projects'), listed('workspaces')];
  if (projects === undefined && workspaces === undefined) return undefined;
  const scope = {
    projects: [...new Set(projects ?? before?.projects)],
    workspaces: [...new Set(workspaces ?? before?.workspaces)],
  };
  if (scope.projects.length + scope.workspaces.length > 0) return scope;
  throw invalidRelationship(
    projects === undefined ? 'workspaces' : 'projects',
    'A workload identity needs a project or a workspace if it is limited. Leave out both lists for everything that the team has access to',
  );
};

/** @throws DomainError 422 for an issuer that is not allowed, or whose tokens the conditions do not limit to one owner. */
const checkRule = ({ issuer, conditions }: Pick<WorkloadIdentity, 'issuer' | 'conditions'>): void => {
  const problem = findIssuerProblem(issuer, allowsLoopbackIssuers());
  if (problem !== undefined) throw invalid('issuer', `Issuer ${problem}`);
  const missing = findMissingOwner(issuer, conditions);
  if (missing !== undefined) throw invalid('conditions', missing);
};

export const workloadIdentityOperations = {
  /** `GET /organizations/:organization_name/workload-identities`, by name (WI-1). */
  'workload-identities.list': async ({ digest, parameters, query, url }, { store, directory }) => {
    const target = { organization: parameters.organization_name };
    const access = await authorizeOrganization(store, digest, target, requireWorkloadManagement);
    const identities = await directory.records.listAll('workloadIdentity', access.organization.name);
    const teams = [...new Set(identities.map(({ team }) => team))];
    const findTeam = await store.records.find(
      teams.map((id) => ({ kind: 'team', id })),
      true,
    );
    const isVisible = (id: string): boolean => {
      const team = findTeam('team', id);
      return team !== undefined && seesTeam(access, team);
    };
    const text = (query.get('q') ?? '').toLowerCase();
    const rows = identities.filter(({ name, team }) => isVisible(team) && name.toLowerCase().includes(text));
    const page = readPageOf(rows, query);
    return { data: slice(rows, page).map(workloadIdentityResource), ...paginate(page, rows.length, url, query) };
  },

  /** `GET /workload-identities/:workload_identity_id` */
  'workload-identities.show': async ({ digest, parameters }, dependencies) => {
    const { record } = await authorizeIdentity(dependencies, digest, parameters.workload_identity_id);
    return { data: workloadIdentityResource(record.identity) };
  },

  /** `POST /organizations/:organization_name/workload-identities` (WI-2). It does not contact the issuer. */
  'workload-identities.create': async (
    { contextFor, digest, parameters: { organization_name: organization }, body: { data }, url },
    dependencies,
  ) => {
    const { store, directory } = dependencies;
    const access = await authorizeOrganization(store, digest, { organization }, requireWorkloadManagement);
    const { name, issuer, audience, conditions: given, ...fields } = workloadIdentityRequest(data.attributes ?? {});
    if (name === undefined) throw invalid('name', "Name can't be blank");
    if (issuer === undefined) throw invalid('issuer', "Issuer can't be blank");
    const conditions = readConditions(given ?? []);
    checkRule({ issuer, conditions });
    const team = await requireTeam(dependencies, access, data.relationships);
    const scope = readScope(data.relationships, undefined);
    if (scope !== undefined) await requireReadable(dependencies, access, scope, undefined);
    const request = contextFor(access.caller);
    const { record, created } = await concealNotFound(
      directory.records.create(
        request,
        'workloadIdentity',
        {
          ...{ lifetimeMinutes: WORKLOAD_MINUTES, enabled: true, ...fields },
          ...{ organization, name, issuer, conditions, team: team.id },
          audience: audience ?? new URL(url).origin,
          ...(scope && { scope }),
        },
        {
          id: newId('workloadIdentity', request),
          others: [
            {
              kind: 'require',
              of: { kind: 'team', id: team.id },
              rejection: () => invalidRelationship('team', 'Team does not exist in this organization'),
            },
          ],
        },
      ),
    );
    if (!created) throw nameTaken();
    return { data: workloadIdentityResource(record) };
  },

  /** `PATCH /workload-identities/:workload_identity_id` (WI-12). */
  'workload-identities.update': async ({ contextFor, digest, parameters, body: { data } }, dependencies) => {
    const { directory } = dependencies;
    const { workload_identity_id: id } = parameters;
    const access = await authorizeIdentity(dependencies, digest, id);
    requireSameId(data.id, id);
    const { conditions: given, ...fields } = workloadIdentityRequest(data.attributes ?? {});
    const conditions = given && readConditions(given);
    const { relationships } = data;
    const team = relationships?.team?.data?.id;
    if (team && team !== access.record.identity.team) {
      throw invalidRelationship('team', 'Team cannot be changed. Create another workload identity');
    }
    const identity = await concealNotFound(
      directory.workloadIdentities.update(contextFor(access.caller), access.record.identity, async (present) => {
        const scope = readScope(relationships, present.scope);
        if (scope !== undefined) await requireReadable(dependencies, access, scope, present.scope);
        const change = { ...fields, ...(conditions && { conditions }), ...(scope && { scope }) };
        checkRule({ ...present, ...change });
        return change;
      }),
    );
    return { data: workloadIdentityResource(identity) };
  },

  /** `DELETE /workload-identities/:workload_identity_id`: its tokens are deleted first (WI-12). */
  'workload-identities.delete': async ({ contextFor, digest, parameters }, dependencies) => {
    const { caller, record } = await authorizeIdentity(dependencies, digest, parameters.workload_identity_id);
    const { organization, id } = record.identity;
    await dependencies.removal.beginRecord(contextFor(caller), 'workloadIdentity', organization, id);
    return undefined;
  },
} satisfies Partial<Operations<'organizations', OrganizationDependencies>>;
