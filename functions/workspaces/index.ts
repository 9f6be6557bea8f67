import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { workspace } from '../../shared/validators/compiled/bodies.js';
import { createWorkspace } from './create.ts';
import { showWorkspace } from './show.ts';
import { updateWorkspace } from './update.ts';

const environment = readEnvironment('workspaces');
const shared = openListDependencies('workspaces', openSnapshots(environment));
const dependencies = {
  ...shared,
  globalRemoteState: shared.features.globalRemoteStateDefault && environment.GLOBAL_REMOTE_STATE_DEFAULT,
};
const show = showWorkspace(dependencies);
const update = updateWorkspace(dependencies);

export const handler = createHandler(
  'workspaces',
  {
    'workspaces.create': createWorkspace(dependencies),
    'workspaces.show': show,
    'workspaces.show-by-name': show,
    'workspaces.update': update,
    'workspaces.update-by-name': update,
  },
  { ...dependencies, validators: { workspace } },
);
