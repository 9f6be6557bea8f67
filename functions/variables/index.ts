import { openEncryption } from '../../shared/encryption/encrypt.ts';
import { openFingerprints } from '../../shared/encryption/fingerprint.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openVariableSets } from '../../shared/store/variable-sets/variable-set-store.ts';
import { openVariableKeys } from '../../shared/store/variables/variable-keys.ts';
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
import { listVariableKeys } from './keys.ts';
import { listAllVariables } from './sets/all-variables.ts';
import { assignmentOperations } from './sets/assign.ts';
import { variableSetOperations } from './sets/sets.ts';
import { setVariableOperations } from './sets/variables.ts';
import { variableOperations } from './variables.ts';

const environment = readEnvironment('variables');
const base = openListDependencies('variables', openSnapshots(environment));

export const handler = createHandler(
  'variables',
  {
    ...variableOperations,
    ...variableSetOperations,
    ...assignmentOperations,
    ...setVariableOperations,
    'all-variables.list': listAllVariables,
    'variable-keys.list': listVariableKeys,
  },
  {
    ...base,
    encrypt: openEncryption(environment.SECRETS_KEY_ARN),
    fingerprints: openFingerprints(environment.FINGERPRINTS_KEY_ARN),
    variableSets: openVariableSets(base.database, now),
    variableKeys: openVariableKeys(base.database),
    countVerification: openVerificationLimit(base.database, now),
    validators: {
      assignedProjects,
      assignedWorkspaces,
      newVariable,
      newWorkspaceVariable,
      variable,
      variableSet,
      variableVerification,
    },
  },
);
