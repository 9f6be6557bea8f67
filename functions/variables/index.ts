import { openEncryption } from '../../shared/encryption/encrypt.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { newVariable, newWorkspaceVariable, variable } from '../../shared/schemas/compiled/bodies.js';
import { createInWorkspace, createVariable } from './create.ts';
import { deleteVariable } from './delete.ts';
import { listInWorkspace, listVariables } from './list.ts';
import { showVariable } from './show.ts';
import { updateVariable } from './update.ts';

const environment = readEnvironment('variables');
const services = {
  ...openServices('variables', openSnapshots(environment)),
  encrypt: openEncryption(environment.SECRETS_KEY_ARN),
};
const remove = deleteVariable(services);

export const handler = createHandler(
  'variables',
  {
    'variables.create': createVariable(services),
    'variables.list': listVariables(services),
    'variables.update': updateVariable(services, 'deprecated'),
    'variables.delete': remove,
    'workspace-variables.create': createInWorkspace(services),
    'workspace-variables.list': listInWorkspace(services),
    'workspace-variables.show': showVariable(services),
    'workspace-variables.update': updateVariable(services, 'successor'),
    'workspace-variables.delete': remove,
  },
  { ...services, validators: { newVariable, newWorkspaceVariable, variable } },
);
