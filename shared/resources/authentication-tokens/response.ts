import type { Principal } from '../../domain/directory/records.ts';
import type { Token } from '../../domain/directory/tokens.ts';
import type { Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes, newTokenAttributes } from './attributes.ts';

const types = { user: 'users', team: 'teams', organization: 'organizations', site: 'site', run: 'runs' } as const;
const identifierOf = ({ kind, id }: Pick<Principal, 'kind' | 'id'>) => ({ type: types[kind], id });

const values = ({ description, createdAt, usedAt, expiresAt }: Token): ComputedValues<typeof attributes> => ({
  description,
  'created-at': timestamp(createdAt),
  'last-used-at': usedAt === undefined ? null : timestamp(usedAt),
  'expired-at': expiresAt === undefined ? null : timestamp(expiresAt),
});

/**
 * Builds the resource of a token, without the token itself (AUTH-13).
 */
export const tokenResource = (token: Token): Resource => ({
  ...withoutAttributes(token),
  attributes: values(token),
});

const withoutAttributes = ({
  id,
  subject,
  createdBy,
  team: teamOf = subject.kind === 'team' ? subject.id : undefined,
}: Token) => ({
  id,
  type: 'authentication-tokens',
  relationships: {
    'created-by': { data: createdBy ? identifierOf(createdBy) : null },
    ...(teamOf !== undefined && { team: { data: { type: types.team, id: teamOf } } }),
  },
});

/** Builds the resource of a new token. No other resource contains the secret. */
export const newTokenResource = (token: Token, text: string): Resource => {
  const complete: ComputedValues<typeof newTokenAttributes> = { ...values(token), token: text };
  return { ...withoutAttributes(token), attributes: complete };
};
