import { isDeepStrictEqual } from 'node:util';
import type { Precondition } from '../../changes/entity-tags.ts';
import { requireRevision } from '../../changes/revisions.ts';
import type { DomainError } from '../../errors.ts';
import { levelOf, type ProjectGrant, projectAccessAsRevised } from '../grants.ts';
import type { Project } from '../records.ts';
import type { Attempt } from './plan.ts';
import type { RecordUpdate } from './records.ts';

/** Access of teams to projects. It is stored on the project; its id leads to the project. */

/** Builds the change record of a change of a team's access; null is no access. */
const accessChanged = (team: string, grant: ProjectGrant | null): Required<Pick<RecordUpdate, 'recorded'>> => ({
  recorded: {
    type: 'project.access-changed',
    details: { team: { id: team, access: grant === null ? null : levelOf(grant) } },
  },
});

/**
 * Requires that the access of a team matches the precondition of the request. The write needs no further condition: every change of
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

/** A grant of access to a project. */
export interface RequestedAccess {
  readonly team: string;
  /** Computes the access from the current one; it may throw. */
  readonly next: (before: ProjectGrant | undefined) => ProjectGrant;
  /** Creates the error for a deleted team. */
  readonly noTeam: () => DomainError;
  /** Entity tags that the current access may have (EDIT-3). */
  readonly precondition?: Precondition | undefined;
}

/** Plans to grant a team access to a project, or to change its access. */
export const grantProjectAccess = (
  { isInDoubt }: Attempt,
  project: Project,
  { team, next, noTeam, precondition }: RequestedAccess,
): RecordUpdate => {
  const before = project.access[team];
  // In doubt, an earlier attempt of this request may have granted it.
  const isCheckedLater = isInDoubt && before !== undefined;
  if (!isCheckedLater) requireAccess(precondition, project, team, isInDoubt);
  const grant = next(before);
  if (isDeepStrictEqual(before, grant)) return {};
  if (isCheckedLater) requireAccess(precondition, project, team, isInDoubt);
  return {
    change: { set: { [`access.${team}`]: grant } },
    ...accessChanged(team, grant),
    others: [
      { kind: 'require', of: { kind: 'team', id: team }, rejection: noTeam },
      ...(before === undefined ? ([{ kind: 'create-access-id', project, team }] as const) : []),
    ],
  };
};

/** Plans to revoke the access of a team to a project. Nothing changes if the team has none. */
export const revokeProjectAccess = (
  { isInDoubt }: Attempt,
  project: Project,
  team: string,
  precondition?: Precondition,
): RecordUpdate => {
  // In doubt, an earlier attempt of this request may have revoked it.
  if (!Object.hasOwn(project.access, team) && (isInDoubt || precondition === undefined)) return {};
  requireAccess(precondition, project, team, isInDoubt);
  return {
    change: { remove: [`access.${team}`] },
    ...accessChanged(team, null),
    others: [{ kind: 'delete-access-id', project: project.id, team }],
  };
};
