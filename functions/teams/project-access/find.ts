import { authorizeRecord, type RecordAccess } from '../../../shared/access/authorize/record.ts';
import { mayOnProject, requireProjectPermission } from '../../../shared/access/project-policy.ts';
import { effectiveRights } from '../../../shared/access/rights.ts';
import type { Project } from '../../../shared/domain/directory/records.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import type { Document } from '../../../shared/jsonapi/document.ts';
import { projectResource } from '../../../shared/resources/projects/response.ts';
import type { TeamProjectInclude } from '../../../shared/routes/teams.ts';
import { includedTeams, requireVisible } from '../access.ts';
import type { TeamDependencies } from '../dependencies.ts';

type ProjectAccessAction = 'project.read' | 'project.manage-teams';

const rightsIn = ({ caller, organization, record }: RecordAccess<Project>) =>
  effectiveRights(caller, organization, record);

/** Checks whether the caller manages the access of teams to the project. */
export const managesAccess = (access: RecordAccess<Project>): boolean =>
  mayOnProject(rightsIn(access), 'project.manage-teams');

/** Finds a project by its id for a caller who may read, or manage, the access of teams to it. */
export const findProject = (
  { store }: TeamDependencies,
  digest: string,
  id: string,
  action: ProjectAccessAction,
): Promise<RecordAccess<Project>> =>
  authorizeRecord(
    store,
    digest,
    async (consistent) => (isId('project', id) ? store.projects.find(id, consistent) : undefined),
    (access) => requireProjectPermission(rightsIn(access), action),
  );

/** Returns the resources that a request on the access of teams includes (TEAM-14); none without `include`. */
export const includedWithAccess = async (
  { store }: TeamDependencies,
  access: RecordAccess<Project>,
  teams: readonly string[],
  include: ReadonlySet<TeamProjectInclude>,
): Promise<Pick<Document, 'included'>> => {
  if (include.size === 0) return {};
  const { organization, record: project } = access;
  return {
    included: [
      ...(include.has('project') && teams.length > 0
        ? [projectResource({ project, organization, rights: rightsIn(access) })]
        : []),
      ...(include.has('team') ? await includedTeams(store, access, teams) : []),
    ],
  };
};

/** Finds the project and the team of an access by its id, for a caller who may read, or manage, that access. */
export const findProjectAccess = async (
  { store }: TeamDependencies,
  digest: string,
  id: string,
  action: ProjectAccessAction,
): Promise<RecordAccess<Project> & { readonly team: string }> => {
  const { record, ...context } = await authorizeRecord(
    store,
    digest,
    async (consistent) => {
      const found = await store.teamAccess.findOnProject(id, consistent);
      const project = found && (await store.projects.find(found.project, consistent));
      return project && { organization: project.organization, project, team: found.team };
    },
    ({ record: { project, team }, ...current }) => {
      if (!Object.hasOwn(project.access, team)) throw notFound();
      requireProjectPermission(rightsIn({ ...current, record: project }), 'project.read');
    },
  );
  const access = { ...context, record: record.project };
  await requireVisible(store, access, managesAccess(access), record.team, true);
  requireProjectPermission(rightsIn(access), action);
  return { ...access, team: record.team };
};
