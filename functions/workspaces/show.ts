import { authorizeWorkspace } from '../../shared/access/authorize.ts';
import type { Incoming } from '../../shared/http/endpoints.ts';
import { targetOf } from '../../shared/http/target.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import { workspaceDocument } from '../../shared/jsonapi/workspace.ts';
import type { Services } from '../../shared/services.ts';

type ShowRequest = Pick<Incoming<'workspaces.show' | 'workspaces.show-by-name'>, 'digest' | 'parameters'>;

/** `GET /workspaces/:workspace_id` and `GET /organizations/:organization_name/workspaces/:name` (spec 4.1). */
export const showWorkspace =
  ({ store, features }: Services) =>
  async ({ digest, parameters }: ShowRequest): Promise<Document> => {
    const access = await authorizeWorkspace(store, digest, targetOf(parameters), 'workspace.read');
    const releases = await store.findReleases(access.workspace.settings.infraVersion, true);
    return workspaceDocument({ ...access, releases, features });
  };
