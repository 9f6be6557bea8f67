import { computedId } from '../ids.ts';

/** Sessions of people who sign in at an identity provider (SESSION-1). Times are milliseconds since the epoch. */

/** A sign-in of a person in one browser. */
export interface Session {
  /** `ss-…` */
  readonly id: string;
  /** SHA-256 of its secret, in hexadecimal. The secret itself is not stored. */
  readonly digest: string;
  /** Id of the user. */
  readonly user: string;
  /** Name of the identity provider; `link` for the session of a sign-in link. */
  readonly provider: string;
  /** Issuer and subject of the ID token; absent for the session of a sign-in link. */
  readonly issuer?: string;
  readonly subject?: string;
  /** Id that the identity provider gave its own session, if any, by which it can end this one. */
  readonly sid?: string;
  /** Beginning of the `User-Agent` of the browser; absent if it sent none, and for sessions of older releases. */
  readonly userAgent?: string;
  readonly startedAt: number;
  /** Time of the last renewal. */
  readonly usedAt: number;
  readonly expiresAt: number;
  /** Time without a renewal after which it ends. */
  readonly idleMilliseconds: number;
  /** Its tokens, the oldest first. Some may have expired. */
  readonly tokens: readonly SessionToken[];
  /** Changes with each renewal; absent before the first one. */
  readonly revision?: string;
}

/** A token of a session. */
export interface SessionToken {
  readonly id: string;
  readonly digest: string;
  readonly expiresAt: number;
}

/** An identity at an identity provider with which a user signs in. */
export interface LinkedIdentity {
  /** `li-…`, computed from issuer and subject. */
  readonly id: string;
  /** Id of the user. */
  readonly user: string;
  /** Name of the identity provider. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  readonly linkedAt: number;
}

/** Computes the id of a linked identity. */
export const linkedIdentityId = (issuer: string, subject: string): string =>
  computedId('linkedIdentity', issuer, subject);

/** A team whose members are the people in a group at an identity provider. */
export interface GroupMapping {
  readonly group: string;
  readonly organization: string;
  /** Id of the team. */
  readonly team: string;
}

/** Limits of sessions of a deployment. */
export interface SessionLimits {
  readonly hours: number;
  /** Minutes without a renewal after which a session ends. */
  readonly idleMinutes: number;
}

/** Limits of sessions that an organization has set, in minutes. */
interface OrganizationLimits {
  /** Minutes without a renewal after which a session ends. */
  readonly sessionTimeout?: number | null;
  /** Minutes after which a session ends. */
  readonly sessionRemember?: number | null;
}

const MINUTE = 60_000;
/** Longest lifetime of a token of a session. */
const TOKEN_MILLISECONDS = 60 * MINUTE;

/** Builds the source of memberships that groups of an identity provider give (SESSION-7). */
export const sourceOf = (provider: string): string => `idp:${provider}`;

/**
 * Returns the limits of a new session: the smallest of the deployment and the organizations of the user (SESSION-3).
 * @returns milliseconds.
 */
export const sessionLimits = (
  { hours, idleMinutes }: SessionLimits,
  organizations: readonly OrganizationLimits[],
): { readonly lifetime: number; readonly idle: number } => {
  const smallest = (minutes: number, own: readonly (number | null | undefined)[]): number =>
    Math.min(minutes, ...own.filter((one) => typeof one === 'number')) * MINUTE;
  return {
    lifetime: smallest(
      hours * 60,
      organizations.map(({ sessionRemember }) => sessionRemember),
    ),
    idle: smallest(
      idleMinutes,
      organizations.map(({ sessionTimeout }) => sessionTimeout),
    ),
  };
};

/** Returns whether a session has neither expired nor been idle for too long (SESSION-3). */
export const isActive = ({ usedAt, expiresAt, idleMilliseconds }: Session, at: number): boolean =>
  at < expiresAt && at < usedAt + idleMilliseconds;

/** Returns the expiry of a new token of a session. It never lives longer than the session may be idle. */
export const tokenExpiry = (
  { expiresAt, idleMilliseconds }: Pick<Session, 'expiresAt' | 'idleMilliseconds'>,
  at: number,
): number => Math.min(at + TOKEN_MILLISECONDS, at + idleMilliseconds, expiresAt);
