import { createChangeRecord, type RequestContext } from '../../changes/change-context.ts';
import { absent, all, type Change, type Condition, exists } from '../../changes/conditions.ts';
import type {
  OrganizationChange,
  OrganizationChangeDetails,
  OrganizationChangeType,
} from '../../changes/organization-changes.ts';
import { requireRevision, revisionBy } from '../../changes/revisions.ts';
import { type DomainError, SuspendedUser } from '../../errors.ts';
import type { Membership, NamedKind, Organization, Project, Records, User } from '../records.ts';
import type { GroupMapping, LinkedIdentity, Session } from '../sessions.ts';
import type { SignInTimes } from '../sign-in-policy.ts';
import type { Token } from '../tokens.ts';

/**
 * Changes of the directory as values. A transition is a function from what the store has read, with strong consistency,
 * to a plan: it either rejects the change or returns the conditional writes, all of which are one transaction. If a
 * condition fails, the store reads again and calls the transition again, unless the effect says what the failure means.
 */
export interface Plan<T> {
  /** Empty if the change is complete. */
  readonly effects: readonly Effect[];
  readonly result: T;
}

/** One attempt of a change. `T` is the result of its plan. */
export interface Attempt<T = unknown> {
  readonly request: RequestContext;
  /** Time of the attempt, in milliseconds. */
  readonly at: number;
  /** Whether the outcome of an earlier attempt is unknown. */
  readonly isInDoubt: boolean;
  /** Whether it is the first attempt, for which the store may use what was read before. */
  readonly isFirst: boolean;
  /** Result that the previous attempt planned; undefined in the first attempt. */
  readonly previous?: T | undefined;
  /** Returns a new id for a change record. */
  readonly newChangeId: () => string;
}

/** Creates the change record of an effect. */
export const record = (
  { request, at, newChangeId }: Attempt,
  type: OrganizationChangeType,
  details: OrganizationChangeDetails = {},
): OrganizationChange => createChangeRecord(newChangeId(), type, request, at, details);

/** A plan without writes: the change is complete. */
export const done = <T>(result: T): Plan<T> => ({ effects: [], result });

/** The records with an item of their own, by kind. */
export interface Entities extends Records {
  readonly organization: Organization;
  readonly user: User;
}
export type EntityKind = keyof Entities;

interface StoredRecord<K extends EntityKind> {
  readonly kind: K;
  readonly record: Entities[K];
  /** Time at which its deletion began, in milliseconds; absent while it is in service. */
  readonly closingSince?: number;
  /** Time at which its deletion became final, in milliseconds. A project has it as soon as its deletion begins. */
  readonly deletedAt?: number;
  /** Change record of the deletion, which is published when the deletion is final. */
  readonly deletion?: OrganizationChange;
  /** Change record of the last change. */
  readonly lastChange?: OrganizationChange;
  /** Partition of the list index in which it is listed. */
  readonly listPartition?: string;
  /** Number of the changes of the record. */
  readonly changeCount?: number;
  /** Time of the last change of a project, in milliseconds, by which it is listed. */
  readonly listedAt?: number;
  /** Whether the workspaces of a project have yet to copy its auto-destroy settings. */
  readonly hasUncopiedSettings?: true;
  /** Id of the single token of an organization or a team. */
  readonly singleToken?: string;
  /** Id of the token of an organization that reads its audit trails. */
  readonly auditTrailToken?: string;
  /** Changes when a team gets an additional token. */
  readonly tokenRevision?: string;
  /** Changes with the reserved tag keys of an organization. */
  readonly tagKeyRevision?: string;
}

/** A stored record, even while it is being deleted. */
export type Stored<K extends EntityKind = EntityKind> = { readonly [P in K]: StoredRecord<P> }[K];

/** Tells whether a record exists and is not being deleted. */
export const isOpen = <S extends Pick<Stored, 'closingSince' | 'deletedAt'>>(stored: S | undefined): stored is S =>
  stored !== undefined && stored.closingSince === undefined && stored.deletedAt === undefined;

/** An organization by its name, or another record by its id. */
export interface Target {
  readonly kind: EntityKind;
  readonly id: string;
}

/** Membership of a user in a team. */
export interface TeamMembership {
  readonly user: string;
  readonly organization: string;
  readonly team: string;
  /** Source of the membership, if groups of an identity provider gave it; absent if a person did. */
  readonly source?: string;
}

/** A name of a record of an organization, or the name of a user, which is unique in the deployment. */
export type NameClaim = { readonly id: string; readonly name: string } & (
  | { readonly of: NamedKind; readonly organization: string }
  | { readonly of: 'user' }
);

/** Condition that a record exists and is not being deleted. */
export const OPEN: Condition = all(exists('pk'), absent('closingSince'), absent('deletedAt'));

/** Condition that a user exists, and is neither being deleted nor suspended. */
export const IN_SERVICE: Condition = all(OPEN, absent('suspendedAt'));

/** Requires that a user is not suspended. @throws DomainError 409. */
export const requireInService = ({ username, suspendedAt }: Pick<User, 'username' | 'suspendedAt'>): void => {
  if (suspendedAt !== undefined) throw new SuspendedUser(username);
};

/** Revision of a record after a change of its settings, and the condition that the record is as the request expects. */
export interface Edit {
  readonly revision: string;
  readonly condition: Condition;
}

/**
 * Begins a change of the settings of a record (EDIT-4).
 * @returns undefined if an earlier attempt of this request was applied, its response having been lost.
 * @throws DomainError 412 if the request does not accept the revision of the record; 503 in doubt.
 */
export const beginEdit = (
  { request, isInDoubt }: Attempt,
  before: { readonly id: string; readonly revision?: string | undefined },
): Edit | undefined => {
  const revision = revisionBy(request);
  if (before.revision === revision) return undefined;
  return { revision, condition: requireRevision(request.precondition, before, isInDoubt) };
};

/** The creation of a record. */
type Creation = {
  readonly [K in EntityKind]: {
    readonly kind: 'create';
    readonly of: K;
    readonly record: Entities[K];
    /** Number of partitions of the list index of the organization. */
    readonly shards?: number;
    readonly changeRecord?: OrganizationChange;
  };
}[EntityKind];

type Write =
  | Creation
  /** Requires a condition on a record; `OPEN` by default. */
  | { readonly kind: 'require'; readonly of: Target; readonly condition?: Condition }
  /** Requires that a user is a member of a team. */
  | ({ readonly kind: 'require-member' } & Omit<TeamMembership, 'organization'>)
  /** Changes a record; by default on condition that it is `OPEN`. */
  | {
      readonly kind: 'update';
      readonly of: Target;
      readonly change: Change;
      readonly condition?: Condition;
      readonly changeRecord?: OrganizationChange;
    }
  /** A name can be taken if it is free, and given up by the record that has it. */
  | { readonly kind: 'take-name'; readonly claim: NameClaim }
  | { readonly kind: 'give-up-name'; readonly claim: NameClaim }
  /** Gives up a name unless the claim has changed since it was read. */
  | { readonly kind: 'release-name'; readonly claim: NameClaim; readonly version: string | undefined }
  /** Changes the version of a claim, so that a deletion notices it. */
  | { readonly kind: 'revise-name'; readonly claim: NameClaim }
  | { readonly kind: 'delete'; readonly of: Target; readonly condition: Condition }
  /** Replaces a record by a tombstone with the change record of its deletion. */
  | {
      readonly kind: 'bury';
      readonly stored: Stored<NamedKind>;
      readonly condition: Condition;
      /** Time of the tombstone, in milliseconds. */
      readonly at: number;
      readonly changeRecord: OrganizationChange;
    }
  | { readonly kind: 'add-email'; readonly user: Pick<User, 'id' | 'email'> }
  | { readonly kind: 'remove-email'; readonly user: Pick<User, 'id' | 'email'> }
  | { readonly kind: 'join-organization'; readonly membership: Membership; readonly changeRecord: OrganizationChange }
  /** Lets a concurrent end of the membership in the organization fail, so that it sees a team that the user joined. */
  | { readonly kind: 'revise-membership'; readonly user: string; readonly organization: string }
  /** Without `changeRecord`, the organization or team is deleted too. */
  | {
      readonly kind: 'leave-organization';
      readonly membership: Pick<Membership, 'id' | 'user' | 'organization'>;
      /** Revision that the membership must have. */
      readonly revision?: string | undefined;
      readonly changeRecord?: OrganizationChange;
    }
  | { readonly kind: 'join-team'; readonly membership: TeamMembership; readonly changeRecord: OrganizationChange }
  | { readonly kind: 'leave-team'; readonly membership: TeamMembership; readonly changeRecord?: OrganizationChange }
  /** Makes a membership of a team that groups gave one that a person gave. */
  | { readonly kind: 'keep-team'; readonly membership: TeamMembership }
  /** Changes the membership of a user in an organization, which must exist, with a change record. */
  | {
      readonly kind: 'update-membership';
      readonly user: string;
      readonly organization: string;
      readonly times?: SignInTimes;
      readonly changeRecord: OrganizationChange;
    }
  /** The id of a team's access leads to the project. */
  | { readonly kind: 'create-access-id'; readonly project: Pick<Project, 'id' | 'organization'>; readonly team: string }
  | { readonly kind: 'delete-access-id'; readonly project: string; readonly team: string }
  /** The pointer from the id of a reserved tag key to its organization. */
  | { readonly kind: 'create-tag-key-id'; readonly id: string; readonly organization: string }
  | { readonly kind: 'delete-tag-key-id'; readonly id: string }
  /** Without `changeRecord`, it is the token of a session. */
  | { readonly kind: 'create-token'; readonly token: Token; readonly changeRecord?: OrganizationChange }
  /** Without `changeRecord`, the subject or the session is deleted too. */
  | { readonly kind: 'revoke-token'; readonly token: StoredToken; readonly changeRecord?: OrganizationChange }
  | { readonly kind: 'delete-run-token'; readonly digest: string }
  | { readonly kind: 'rename-token'; readonly token: StoredToken; readonly name: string }
  /** Suspends a token, or ends its suspension. */
  | { readonly kind: 'suspend-token'; readonly token: StoredToken; readonly suspended: boolean }
  | { readonly kind: 'link-identity'; readonly identity: LinkedIdentity }
  | { readonly kind: 'unlink-identity'; readonly identity: LinkedIdentity }
  /** Requires that an identity is linked with a user. */
  | ({ readonly kind: 'require-identity' } & Pick<LinkedIdentity, 'id' | 'user'>)
  | { readonly kind: 'disable-provider'; readonly provider: string; readonly at: number }
  | { readonly kind: 'enable-provider'; readonly provider: string }
  /** Requires that an identity provider is not disabled. */
  | { readonly kind: 'require-provider'; readonly provider: string }
  | { readonly kind: 'map-group'; readonly mapping: GroupMapping }
  | { readonly kind: 'unmap-group'; readonly mapping: GroupMapping }
  | { readonly kind: 'start-session'; readonly session: Session }
  /** Changes the renewals and the tokens of a session, unless another request has changed them since it was read. */
  | {
      readonly kind: 'renew-session';
      readonly before: Session;
      readonly change: Required<Pick<Session, 'usedAt' | 'tokens' | 'revision'>>;
    }
  /** Ends a session. With `isUnchanged`, it must be as it was read. */
  | { readonly kind: 'end-session'; readonly session: Session; readonly isUnchanged?: true };

/** Attributes that identify the items of a token. */
export type StoredToken = Pick<Token, 'id' | 'digest' | 'subject'>;

/** A conditional write of a plan, and the meaning of a failure of its condition. */
export type Effect = Write & {
  /** Creates the error if the condition fails. By default, the change is planned again. */
  readonly rejection?: () => DomainError;
  /** Whether a failed condition means that the change has nothing to do: then the result of the plan applies. */
  readonly isDoneOnFailure?: boolean;
};
