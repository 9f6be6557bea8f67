import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { workspace } from '../../shared/validators/compiled/bodies.js';
import { createWorkspace } from './create.ts';
import { showWorkspace } from './show.ts';
import { updateWorkspace } from './update.ts';

const environment = readEnvironment('workspaces');
const dependencies = openListDependencies('workspaces', openSnapshots(environment));

export const handler = createHandler(
  'workspaces',
  {
    'workspaces.create': createWorkspace,
    'workspaces.show': showWorkspace,
    'workspaces.show-by-name': showWorkspace,
    'workspaces.update': updateWorkspace,
    'workspaces.update-by-name': updateWorkspace,
  },
  {
    ...dependencies,
    globalRemoteState: dependencies.features.globalRemoteStateDefault && environment.GLOBAL_REMOTE_STATE_DEFAULT,
    validators: { workspace },
  },
);
