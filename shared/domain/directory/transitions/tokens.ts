import { all, equals, unchanged } from '../../changes/conditions.ts';
import { conflict, DomainError, notFound } from '../../errors.ts';
import type { PresentedToken } from '../../workload-identities/presented-token.ts';
import { termsOf } from '../../workload-identities/terms.ts';
import type { AgentPool, Team, User, WorkloadIdentity } from '../records.ts';
import { type NewToken, SITE, type Token, type TokenSubject } from '../tokens.ts';
import {
  type Attempt,
  done,
  type Effect,
  IN_SERVICE,
  OPEN,
  type Plan,
  record,
  requireInService,
  type Stored,
  type StoredToken,
  type Target,
} from './plan.ts';

/**
 * Tokens. An organization has one token and one audit trail token. A team has a single token and any number of
 * additional ones. A new single token replaces the old one.
 */

/** Owner of a new token. */
export type TokenHolder =
  | { readonly kind: 'user'; readonly user: User }
  | ({ readonly kind: 'single' } & SingleTokenHolder)
  /** `tokens`: the tokens of the team. They are necessary for a token with a description only. */
  | { readonly kind: 'team'; readonly team: Stored<'team'>; readonly tokens: readonly Token[] }
  | { readonly kind: 'agentPool'; readonly pool: AgentPool }
  | ({ readonly kind: 'workloadIdentity' } & WorkloadTokenHolder)
  | { readonly kind: 'site' };

/** Owner of the token of a pipeline. */
export interface WorkloadTokenHolder {
  /** The workload identity whose checks the identity token has passed. */
  readonly identity: WorkloadIdentity;
  /** Its team, as which the token acts. */
  readonly team: Team;
  readonly presented: PresentedToken;
}

/** Owner of a single token. */
export interface SingleTokenHolder extends Required<Pick<Token, 'subject' | 'name' | 'organization'>> {
  /** Id of the token that the new one replaces. */
  readonly current: string | undefined;
  /** That token; undefined if there is none, or it does not exist any more. */
  readonly replaced: StoredToken | undefined;
}

/** A created token, and the digest of the token that it replaced. */
export interface CreatedToken {
  readonly token: Token;
  readonly replaced?: string;
}

/** A rename changes the name on every token of the subject, two items each, and a transaction holds 100. */
const MOST_TOKENS = 40;

/** Plans the new name of a subject on its tokens. @throws DomainError 409 when it has too many tokens. */
export const renameTokens = (tokens: readonly Token[], name: string): Effect[] => {
  if (tokens.length > MOST_TOKENS) {
    throw conflict(
      `The name cannot change while there are more than ${MOST_TOKENS} tokens. There are ${tokens.length}: delete some first.`,
    );
  }
  return tokens.map((token) => ({ kind: 'rename-token', token, name }));
};

/** The record that has the id of a single token, and its attribute. */
export interface SingleTokenPlace {
  readonly of: Target & { readonly kind: 'organization' | 'team' };
  readonly attribute: 'singleToken' | 'auditTrailToken';
}

/** Returns the place of a subject's single token. Other subjects have none. */
export const placeOfSingleToken = ({ kind, id }: TokenSubject): SingleTokenPlace | undefined => {
  if (kind === 'organization' || kind === 'team') return { of: { kind, id }, attribute: 'singleToken' };
  return kind === 'audit-trails' ? { of: { kind: 'organization', id }, attribute: 'auditTrailToken' } : undefined;
};

/** Creates the 409 error for a token that an earlier attempt of the request created, and whose text nobody knows. */
const createdBefore = (id: string): DomainError =>
  conflict('An earlier attempt of this request created a token, whose text is not stored. meta names it.', { id });

/** The subject of a new token, and the effects on the subject. */
interface Subject
  extends Pick<Token, 'subject' | 'name'>,
    Partial<Pick<Token, 'organization' | 'team' | 'scope' | 'terms'>> {
  readonly effects: readonly Effect[];
  readonly replaced?: string | undefined;
}

/** A user who has a token is no longer only invited (ORG-9). @throws DomainError 409 for a suspended user. */
const forUser = (user: User): Subject => {
  requireInService(user);
  const { id, username, invited } = user;
  const of = { kind: 'user', id } as const;
  const condition = all(IN_SERVICE, equals('username', username));
  return {
    subject: of,
    name: username,
    effects: [
      invited ? { kind: 'update', of, change: { remove: ['invited'] }, condition } : { kind: 'require', of, condition },
    ],
  };
};

const revocation = (attempt: Attempt, token: StoredToken): Effect => ({
  kind: 'revoke-token',
  token,
  changeRecord: record(attempt, 'token.revoked'),
});

/** Plans to replace the single token of a subject, on condition that it is still the same. */
const replaceSingle = (
  attempt: Attempt,
  { subject, name, organization, current, replaced }: SingleTokenHolder,
  id: string,
): Subject => {
  const place = placeOfSingleToken(subject);
  const effects: Effect[] = replaced ? [revocation(attempt, replaced)] : [];
  if (place !== undefined) {
    const { of, attribute } = place;
    const condition = all(OPEN, equals('name', name), unchanged(attribute, current));
    effects.unshift({ kind: 'update', of, change: { set: { [attribute]: id } }, condition });
  }
  return { subject, name, organization, effects, replaced: replaced?.digest };
};

/** Creates the error for a description that another token of the team has. The Go client compares its title and detail. */
const descriptionTaken = (): DomainError =>
  new DomainError('invalid-attributes', 'Validation failed: Description has already been taken', {
    source: { pointer: '/data/attributes/description' },
  });

/**
 * Plans a new additional token of a team. Descriptions are unique: tokens with a description are created one after another,
 * and each creation sees the earlier ones.
 * @throws DomainError 422 if another token of the team has the description.
 */
const addToTeam = (
  { record: { id, name, organization }, tokenRevision: revision }: Stored<'team'>,
  tokens: readonly Token[],
  { id: token, description }: NewToken,
): Subject => {
  const of = { kind: 'team', id } as const;
  const owned = { subject: of, name, organization };
  const named = all(OPEN, equals('name', name));
  if (description === null) return { ...owned, effects: [{ kind: 'require', of, condition: named }] };
  if (tokens.some((other) => other.description === description)) {
    throw descriptionTaken();
  }
  const change = { set: { tokenRevision: token } };
  const condition = all(named, unchanged('tokenRevision', revision));
  return { ...owned, effects: [{ kind: 'update', of, change, condition }] };
};

/** Creates the error for a workload identity or team that was changed or deleted after the checks. */
const changedMeanwhile = (): DomainError => conflict('The workload identity has changed meanwhile.');

/**
 * Plans the token of a pipeline, on condition that the workload identity is still as it was when the identity token was checked:
 * no token survives a change or a deletion of it.
 */
const forWorkload = ({ identity, team }: WorkloadTokenHolder): Subject => {
  const { id, organization, scope, revision } = identity;
  const of = { kind: 'workloadIdentity', id } as const;
  return {
    subject: of,
    name: team.name,
    organization,
    team: team.id,
    ...(scope && { scope }),
    terms: termsOf(identity),
    effects: [
      { kind: 'require', of, condition: all(OPEN, unchanged('revision', revision)), rejection: changedMeanwhile },
      { kind: 'require', of: { kind: 'team', id: team.id }, rejection: changedMeanwhile },
    ],
  };
};

const planSubject = (attempt: Attempt, holder: TokenHolder, token: NewToken): Subject => {
  switch (holder.kind) {
    case 'user':
      return forUser(holder.user);
    case 'single':
      return replaceSingle(attempt, holder, token.id);
    case 'team':
      return addToTeam(holder.team, holder.tokens, token);
    case 'agentPool': {
      // The name of a pool is not on its tokens, so renaming it changes none of them.
      const { id, organization } = holder.pool;
      const of = { kind: 'agentPool', id } as const;
      return { subject: of, name: id, organization, effects: [{ kind: 'require', of }] };
    }
    case 'workloadIdentity':
      return forWorkload(holder);
    case 'site':
      return { subject: SITE, name: SITE.id, effects: [] };
  }
};

/**
 * Plans the creation of a token, with checks that its subject is unchanged when the token is written.
 * @throws DomainError 422 if another token of the team has the description; 409, when the plan is applied, if an earlier
 *   attempt of the request created the token.
 */
export const createToken = (attempt: Attempt, holder: TokenHolder, token: NewToken): Plan<CreatedToken> => {
  const { effects, replaced, ...owned } = planSubject(attempt, holder, token);
  const created = { ...token, ...owned, createdAt: attempt.at };
  return {
    effects: [
      {
        kind: 'create-token',
        token: created,
        changeRecord:
          holder.kind === 'workloadIdentity'
            ? record(attempt, 'token.issued', { presented: holder.presented })
            : record(attempt, 'token.created'),
        ...(attempt.request.attempt === 'resumed' && { rejection: () => createdBefore(token.id) }),
      },
      ...effects,
    ],
    result: { token: created, ...(replaced !== undefined && { replaced }) },
  };
};

/**
 * Plans to revoke a token.
 * @param token undefined if there is none: the previous attempt of this request, or another request, has revoked it.
 * @param current id of the single token of its subject.
 * @returns the digest, for removal from caches.
 * @throws DomainError 404 when there is no such token.
 */
export const revokeToken = (
  attempt: Attempt<string>,
  id: string,
  token: StoredToken | undefined,
  current: string | undefined,
): Plan<string> => {
  if (token === undefined) {
    if (attempt.previous !== undefined) return done(attempt.previous);
    throw notFound(`There is no token ${id}.`);
  }
  const effects: Effect[] = [revocation(attempt, token)];
  const place = placeOfSingleToken(token.subject);
  if (place !== undefined && current === id) {
    const { of, attribute } = place;
    effects.push({ kind: 'update', of, change: { remove: [attribute] }, condition: equals(attribute, id) });
  }
  return { effects, result: token.digest };
};

/** Plans to revoke tokens of a subject that stays. @returns their number. */
export const revokeTokens = (attempt: Attempt, tokens: readonly StoredToken[]): Plan<number> => ({
  effects: tokens.map((token) => revocation(attempt, token)),
  result: tokens.length,
});

/** Plans to revoke the token of a run. @throws DomainError 404 when there is no such token. */
export const revokeRunToken = ({ previous }: Attempt<string>, digest: string, exists: boolean): Plan<string> => {
  if (exists) return { effects: [{ kind: 'delete-run-token', digest }], result: digest };
  if (previous === undefined) throw notFound('There is no token like that.');
  return done(previous);
};
