import { showChangedWorkspace } from '../../shared/documents/changed-workspace.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { sshKeyAssignment } from '../../shared/validators/compiled/bodies.js';
import { assignKey } from './assign.ts';

export const handler = createHandler(
  'ssh-key',
  { 'ssh-key.assign': assignKey, 'workspaces.show': showChangedWorkspace },
  { ...openDependencies('ssh-key'), validators: { sshKeyAssignment } },
);
