import Type from 'typebox';
import { resourceDocument } from '../../schemas/request-schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const oauthClient = resourceDocument(
  'oauth-clients',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
  },
  {
    attributes: {
      name: 'hub',
      'service-provider': 'github',
      'http-url': 'https://github.com',
      'api-url': 'https://api.github.com',
      'oauth-token-string': 'token of the provider',
    },
  },
);

export const oauthBodies = { oauthClient };
