import type { ImportedFrom } from '../imported-from.ts';
import type { BackingData } from '../state-versions/state-version.ts';
import type { PresentedToken } from '../workload-identities/presented-token.ts';
import type { ChangeRecordBase } from './change-context.ts';

/** Types of changes of a workspace. Each is published as an event with a schema of its own (EVENT-1). */
export const changeTypes = [
  'workspace.created',
  'workspace.updated',
  'workspace.moved',
  'workspace.locked',
  'workspace.unlocked',
  'workspace.force-unlocked',
  'workspace.lock-renewed',
  'workspace.deleted',
  'workspace.restored',
  'workspace.purged',
  'workspace.tags-changed',
  'workspace.consumers-changed',
  'workspace.access-changed',
  'workspace.retention-policy-changed',
  'workspace.variable-created',
  'workspace.variable-updated',
  'workspace.variable-deleted',
  'workspace.variable-verified',
  'workspace.state-version-created',
  'workspace.state-version-finalized',
  'workspace.state-version-deleted',
  'workspace.state-version-backing-data-changed',
  'workspace.run-updated',
  'workspace.configuration-version-updated',
  'workspace.destroy-requested',
] as const;
export type ChangeType = (typeof changeTypes)[number];

/**
 * Details of a change that the workspace itself does not show afterwards. They are stored on the workspace and published
 * in its event: ids, names and counts, never the value of a variable or the content of a state.
 */
export interface Details {
  /** Names of the changed attributes, as in the domain or on the wire; for changed tags, their keys. */
  readonly keys?: readonly string[];
  /** Previous name and project, if they changed. */
  readonly previous?: { readonly name?: string; readonly project?: string };
  /** The variable that changed, or whose value was verified. */
  readonly variable?: VariableName;
  /** Versions of the variable before and after the change, by which the history finds their values. */
  readonly versions?: VariableVersions;
  /** Whether a verified value was the value of the variable (VAR-16). */
  readonly matches?: boolean;
  /** The team whose access changed, with its new level; null for none. */
  readonly team?: { readonly id: string; readonly access: string | null };
  readonly consumers?: ConsumersChange;
  /** The state version that changed, or that an unlock promoted; `supersedes` is the id of a discarded one. */
  readonly stateVersion?: {
    readonly id: string;
    readonly serial?: number;
    readonly supersedes?: string;
    readonly importedFrom?: ImportedFrom;
    /** Id of the version whose content it has, if a rollback created it (STATE-21). */
    readonly rolledBackTo?: string;
    readonly backingData?: BackingData;
  };
  /** The run that was reported, with its status. */
  readonly run?: { readonly id: string; readonly status: string };
  /** Whether this report ended the run, so that each run is counted once (STAT-6). */
  readonly endsRun?: true;
  readonly configurationVersion?: { readonly id: string; readonly status: string };
  /** The lock that ended. */
  readonly released?: ReleasedLock;
  /** The lock that this change ended because its lease had expired (LOCK-20). */
  readonly expiredLock?: ExpiredLock;
  /** Reason that a force-unlock gives. */
  readonly reason?: string;
  /** Whether a deletion was forced (DEL-6). */
  readonly forced?: boolean;
  /** Due time of the requested destroy run, in milliseconds. */
  readonly due?: number;
}

/** Names of all details. A record, because a missing name would be a detail that is never stored. */
const details: Readonly<Record<keyof Details, true>> = {
  keys: true,
  previous: true,
  variable: true,
  versions: true,
  matches: true,
  team: true,
  consumers: true,
  stateVersion: true,
  run: true,
  endsRun: true,
  configurationVersion: true,
  released: true,
  expiredLock: true,
  reason: true,
  forced: true,
  due: true,
};
const detailNames = Object.keys(details) as (keyof Details)[];

/** Returns the details that an object contains, without its other members. */
export const pickDetails = (from: Details): Details =>
  Object.fromEntries(detailNames.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));

/** The last change of a workspace: its type, time, actor and request, and its details. */
export interface ChangeRecord extends ChangeRecordBase<ChangeType>, Details {}

/** A lock that ended, with its holder. */
export interface ReleasedLock {
  readonly id: string;
  readonly kind: 'User' | 'Team' | 'Run';
  /** Id of the user, team or run that held it. */
  readonly by: string;
  /** Name of the holder. */
  readonly name: string;
}

/** A lock that ended because its lease expired. */
export interface ExpiredLock extends ReleasedLock {
  readonly expiresAt: number;
  /** The state version that its end made the current one. */
  readonly stateVersion?: { readonly id: string; readonly serial: number };
}

/** The public part of a variable: never its value. */
export interface VariableName {
  readonly id: string;
  readonly category: string;
  readonly key: string;
}

/** Versions of a variable before and after a change. A new variable has none before, a deleted one none after. */
export interface VariableVersions {
  readonly old?: string;
  readonly new?: string;
}

/** A change of remote state consumers. Ids are listed only if they are few. */
export interface ConsumersChange {
  readonly change: 'added' | 'removed' | 'replaced';
  /** Number of consumers in the request. */
  readonly count: number;
  readonly ids?: readonly string[];
}

/** Types of changes of a variable set. Each is published as an event with a schema of its own (EVENT-1). */
export const variableSetChangeTypes = [
  'variable-set.created',
  'variable-set.updated',
  'variable-set.deleted',
  'variable-set.assignments-changed',
  'variable-set.variable-created',
  'variable-set.variable-updated',
  'variable-set.variable-deleted',
  'variable-set.variable-verified',
] as const;
export type VariableSetChangeType = (typeof variableSetChangeTypes)[number];

/** Ids of workspaces or projects that one write adds to the assignments of a variable set, or removes from them. */
export interface AssignmentsChange {
  readonly target: 'workspaces' | 'projects';
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Details of a change that the variable set itself does not show afterwards. They never contain a value. */
export interface VariableSetDetails extends Pick<Details, 'keys' | 'variable' | 'versions' | 'matches'> {
  readonly assignments?: AssignmentsChange;
}

/** The last change of a variable set: its type, time, actor and request, and its details. */
export interface VariableSetChange extends ChangeRecordBase<VariableSetChangeType>, VariableSetDetails {}

/** Maximum number of ids in a change record. */
export const NAMED_CONSUMERS = 20;

/** Creates the details of a change of remote state consumers. */
export const consumersChange = (change: ConsumersChange['change'], ids: readonly string[]): ConsumersChange => ({
  change,
  count: ids.length,
  ...(ids.length <= NAMED_CONSUMERS && { ids }),
});

/** Action of the entry that a rejected request leaves where the setting `auditRefusals` is on. There is no such event. */
export const REQUEST_REJECTED = 'request.refused';

/** Operation, response status and path of a rejected request (HIST-18). */
export interface RejectedRequest {
  /** Id of the route, such as `workspaces.lock`. */
  readonly operation: string;
  readonly status: number;
  /** Path without the query, cut at `PATH_LENGTH` characters. */
  readonly path: string;
}

/** Stored form of a rejected request. */
export interface Rejection extends ChangeRecordBase<typeof REQUEST_REJECTED>, RejectedRequest {
  readonly organization: string;
}

/** Action of the entry that a refused exchange of an identity token leaves (WI-9). There is no such event. */
export const EXCHANGE_REFUSED = 'exchange.refused';

/** Reasons to refuse an exchange, apart from checks of the identity token that fail. */
export const exchangeReasons = [
  'disabled',
  'malformed-token',
  'unsupported-algorithm',
  'issuer-unavailable',
  'unknown-key',
  'invalid-signature',
  'claim',
  'changed-meanwhile',
  'too-many-failures',
] as const;
export type ExchangeReason = (typeof exchangeReasons)[number];

/** Reason why an exchange was refused (WI-9). */
export interface RefusedExchange {
  readonly reason: ExchangeReason;
  /** Explanation for the people who manage the workload identity. */
  readonly message: string;
  /** The identity token; absent unless its signature is valid. */
  readonly presented?: PresentedToken;
}

/** Stored form of a refused exchange. */
export interface ExchangeRefusal extends ChangeRecordBase<typeof EXCHANGE_REFUSED>, RefusedExchange {
  readonly organization: string;
  readonly team: string;
}

/** Action of the entry that a refused sign-in of a member leaves (SIGNIN-14). There is no such event. */
export const SIGN_IN_REFUSED = 'user.sign-in-refused';

/** Reasons to refuse the sign-in of a person whose identity token is genuine. */
export const signInRefusalReasons = [
  'missing-claim',
  'too-many-groups',
  'malformed-groups',
  'missing-group',
  'missing-acr',
  'clock',
  'suspended',
  'provider-disabled',
] as const;
export type SignInRefusalReason = (typeof signInRefusalReasons)[number];

/** Stored form of a refused sign-in. */
export interface SignInRefusal extends ChangeRecordBase<typeof SIGN_IN_REFUSED> {
  readonly organization: string;
  /** Id of the membership of the user in the organization. */
  readonly membership: string;
  /** Absent if the user was deleted meanwhile. */
  readonly username?: string;
  readonly provider: string;
  readonly reason: SignInRefusalReason;
}

/** Length to which paths are cut. */
export const PATH_LENGTH = 512;
/** Maximum number of rejections that are recorded for each token and minute. */
export const REJECTIONS_PER_MINUTE = 20;
