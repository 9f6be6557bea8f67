import { changeRecordBase, type RequestContext } from '../../changes/change-context.ts';
import { absent, all, type Change, type Condition, exists } from '../../changes/conditions.ts';
import type {
  OrganizationChange,
  OrganizationChangeDetails,
  OrganizationChangeType,
} from '../../changes/organization-changes.ts';
import type { DomainError } from '../../errors.ts';
import type { Membership, NamedKind, Organization, Records, User } from '../records.ts';
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
): OrganizationChange => ({ ...changeRecordBase(newChangeId(), type, request, at), ...details });

/** A plan without writes: the change is complete. */
export const done = <T>(result: T): Plan<T> => ({ effects: [], result });

/** The records with an item of their own, by kind. */
export interface Entities extends Records {
  readonly organization: Organization;
  readonly user: User;
}
export type EntityKind = keyof Entities;

/** A record as it is stored, also while it is being deleted. */
export interface Stored<K extends EntityKind = EntityKind> {
  readonly kind: K;
  readonly record: Entities[K];
  /** Time at which its deletion began, in milliseconds; absent while it is in service. */
  readonly closingSince?: number;
  /** Time at which its deletion became final, in milliseconds. A project has it as soon as its deletion begins. */
  readonly deletedAt?: number;
}

/** Tells whether a record exists and is not being deleted. */
export const isOpen = <K extends EntityKind>(stored: Stored<K> | undefined): stored is Stored<K> =>
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
}

/** A name of a record of an organization, or the name of a user, which is unique in the deployment. */
export type NameClaim = { readonly id: string; readonly name: string } & (
  | { readonly of: NamedKind; readonly organization: string }
  | { readonly of: 'user' }
);

/** Condition that a record exists and is not being deleted. */
export const OPEN: Condition = all(exists('pk'), absent('closingSince'), absent('deletedAt'));

type Write =
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
  /** Creates a user with the e-mail address, which need not be unique. */
  | { readonly kind: 'create-user'; readonly user: User }
  /** A name can be taken if it is free, and given up by the record that has it. */
  | { readonly kind: 'take-name'; readonly claim: NameClaim }
  | { readonly kind: 'give-up-name'; readonly claim: NameClaim }
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
  | { readonly kind: 'rename-token'; readonly token: StoredToken; readonly name: string };

/** Attributes that identify the items of a token. */
export type StoredToken = Pick<Token, 'id' | 'digest' | 'subject'>;

/** A conditional write of a plan, and the meaning of a failure of its condition. */
export type Effect = Write & {
  /** Creates the error if the condition fails. By default, the change is planned again. */
  readonly rejection?: () => DomainError;
  /** Whether a failed condition means that the change has nothing to do: then the result of the plan applies. */
  readonly isDoneOnFailure?: boolean;
};
