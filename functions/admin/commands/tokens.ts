import { digestOf, mintToken, newToken } from '../../../shared/access/credentials.ts';
import { notFound } from '../../../shared/domain/errors.ts';
import { isId } from '../../../shared/domain/ids.ts';
import { parseTimestamp } from '../../../shared/domain/timestamps.ts';
import { timestamp } from '../../../shared/lib/clock.ts';
import type { Parameters } from '../../../shared/schemas/admin-commands.ts';
import { revokeTokenOfRun, type TokenOwner } from '../../../shared/store/directory/tokens/tokens.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { invalidParameter } from '../parameters.ts';

const missing = (parameter: string, kind: string) =>
  invalidParameter(parameter, `${parameter} is missing; it is required when kind is ${kind}`);

const ownerOf = ({ kind, username, organization, team }: Parameters<'createToken'>): TokenOwner => {
  const wanted = { user: ['username'], team: ['organization', 'team'], organization: ['organization'], site: [] };
  const needed: readonly string[] = wanted[kind];
  for (const [name, value] of Object.entries({ username, organization, team })) {
    if (value === undefined && needed.includes(name)) throw missing(name, kind);
    if (value !== undefined && !needed.includes(name)) {
      throw invalidParameter(name, `${name} is not allowed when kind is ${kind}; omit it`);
    }
  }
  return { kind, username, organization, team } as TokenOwner;
};

const expiryOf = (expiresAt: string | null | undefined, now: number): number | undefined => {
  if (!expiresAt) return undefined;
  const time = parseTimestamp(expiresAt);
  if (time === undefined)
    throw invalidParameter('expiresAt', 'expiresAt must be a timestamp such as 2027-01-31T08:00:00Z');
  if (time <= now) throw invalidParameter('expiresAt', 'expiresAt must be in the future');
  return time;
};

/** Creates the handlers of the commands for API tokens. The text of a token is returned only when it is created. */
export const tokens = ({
  directory,
  clock,
}: AdminDependencies): Pick<CommandHandlers, 'createToken' | 'newRunToken' | 'revokeToken'> => ({
  createToken: async (parameters) => {
    const owner = ownerOf(parameters);
    const expiresAt = expiryOf(parameters.expiresAt, clock());
    const text = mintToken(owner.kind);
    const request = adminRequest();
    const token = newToken(request, text, { description: parameters.description || null, expiresAt });
    await directory.tokens.create(request, owner, token);
    return { id: token.id, ...(expiresAt !== undefined && { expiresAt: timestamp(expiresAt) }), token: text };
  },

  newRunToken: () => {
    const token = mintToken('run');
    return { token, sha256: digestOf(token) };
  },

  revokeToken: async ({ id, token }) => {
    if ((id === undefined) === (token === undefined))
      throw invalidParameter('id', 'Exactly one of id and token must be given');
    if (token?.startsWith('hfr_')) {
      await revokeTokenOfRun(directory.table, adminRequest(), digestOf(token));
      return { revoked: 'the token of a run' };
    }
    const revoked = id ?? (await directory.tokens.findId(digestOf(token ?? '')));
    if (revoked === undefined || !isId('token', revoked))
      throw notFound(`There is no token ${id ?? 'with this text'}.`);
    await directory.tokens.revoke(adminRequest(), revoked);
    return { revoked };
  },
});
