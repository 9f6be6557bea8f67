import { openEncryption } from '../../shared/encryption/encrypt.ts';
import { openFingerprints } from '../../shared/encryption/fingerprint.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openVariableSets } from '../../shared/store/variable-sets/variable-set-store.ts';
import { openVerificationLimit } from '../../shared/store/variables/verification-limit.ts';
import {
  assignedProjects,
  assignedWorkspaces,
  newVariable,
  newWorkspaceVariable,
  variable,
  variableSet,
  variableVerification,
} from '../../shared/validators/compiled/bodies.js';
import { variableSetOperations } from './sets/operations.ts';
import {
  createInWorkspace,
  createVariable,
  deleteVariable,
  listInWorkspace,
  listVariables,
  showVariable,
  updateVariable,
  verifyVariable,
} from './variables.ts';

const environment = readEnvironment('variables');
const base = openListDependencies('variables', openSnapshots(environment));
const dependencies = {
  ...base,
  encrypt: openEncryption(environment.SECRETS_KEY_ARN),
  fingerprints: openFingerprints(environment.FINGERPRINTS_KEY_ARN),
  variableSets: openVariableSets(base.database, now),
  countVerification: openVerificationLimit(base.database, now),
};
const remove = deleteVariable(dependencies);

export const handler = createHandler(
  'variables',
  {
    'variables.create': createVariable(dependencies),
    'variables.list': listVariables(dependencies),
    'variables.update': updateVariable(dependencies, 'deprecated'),
    'variables.delete': remove,
    'workspace-variables.create': createInWorkspace(dependencies),
    'workspace-variables.list': listInWorkspace(dependencies),
    'workspace-variables.show': showVariable(dependencies),
    'workspace-variables.update': updateVariable(dependencies, 'successor'),
    'workspace-variables.verify': verifyVariable(dependencies),
    'workspace-variables.delete': remove,
    ...variableSetOperations(dependencies),
  },
  {
    ...dependencies,
    validators: {
      assignedProjects,
      assignedWorkspaces,
      newVariable,
      newWorkspaceVariable,
      variable,
      variableSet,
      variableVerification,
    },
    shows: { 'variables.show': showVariable(dependencies, 'deprecated') },
  },
);
