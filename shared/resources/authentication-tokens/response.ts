import type { Principal } from '../../domain/directory/records.ts';
import type { Token } from '../../domain/directory/tokens.ts';
import type { Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes, newTokenAttributes } from './attributes.ts';

const types = { user: 'users', team: 'teams', organization: 'organizations', site: 'site', run: 'runs' } as const;
const identifierOf = ({ kind, id }: Pick<Principal, 'kind' | 'id'>) => ({ type: types[kind], id });

const values = ({ description, createdAt, expiresAt }: Token): ComputedValues<typeof attributes> => ({
  description,
  'created-at': timestamp(createdAt),
  'last-used-at': null,
  'expired-at': expiresAt === undefined ? null : timestamp(expiresAt),
});

/**
 * A token as it can be shown at any time (AUTH-13). When it was last used is not known: to write that down would turn
 * every read into a write, and give each function the right to make it.
 */
export const tokenResource = (token: Token): Resource => ({
  ...withoutAttributes(token),
  attributes: values(token),
});

const withoutAttributes = ({ id, subject, createdBy }: Token) => ({
  id,
  type: 'authentication-tokens',
  relationships: {
    'created-by': { data: createdBy ? identifierOf(createdBy) : null },
    ...(subject.kind === 'team' && { team: { data: identifierOf(subject) } }),
  },
});

/** One that was just made: this once with its text. */
export const newTokenResource = (token: Token, text: string): Resource => {
  const complete: ComputedValues<typeof newTokenAttributes> = { ...values(token), token: text };
  return { ...withoutAttributes(token), attributes: complete };
};
