import { createHandler } from '../../shared/http/stack.ts';
import { project, projectWorkspaces, tagBindings } from '../../shared/validators/compiled/bodies.js';
import { openProjectServices } from './dependencies.ts';
import { moveWorkspacesToProject } from './move-workspaces.ts';
import { projectOperations } from './projects.ts';
import { bindingOperations } from './tag-bindings.ts';

export const handler = createHandler(
  'projects',
  { ...projectOperations, ...bindingOperations, 'projects.move-workspaces': moveWorkspacesToProject },
  { ...openProjectServices(), validators: { project, projectWorkspaces, tagBindings } },
);
