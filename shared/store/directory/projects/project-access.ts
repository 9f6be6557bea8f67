import { isDeepStrictEqual } from 'node:util';
import { all } from '../../../domain/changes/conditions.ts';
import type { Precondition } from '../../../domain/changes/entity-tags.ts';
import { requireRevision } from '../../../domain/changes/revisions.ts';
import { levelOf, type ProjectGrant, projectAccessAsRevised } from '../../../domain/directory/grants.ts';
import type { Project } from '../../../domain/directory/records.ts';
import type { DomainError } from '../../../domain/errors.ts';
import { computedId } from '../../../domain/ids.ts';
import { keys } from '../../dynamodb/keys.ts';
import type { Write } from '../../dynamodb/requests.ts';
import { check, OPEN, put, remove } from '../../items/record-items.ts';
import type { DirectoryWriter } from '../directory-writer.ts';
import type { RecordStore, RecordUpdate } from '../records/record-store.ts';

/** Access of teams to projects. It is stored on the project; a pointer item maps its id to the project. */

/** Builds the key of the pointer item of a team's access to a project. */
export const projectAccessIdKey = keys.projectAccessId;

const putAccessId = ({ id: project, organization }: Project, team: string): Write => {
  const id = computedId('projectAccess', project, team);
  return put(projectAccessIdKey(project, team), 'project-access-id', { id, organization, project, team }, all());
};

/** Builds the change record of a change of a team's access; null is no access. */
const accessChanged = (team: string, grant: ProjectGrant | null): Required<Pick<RecordUpdate, 'recorded'>> => ({
  recorded: {
    type: 'project.access-changed',
    details: { team: { id: team, access: grant === null ? null : levelOf(grant) } },
  },
});

/**
 * Requires that the access of a team is one that the request accepts. The write needs no further condition: every change of
 * a project is conditional on its position in the list index, which changes with the project.
 */
const requireAccess = (
  precondition: Precondition | undefined,
  { id, access }: Project,
  team: string,
  isInDoubt: boolean,
): void => {
  const grant = access[team];
  requireRevision(precondition, grant && projectAccessAsRevised(id, team, grant), isInDoubt);
};

/**
 * Grants a team access to a project, or changes its access.
 * @param next computes the access from the current one; it may throw.
 * @param noTeam creates the error for a deleted team.
 * @param precondition entity tags that the current access may have (EDIT-3).
 */
export const grantProjectAccess = (
  { records }: Pick<DirectoryWriter, 'records'>,
  { organization, project, team }: { readonly organization: string; readonly project: string; readonly team: string },
  next: (before: ProjectGrant | undefined) => ProjectGrant,
  noTeam: () => DomainError,
  precondition?: Precondition,
): Promise<Project> => {
  let granted: ProjectGrant | undefined;
  return records.update('project', organization, project, (current, isInDoubt) => {
    const before = current.access[team];
    // An earlier attempt of this request granted it without receiving the response of DynamoDB.
    if (isInDoubt && granted !== undefined && isDeepStrictEqual(before, granted)) return {};
    requireAccess(precondition, current, team, isInDoubt);
    const grant = next(before);
    granted = grant;
    if (isDeepStrictEqual(before, grant)) return {};
    return {
      change: { set: { [`acc.${team}`]: grant } },
      ...accessChanged(team, grant),
      additionalWrites: [
        { write: check(keys.team(team), OPEN), refusal: noTeam },
        ...(before === undefined ? [{ write: putAccessId(current, team) }] : []),
      ],
    };
  });
};

/** Revokes the access of a team to a project. Nothing changes if the team has none. */
export const revokeProjectAccess = (
  records: RecordStore,
  organization: string,
  project: string,
  team: string,
  precondition?: Precondition,
): Promise<Project> =>
  records.update('project', organization, project, (current, isInDoubt) => {
    // An earlier attempt of this request may have revoked it without receiving the response of DynamoDB.
    if (!Object.hasOwn(current.access, team) && (isInDoubt || precondition === undefined)) return {};
    requireAccess(precondition, current, team, isInDoubt);
    return {
      change: { remove: [`acc.${team}`] },
      ...accessChanged(team, null),
      additionalWrites: [{ write: remove(projectAccessIdKey(current.id, team)) }],
    };
  });
