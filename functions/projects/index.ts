import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { withDirectory } from '../../shared/runtime/with-directory.ts';
import { project, projectWorkspaces, tagBindings } from '../../shared/validators/compiled/bodies.js';
import { moveWorkspacesToProject } from './move-workspaces.ts';
import { projectOperations } from './projects.ts';
import { bindingOperations } from './tag-bindings.ts';

export const handler = createHandler(
  'projects',
  { ...projectOperations, ...bindingOperations, 'projects.move-workspaces': moveWorkspacesToProject },
  {
    ...withDirectory(openListDependencies('projects', openSnapshots(readEnvironment('projects')))),
    validators: { project, projectWorkspaces, tagBindings },
  },
);
