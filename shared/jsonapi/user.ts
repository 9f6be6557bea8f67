import type { User } from '../domain/directory.ts';
import type { Resource } from './document.ts';

/** A user as anybody sees them who shares an organization with them (contract 8). */
export const userResource = ({ id, username, serviceAccount }: User, more: object = {}): Resource => ({
  id,
  type: 'users',
  attributes: {
    username,
    'is-service-account': serviceAccount,
    'avatar-url': null,
    ...more,
  },
  relationships: { 'authentication-tokens': { links: { related: `/api/v2/users/${id}/authentication-tokens` } } },
  links: { self: `/api/v2/users/${id}` },
});
