import Type from 'typebox';
import { nullableId } from '../../schemas/request-schema.ts';
import { oneOf } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const oauthClient = Type.Object(
  {
    data: Type.Object({
      type: Type.Optional(oneOf(['oauth-clients'])),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(attributes)),
    }),
  },
  {
    examples: [
      {
        data: {
          type: 'oauth-clients',
          attributes: {
            name: 'hub',
            'service-provider': 'github',
            'http-url': 'https://github.com',
            'api-url': 'https://api.github.com',
            'oauth-token-string': 'token of the provider',
          },
        },
      },
    ],
  },
);

export const oauthBodies = { oauthClient };
