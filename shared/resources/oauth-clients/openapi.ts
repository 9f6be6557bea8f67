import { prefixes } from '../../domain/ids.ts';
import { BASE_PATH } from '../../routes/api.ts';
import { resource, toManyLinked, toOne, toOneLinked } from '../../schemas/resource-schema.ts';
import { id, path } from '../../schemas/schema.ts';
import { responseProperties } from '../attribute-schemas.ts';
import { attributes, tokenAttributes } from './attributes.ts';

export const oauthClient = resource('OauthClient', {
  type: 'oauth-clients',
  description: 'A connection to a VCS provider.',
  id: id(prefixes.vcsClient),
  attributes: responseProperties(attributes),
  relationships: { organization: toOne('organizations'), 'oauth-tokens': toManyLinked('oauth-tokens') },
  links: { self: path(`${BASE_PATH}/oauth-clients/oc-CvpbqPPtsWSnyrTk`) },
});

export const oauthToken = resource('OauthToken', {
  type: 'oauth-tokens',
  description:
    'The token of a VCS connection, by which workspaces refer to the connection. Responses never contain the token itself.',
  id: id(prefixes.vcsConnection),
  attributes: responseProperties(tokenAttributes),
  relationships: { 'oauth-client': toOneLinked('oauth-clients') },
  links: { self: path(`${BASE_PATH}/oauth-tokens/ot-CvpbqPPtsWSnyrTk`) },
});
