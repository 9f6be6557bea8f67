import { isId } from '../../shared/domain/ids.ts';
import { connectionIdForClient } from '../../shared/domain/workspace/vcs.ts';
import { oauthClientResource } from '../../shared/resources/oauth-clients/response.ts';
import { recordOperations } from './record-operations.ts';

/** Operations on VCS connections: an OAuth client and its token are one record (VCS-1). */
export const vcsConnections = recordOperations({
  kind: 'vcsConnection',
  read: 'shared-record.read',
  manage: 'vcs-connection.manage',
  resource: oauthClientResource,
});

/** Maps the id of an OAuth client to the id of its record. Any other text is returned unchanged, and finds nothing. */
export const vcsConnectionId = (client: string): string =>
  isId('vcsClient', client) ? connectionIdForClient(client) : client;
