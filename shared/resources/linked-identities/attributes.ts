import { text, time } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of a linked identity (SESSION-11). */
export const attributes = {
  provider: { response: text('Name of the identity provider at the time of the link.', { examples: ['keycloak'] }) },
  issuer: { response: text('Issuer of the ID tokens.', { examples: ['https://idp.example.com'] }) },
  subject: { response: text('Subject of the ID tokens, which identifies the person at the issuer.') },
  'linked-at': { response: time() },
} as const satisfies AttributeTable;
