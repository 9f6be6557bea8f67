import { absent, all, equals, exists } from '../../changes/conditions.ts';
import type { Revised } from '../../changes/entity-tags.ts';
import { type OrganizationChange, recordChangeType } from '../../changes/organization-changes.ts';
import { requireRevision } from '../../changes/revisions.ts';
import { conflict, type DomainError } from '../../errors.ts';
import type { NamedKind } from '../records.ts';
import {
  type Attempt,
  done,
  type Effect,
  isOpen,
  type NameClaim,
  OPEN,
  type Plan,
  record,
  type Stored,
  type Target,
} from './plan.ts';
import { advanceListPosition } from './records.ts';

/**
 * Deletions (REMOVE-1). The mark `closingSince` takes a record out of service. The deletion is final when the name of the
 * record is released, or, for an organization, when it has `deletedAt`.
 *
 * The mark includes the change record of the deletion. The last write of the record makes it the change record of the item:
 * the tombstone of a record, or `deletedAt` of an organization. So the event of a deletion is published only when nothing can
 * reopen the record.
 *
 * Both are one write of one item. The claim is read before the record is known to be closing, and every reopening and every
 * rename changes the version of the claim. So a release cannot take the name from a record that was reopened.
 */

/** The claim of a record on its name, as it was read. Claims that an earlier release wrote have no version. */
export type SeenClaim = NameClaim & { readonly version?: string | undefined };

/** A deletion that is not final: the record is closing, and either the deletion becomes final or the record is reopened. */
export interface Deletion {
  readonly of: Target;
  /** Time of the mark, in milliseconds. */
  readonly since: number;
  /** Undefined for an organization and a user, whose names stay taken until everything is removed. */
  readonly claim: SeenClaim | undefined;
  /** The change record of the deletion; undefined for a user, and if an earlier release wrote the mark. */
  readonly change: OrganizationChange | undefined;
}

const isNamed = (stored: Stored): stored is Stored<NamedKind> =>
  stored.kind !== 'organization' && stored.kind !== 'user';

/** Returns the target of a record. An organization is identified by its name. */
export const targetOf = ({ kind, record: entity }: Stored): Target => ({
  kind,
  id: 'id' in entity ? entity.id : entity.name,
});

/** Returns a record as a resource with a revision. */
export const asRevised = (stored: Stored): Revised => ({
  id: targetOf(stored).id,
  revision: stored.record.revision,
});

/** Returns the claim of a record on its name; undefined for an organization and a user. */
export const claimOf = (stored: Stored): (NameClaim & { readonly of: NamedKind }) | undefined => {
  if (!isNamed(stored)) return undefined;
  const { id, organization, name } = stored.record;
  return { of: stored.kind, organization, name, id };
};

/** Tells whether the deletion of a record is final. @param claim its claim; undefined if it has none. */
export const isFinal = (stored: Stored, claim: SeenClaim | undefined): boolean =>
  stored.kind === 'organization' ? stored.deletedAt !== undefined : isNamed(stored) && claim === undefined;

/** Creates the change record of the deletion of a record or organization; undefined for a user, who has none. */
const recordDeletion = (attempt: Attempt, stored: Stored): OrganizationChange | undefined => {
  if (stored.kind === 'organization') return record(attempt, 'organization.deleted');
  return isNamed(stored) ? record(attempt, recordChangeType(stored.kind, 'deleted')) : undefined;
};

/** Creates the 409 error for a record that another deletion found in use and reopened. */
export const usedMeanwhile = (): DomainError => conflict('The record was used while it was being deleted. Try again.');

/**
 * Plans to mark a record as closing, unless it is. The cleanup finds the mark.
 * @param claim its claim on its name, read before the record.
 * @param wait milliseconds from the mark to the removal.
 * @returns undefined if the deletion is final already.
 * @throws DomainError 412 if the request does not accept the revision of the record.
 */
export const close = (
  attempt: Attempt,
  stored: Stored | undefined,
  claim: SeenClaim | undefined,
  wait: number,
): Plan<Deletion | undefined> => {
  if (stored === undefined) return done(undefined);
  const { closingSince } = stored;
  const of = targetOf(stored);
  if (closingSince !== undefined) {
    return done(isFinal(stored, claim) ? undefined : { of, since: closingSince, claim, change: stored.deletion });
  }
  const { at, request } = attempt;
  const asAccepted = requireRevision(request.precondition, asRevised(stored));
  const position = advanceListPosition(stored, at);
  const deletion = recordDeletion(attempt, stored);
  const set = {
    ...position.change.set,
    closingSince: at,
    cleanupAt: at + wait,
    ...(deletion && { deletion }),
    ...(stored.kind === 'project' && { deletedAt: at }),
  };
  const named =
    stored.kind === 'user' ? equals('username', stored.record.username) : equals('name', stored.record.name);
  const condition = all(OPEN, named, position.unmoved, asAccepted);
  return {
    effects: [{ kind: 'update', of, change: { set }, condition }],
    result: { of, since: at, claim, change: deletion },
  };
};

/**
 * Plans to take the mark away, so that the record is in service again.
 * @param claim its claim on its name now.
 * @returns false if the deletion is final.
 */
export const reopen = (
  { at }: Attempt,
  stored: Stored | undefined,
  claim: SeenClaim | undefined,
  deletion: Deletion,
): Plan<boolean> => {
  if (stored === undefined) return done(false);
  const { of, since } = deletion;
  // Another deletion of the record has reopened it.
  if (stored.closingSince !== since) return done(isOpen(stored));
  if (isFinal(stored, claim)) return done(false);
  const { change, unmoved } = advanceListPosition(stored, at);
  // A change of the project that its workspaces have not copied yet stays in the queue of the cleanup.
  const remove = ['closingSince', 'deletedAt', 'deletion', ...(stored.hasUncopiedSettings ? [] : ['cleanupAt'])];
  const notFinal = stored.kind === 'project' ? all() : absent('deletedAt');
  return {
    effects: [
      {
        kind: 'update',
        of,
        change: { ...change, remove },
        condition: all(equals('closingSince', since), notFinal, unmoved),
      },
      ...(deletion.claim && claim ? ([{ kind: 'revise-name', claim }] as const) : []),
    ],
    result: true,
  };
};

/**
 * Plans to make the deletion of an organization final.
 * @param stored the organization now.
 * @returns false if it was reopened.
 */
export const finalizeOrganization = (
  attempt: Attempt,
  stored: Pick<Stored, 'closingSince' | 'deletedAt'> | undefined,
  { of, since, change }: Deletion,
): Plan<boolean> => {
  if (stored === undefined || stored.deletedAt !== undefined) return done(true);
  if (stored.closingSince !== since) return done(false);
  return {
    effects: [
      {
        kind: 'update',
        of,
        change: { set: { deletedAt: attempt.at }, remove: ['deletion'] },
        condition: all(equals('closingSince', since), absent('deletedAt')),
        changeRecord: change ?? record(attempt, 'organization.deleted'),
      },
    ],
    result: true,
  };
};

/**
 * Plans to release the name of a record, which makes its deletion final.
 * @param current the claim on the name now.
 * @returns false if the record was reopened.
 */
export const releaseName = (claim: SeenClaim, current: SeenClaim | undefined): Plan<boolean> => {
  if (current?.id !== claim.id) return done(true);
  if (current.version !== claim.version) return done(false);
  return { effects: [{ kind: 'release-name', claim, version: claim.version }], result: true };
};

/**
 * Plans to remove a record: a tombstone takes its place, and the name is free unless another record has it now.
 * @param hasName whether the record has the claim on its name.
 * @param isWithOrganization whether the organization is deleted: then no tombstone is left.
 */
export const removeRecord = (
  attempt: Attempt,
  stored: Stored<NamedKind> | undefined,
  hasName: boolean,
  isWithOrganization: boolean,
): Plan<undefined> => {
  const claim = stored && claimOf(stored);
  if (stored === undefined || claim === undefined) return done(undefined);
  const changeRecord = stored.deletion ?? recordDeletion(attempt, stored);
  const asSeen = all(exists('pk'), equals('name', claim.name));
  const removal: Effect =
    isWithOrganization || changeRecord === undefined
      ? { kind: 'delete', of: targetOf(stored), condition: asSeen }
      : {
          kind: 'bury',
          stored: { ...stored, ...advanceListPosition(stored, attempt.at).change.set },
          at: attempt.at,
          condition: asSeen,
          changeRecord,
        };
  return { effects: [removal, ...(hasName ? ([{ kind: 'give-up-name', claim }] as const) : [])], result: undefined };
};

/** Plans to remove an organization. An earlier attempt may have removed it, and the name may be taken again. */
export const removeOrganization = (stored: Stored<'organization'> | undefined): Plan<undefined> =>
  stored?.closingSince === undefined
    ? done(undefined)
    : {
        effects: [{ kind: 'delete', of: targetOf(stored), condition: exists('closingSince') }],
        result: undefined,
      };

/** Plans to remove a user with the username and the e-mail address. */
export const removeUser = (stored: Stored<'user'> | undefined): Plan<undefined> => {
  if (stored === undefined) return done(undefined);
  const { record: user } = stored;
  return {
    effects: [
      { kind: 'delete', of: targetOf(stored), condition: exists('pk') },
      { kind: 'give-up-name', claim: { of: 'user', id: user.id, name: user.username } },
      { kind: 'remove-email', user },
    ],
    result: undefined,
  };
};
