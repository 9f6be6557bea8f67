import { createHandler } from '../../shared/http/stack.ts';
import { project, projectWorkspaces, tagBindings } from '../../shared/validators/compiled/bodies.js';
import { addProjectBindings, replaceProjectBindings } from './change-bindings.ts';
import { createProject } from './create.ts';
import { deleteProject } from './delete.ts';
import { openProjectServices } from './dependencies.ts';
import { listProjects } from './list.ts';
import { listEffectiveProjectBindings, listProjectBindings } from './list-bindings.ts';
import { moveWorkspacesToProject } from './move-workspaces.ts';
import { showProject } from './show.ts';
import { updateProject } from './update.ts';

const dependencies = openProjectServices();

export const handler = createHandler(
  'projects',
  {
    'projects.list': listProjects(dependencies),
    'projects.create': createProject(dependencies),
    'projects.show': showProject(dependencies),
    'projects.update': updateProject(dependencies),
    'projects.delete': deleteProject(dependencies),
    'projects.move-workspaces': moveWorkspacesToProject(dependencies),
    'projects.list-bindings': listProjectBindings(dependencies),
    'projects.add-bindings': addProjectBindings(dependencies),
    'projects.replace-bindings': replaceProjectBindings(dependencies),
    'projects.list-effective-bindings': listEffectiveProjectBindings(dependencies),
  },
  { ...dependencies, validators: { project, projectWorkspaces, tagBindings } },
);
