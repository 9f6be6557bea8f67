import type { RequestContext } from '../../../domain/changes/change-context.ts';
import type { WorkloadIdentity } from '../../../domain/directory/records.ts';
import type { NewToken, Token, TokenSubject } from '../../../domain/directory/tokens.ts';
import { done, isOpen, type Stored, type StoredToken } from '../../../domain/directory/transitions/plan.ts';
import { noOrganization, noRecord } from '../../../domain/directory/transitions/records.ts';
import {
  type CreatedToken,
  createToken,
  placeOfSingleToken,
  revokeRunToken,
  revokeToken,
  revokeTokens,
  type SingleTokenHolder,
  type TokenHolder,
} from '../../../domain/directory/transitions/tokens.ts';
import { useById } from '../../../domain/directory/transitions/users.ts';
import type { PresentedToken } from '../../../domain/workload-identities/presented-token.ts';
import { keys } from '../../dynamodb/keys.ts';
import { tokenSubjectOf } from '../../items/record-items.ts';
import { apply, type Table } from '../records/commit.ts';
import type { RecordStore } from '../records/record-store.ts';
import type { Users } from '../users/users.ts';
import { findSingleToken, findTokens } from './token-reader.ts';

/**
 * The owner of a new token: a user, a team (by name or id), an organization, an agent pool, a workload identity, or the site
 * administrators.
 */
export type TokenOwner =
  | { readonly kind: 'user'; readonly username: string }
  | { readonly kind: 'user'; readonly id: string }
  | { readonly kind: 'team'; readonly organization: string; readonly team: string; readonly single?: true }
  | { readonly kind: 'organization' | 'audit-trails'; readonly organization: string }
  | { readonly kind: 'agentPool'; readonly organization: string; readonly id: string }
  | { readonly kind: 'workloadIdentity'; readonly identity: WorkloadIdentity; readonly presented: PresentedToken }
  | { readonly kind: 'site' };

/** Number of tokens that one transaction revokes: each has three items, and a transaction holds 100. */
const REVOKED_AT_ONCE = 30;

/** Opens the changes of tokens. All reads are strongly consistent. */
export const openTokens = (table: Table, records: RecordStore, users: Users) => {
  const { database } = table;

  const findPointer = async (id: string): Promise<StoredToken | undefined> => {
    const item = await database.get(keys.pointer(id), true);
    return item && { id, digest: String(item['digest']), subject: tokenSubjectOf(item) };
  };

  const single = async (
    subject: TokenSubject,
    organization: string,
    { record: { name }, ...stored }: Stored<'team'> | Stored<'organization'>,
  ): Promise<{ readonly kind: 'single' } & SingleTokenHolder> => {
    const current = stored[placeOfSingleToken(subject)?.attribute ?? 'singleToken'];
    const replaced = current === undefined ? undefined : await findPointer(current);
    return { kind: 'single', subject, name, organization, current, replaced };
  };

  const findUser = async (owner: Extract<TokenOwner, { kind: 'user' }>) => {
    if ('username' in owner) return users.get(owner.username);
    return useById(await users.findById(owner.id)).result;
  };

  const findHolder = async (owner: TokenOwner, { description }: NewToken): Promise<TokenHolder> => {
    switch (owner.kind) {
      case 'user':
        return { kind: 'user', user: await findUser(owner) };
      case 'team': {
        const { organization } = owner;
        const team = await records.findStored('team', organization, owner.team);
        if (!isOpen(team)) throw noRecord('team', owner.team);
        const subject = { kind: 'team', id: team.record.id } as const;
        if (owner.single) return single(subject, organization, team);
        return { kind: 'team', team, tokens: description === null ? [] : await findTokens(database, subject) };
      }
      case 'organization':
      case 'audit-trails': {
        const { kind, organization: id } = owner;
        const stored = await records.findOrganization(id);
        if (!isOpen(stored)) throw noOrganization();
        return single({ kind, id }, id, stored);
      }
      case 'agentPool': {
        const pool = await records.findById('agentPool', owner.id, true);
        if (pool?.organization !== owner.organization) throw noRecord('agentPool', owner.id);
        return { kind: 'agentPool', pool };
      }
      case 'workloadIdentity': {
        const { identity } = owner;
        const team = await records.get('team', identity.organization, identity.team);
        return { ...owner, team };
      }
      case 'site':
        return owner;
    }
  };

  return {
    create: (request: RequestContext, owner: TokenOwner, token: NewToken): Promise<CreatedToken> =>
      apply<CreatedToken>(table, request, async (attempt) => {
        const { previous } = attempt;
        // The id is unique to this request: an earlier attempt created it without a response.
        if (previous !== undefined && (await findPointer(token.id)) !== undefined) return done(previous);
        return createToken(attempt, await findHolder(owner, token), token);
      }),

    /** Revokes a token. @returns the digest, for removal from caches. @throws DomainError 404 when there is no such token. */
    revoke: (request: RequestContext, id: string): Promise<string> =>
      apply<string>(table, request, async (attempt) => {
        const token = await findPointer(id);
        return revokeToken(attempt, id, token, token && (await findSingleToken(database, token.subject)));
      }),

    /** Revokes the tokens of a subject that a test selects. The subject gets no further ones of them. */
    revokeSome: async (
      request: RequestContext,
      subject: TokenSubject,
      isSelected: (token: Token) => boolean,
    ): Promise<void> => {
      const revokeFirst = () =>
        apply<number>(table, request, async (attempt) => {
          const selected = (await findTokens(database, subject)).filter(isSelected);
          return revokeTokens(attempt, selected.slice(0, REVOKED_AT_ONCE));
        });
      while ((await revokeFirst()) > 0);
    },

    findId: async (digest: string): Promise<string | undefined> => {
      const item = await database.get(keys.token(digest), true);
      return item && String(item['id']);
    },
  };
};

/** Revokes the token of a run. @throws DomainError 404 when there is no such token. */
export const revokeTokenOfRun = (table: Table, request: RequestContext, digest: string): Promise<string> =>
  apply<string>(table, request, async (attempt) => {
    const item = await table.database.get(keys.token(digest), true);
    return revokeRunToken(attempt, digest, item?.['ty'] === 'run-token');
  });
