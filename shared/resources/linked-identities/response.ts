import type { LinkedIdentity } from '../../domain/directory/sessions.ts';
import type { Resource } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/** Builds the resource of a linked identity (SESSION-11). */
export const linkedIdentityResource = ({
  id,
  user,
  provider,
  issuer,
  subject,
  linkedAt,
}: LinkedIdentity): Resource => ({
  id,
  type: 'linked-identities',
  attributes: { provider, issuer, subject, 'linked-at': timestamp(linkedAt) } satisfies ComputedValues<
    typeof attributes
  >,
  relationships: { user: { data: { id: user, type: 'users' } } },
});
