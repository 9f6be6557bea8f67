import type { VcsConnection } from '../../domain/directory/records.ts';
import { clientIdForConnection, displayNames } from '../../domain/workspace/vcs.ts';
import { REVISED, type Resource, toMany, toOne, toOneLinked } from '../../jsonapi/document.ts';
import { timestamp } from '../../lib/clock.ts';
import { BASE_PATH } from '../../routes/api.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes, tokenAttributes } from './attributes.ts';

/** Builds the resource of the client of a VCS connection (VCS-1). It never contains the token. */
export const oauthClientResource = (connection: VcsConnection): Resource => {
  const { id: token, organization, name, serviceProvider, httpUrl, apiUrl, createdAt } = connection;
  const { organizationScoped = true, projects } = connection;
  const id = clientIdForConnection(token);
  const self = `${BASE_PATH}/oauth-clients/${id}`;
  return {
    id,
    [REVISED]: connection,
    type: 'oauth-clients',
    attributes: {
      name,
      'service-provider': serviceProvider,
      'service-provider-display-name': displayNames[serviceProvider],
      'http-url': httpUrl,
      'api-url': apiUrl ?? null,
      'created-at': timestamp(createdAt),
      'callback-url': null,
      'connect-path': null,
      key: null,
      'rsa-public-key': null,
      'organization-scoped': organizationScoped,
    } satisfies ComputedValues<typeof attributes>,
    relationships: {
      organization: toOne('organizations', organization),
      'oauth-tokens': { data: [{ type: 'oauth-tokens', id: token }], links: { related: `${self}/oauth-tokens` } },
      projects: toMany('projects', projects),
    },
    links: { self },
  };
};

/** Builds the resource of the token of a VCS connection, which workspaces refer to. */
export const oauthTokenResource = ({ id, createdAt }: VcsConnection): Resource => ({
  id,
  type: 'oauth-tokens',
  attributes: {
    'created-at': timestamp(createdAt),
    'service-provider-user': null,
    'has-ssh-key': false,
  } satisfies ComputedValues<typeof tokenAttributes>,
  relationships: {
    'oauth-client': toOneLinked('oauth-clients', clientIdForConnection(id)),
  },
  links: { self: `${BASE_PATH}/oauth-tokens/${id}` },
});
