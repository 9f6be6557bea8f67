import Type from 'typebox';
import { serviceProviders } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { id, nullableText, oneOf, patterns, text } from '../../schemas/parts.ts';

const url = (example: string) => text(limits.sourceUrl, { pattern: '^https?://[^\\s]+$', examples: [example] });

const oauthClient = Type.Object({
  data: Type.Object({
    type: oneOf(['oauth-clients']),
    id: Type.Optional(id),
    attributes: Type.Optional(
      Type.Object({
        name: Type.Optional(
          nullableText(limits.recordName, { pattern: `(${patterns.shownName})|^$`, examples: ['hub'] }),
        ),
        'service-provider': Type.Optional(oneOf(serviceProviders)),
        'http-url': Type.Optional(url('https://github.com')),
        'api-url': Type.Optional(url('https://api.github.com')),
        'oauth-token-string': Type.Optional(
          text(limits.secret, { minLength: 1, description: 'The token. It is encrypted, and never answered.' }),
        ),
      }),
    ),
  }),
});

export const oauthBodies = { oauthClient };
