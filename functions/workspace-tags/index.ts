import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { tagBindings, tags, tagWorkspaces } from '../../shared/validators/compiled/bodies.js';
import { organizationTagOperations } from './organization-tags.ts';
import { bindingOperations } from './tag-bindings.ts';
import { workspaceTagOperations } from './workspace-tags.ts';

export const handler = createHandler(
  'workspace-tags',
  { ...workspaceTagOperations, ...bindingOperations, ...organizationTagOperations },
  {
    ...openListDependencies('workspace-tags', openSnapshots(readEnvironment('workspace-tags'))),
    validators: { tags, tagBindings, tagWorkspaces },
  },
);
