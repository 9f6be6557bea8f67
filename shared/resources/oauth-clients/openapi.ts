import { serviceProviders } from '../../domain/directory/records.ts';
import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toManyLinked, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { flag, id, nullable, oneOf, path, text, time } from '../../schemas/schema.ts';

export const oauthClient = resource('OauthClient', {
  type: 'oauth-clients',
  description: 'A connection to a VCS provider.',
  id: id(prefixes.vcsClient),
  attributes: {
    name: text(),
    'service-provider': oneOf(serviceProviders),
    'service-provider-display-name': text(),
    'http-url': text('Where repositories are shown.', { examples: ['https://github.com'] }),
    'api-url': nullable(text()),
    'created-at': time(),
    'callback-url': nullable(text()),
    'connect-path': nullable(text()),
    key: nullable(text()),
    'rsa-public-key': nullable(text()),
    'organization-scoped': flag('True: every workspace of the organization may use it.'),
  },
  relationships: { organization: toOne('organizations'), 'oauth-tokens': toManyLinked('oauth-tokens') },
  links: { self: path(`${BASE_PATH}/oauth-clients/oc-CvpbqPPtsWSnyrTk`) },
});

export const oauthToken = resource('OauthToken', {
  type: 'oauth-tokens',
  description: 'The token of a VCS connection, by which workspaces refer to it. The token itself is never answered.',
  id: id(prefixes.vcsConnection),
  attributes: {
    'created-at': time(),
    'service-provider-user': nullable(text()),
    'has-ssh-key': flag(),
  },
  relationships: { 'oauth-client': toOneLinked('oauth-clients') },
  links: { self: path(`${BASE_PATH}/oauth-tokens/ot-CvpbqPPtsWSnyrTk`) },
});
