import { authorizeWorkspace } from '../../shared/access/authorize/workspace.ts';
import { presentWorkspace } from '../../shared/documents/workspace-documents.ts';
import type { OperationRequest } from '../../shared/http/operation.ts';
import { workspaceTarget } from '../../shared/http/workspace-target.ts';
import type { Document } from '../../shared/jsonapi/document.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';

/** `GET /workspaces/:workspace_id` and `GET /organizations/:organization_name/workspaces/:name` (WS-6, HTTP-29). */
export const showWorkspace = async (
  { digest, parameters, include, url }: OperationRequest<'workspaces.show' | 'workspaces.show-by-name'>,
  dependencies: Dependencies,
): Promise<Document> =>
  presentWorkspace(
    dependencies,
    await authorizeWorkspace(dependencies.store, digest, workspaceTarget(parameters), 'workspace.read'),
    { include, url },
  );
