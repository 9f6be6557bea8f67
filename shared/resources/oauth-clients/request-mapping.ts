import type { VcsConnection } from '../../domain/directory/records.ts';
import { mapRequest, type RequestMappings } from '../attribute-table.ts';
import type { OauthClientAttributes, attributes as table } from './attributes.ts';

/** Attributes of the client of a VCS connection in a request. */
interface OauthClientRequest extends Partial<Pick<VcsConnection, 'name' | 'serviceProvider' | 'httpUrl' | 'apiUrl'>> {
  /** The token, which must be encrypted before it is stored. */
  readonly token?: string;
}

/** Maps the attributes. An attribute of the table that is not mapped is a type error. */
const mappings: RequestMappings<typeof table, OauthClientRequest> = {
  // A null or empty name is the same as none.
  name: (name) => (name ? { name } : {}),
  'service-provider': (serviceProvider) => ({ serviceProvider }),
  'http-url': (httpUrl) => ({ httpUrl }),
  'api-url': (apiUrl) => ({ apiUrl }),
  'oauth-token-string': (token) => ({ token }),
};

/** Maps the attributes of a request to the attributes of a VCS connection. An omitted attribute is absent from the result. */
export const oauthClientRequest = (attributes: OauthClientAttributes): OauthClientRequest =>
  mapRequest(mappings, attributes);
