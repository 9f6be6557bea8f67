import type { Principal, WorkloadScope } from './records.ts';

/** Owner of a token. It determines the rights of the token (AUTH-6). */
export interface TokenSubject {
  readonly kind: 'user' | 'team' | 'organization' | 'audit-trails' | 'agentPool' | 'workloadIdentity' | 'site';
  /** Id of the user, team, agent pool or workload identity, name of the organization (also of its audit trails), or the constant for the site. */
  readonly id: string;
}

/** A stored token. Its text is not stored. */
export interface Token {
  /** `at-…` */
  readonly id: string;
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  readonly subject: TokenSubject;
  /** The username, the team's or organization's name, or the agent pool's id; of a workload identity, the name of its team. */
  readonly name: string;
  /** Of a team, agent pool or workload identity, or itself; a user's token belongs to none. */
  readonly organization?: string;
  readonly description: string | null;
  readonly expiresAt?: number;
  readonly createdAt: number;
  /** Time of the first request of the last day, in UTC, on which it was used; absent for a token without a recorded use. */
  readonly usedAt?: number;
  /** The principal that created it over HTTP; absent for a token of an admin command. */
  readonly createdBy?: Pick<Principal, 'kind' | 'id'>;
  /** Set for a token that `terraform login` brought. Their number is limited (LOGIN-5). */
  readonly login?: true;
  /** Of the token of a workload identity: the team as which it acts, and its limits. */
  readonly team?: string;
  readonly scope?: WorkloadScope;
  /** Digest of the parts of the workload identity that decided about the token. */
  readonly terms?: string;
  /** Id of the session of the user that it belongs to (SESSION-2). */
  readonly session?: string;
  /** True while its user is suspended (SUSPEND-1). */
  readonly suspended?: true;
}

/** Subject of the tokens of site administrators, for which there is no record. */
export const SITE: TokenSubject = { kind: 'site', id: 'site' };

/** A token before it is stored. Its text is returned to the caller only. */
export type NewToken = Pick<Token, 'id' | 'digest' | 'description' | 'expiresAt' | 'createdBy' | 'login'>;

/**
 * Prefix of the credential of automation. Automation is authorized by IAM, has no token, and acts as a service team.
 * Its credential replaces the digest of a token and contains the id of the team. A digest is hexadecimal, so no client
 * can send such a credential.
 */
const PREFIX = 'service:';

/** Builds the credential of automation that acts as a service team. */
export const servicePrincipal = (team: string): string => PREFIX + team;

/** Returns the id of the service team of a credential; undefined for the digest of a token. */
export const actingTeam = (credential: string): string | undefined =>
  credential.startsWith(PREFIX) ? credential.slice(PREFIX.length) : undefined;
