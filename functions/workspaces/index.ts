import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { workspace } from '../../shared/schemas/compiled/bodies.js';
import { createWorkspace } from './create.ts';
import { showWorkspace } from './show.ts';
import { updateWorkspace } from './update.ts';

const environment = readEnvironment('workspaces');
const shared = openServices('workspaces', openSnapshots(environment));
const services = {
  ...shared,
  globalRemoteState: shared.features.globalRemoteStateDefault && environment.GLOBAL_REMOTE_STATE_DEFAULT,
};
const show = showWorkspace(services);
const update = updateWorkspace(services);

export const handler = createHandler(
  'workspaces',
  {
    'workspaces.create': createWorkspace(services),
    'workspaces.show': show,
    'workspaces.show-by-name': show,
    'workspaces.update': update,
    'workspaces.update-by-name': update,
  },
  { ...services, validators: { workspace } },
);
