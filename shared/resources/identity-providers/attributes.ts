import { text } from '../../schemas/schema.ts';
import type { AttributeTable } from '../attribute-table.ts';

/** The attributes of an identity provider (SIGNIN-1). */
export const attributes = {
  name: { response: text('Name in addresses.', { examples: ['keycloak'] }) },
  label: { response: text('Name on the sign-in page.', { examples: ['Acme login'] }) },
  'sign-in-url': {
    response: text(
      'Address at which a browser starts a sign-in. It may take the parameter `to`, a path of the console.',
      {
        examples: ['https://holdfast.example.com/sign-in/keycloak'],
      },
    ),
  },
} as const satisfies AttributeTable;
