import { serviceProviders } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { flag, nullable, oneOf, text, time } from '../../schemas/schema.ts';
import { type AttributeTable, type CopiedRequest, mapRequest, type RequestAttributes } from '../attribute-table.ts';

const url = { maxLength: limits.sourceUrl, pattern: '^https?://[^\\s]+$' };

/** The attributes of a VCS connection (VCS-1). */
export const attributes = {
  name: {
    request: nullable(
      text(undefined, {
        maxLength: limits.recordName,
        pattern: `(${patterns.shownName})|^$`,
        examples: ['hub'],
      }),
    ),
    response: text(),
  },
  'service-provider': {
    offer: { required: true, immutable: true },
    request: oneOf(serviceProviders),
    response: oneOf(serviceProviders),
  },
  'service-provider-display-name': { response: text() },
  'http-url': {
    offer: { required: true },
    request: text(undefined, { ...url, examples: ['https://github.com'] }),
    response: text('Where repositories are shown.', { examples: ['https://github.com'] }),
  },
  'api-url': {
    request: text(undefined, { ...url, examples: ['https://api.github.com'] }),
    response: nullable(text()),
  },
  'oauth-token-string': {
    member: 'token',
    request: text('The token. It is stored encrypted, and no response contains it.', {
      maxLength: limits.secret,
      minLength: 1,
    }),
  },
  'created-at': { response: time() },
  'callback-url': { response: nullable(text()) },
  'connect-path': { response: nullable(text()) },
  key: { response: nullable(text()) },
  'rsa-public-key': { response: nullable(text()) },
  'organization-scoped': {
    request: flag('False: only the workspaces of the projects may use the connection; true if omitted.'),
    response: flag('True: every workspace of the organization may use the connection.'),
  },
} as const satisfies AttributeTable;

interface OauthClientRequest extends Omit<CopiedRequest<typeof attributes>, 'name'> {
  readonly name?: string;
}

/** Maps the attributes of a VCS connection in a request to the domain. An omitted attribute is absent from the result. */
export const oauthClientRequest = (given: RequestAttributes<typeof attributes>) =>
  mapRequest<typeof attributes, OauthClientRequest>(attributes, given, {
    // A null or empty name is the same as none.
    name: (name) => (name ? { name } : {}),
  });

/** The attributes of the token of a VCS connection. */
export const tokenAttributes = {
  'created-at': { response: time() },
  'service-provider-user': { response: nullable(text()) },
  'has-ssh-key': { response: flag() },
} as const satisfies AttributeTable;
