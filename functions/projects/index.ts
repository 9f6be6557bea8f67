import { createHandler } from '../../shared/http/stack.ts';
import { project, projectWorkspaces, tagBindings } from '../../shared/schemas/compiled/bodies.js';
import { addProjectBindings } from './add-bindings.ts';
import { createProject } from './create.ts';
import { deleteProject } from './delete.ts';
import { listProjects } from './list.ts';
import { listEffectiveProjectBindings, listProjectBindings } from './list-bindings.ts';
import { moveWorkspacesToProject } from './move-workspaces.ts';
import { openProjectServices } from './services.ts';
import { showProject } from './show.ts';
import { updateProject } from './update.ts';

const services = openProjectServices();

export const handler = createHandler(
  'projects',
  {
    'projects.list': listProjects(services),
    'projects.create': createProject(services),
    'projects.show': showProject(services),
    'projects.update': updateProject(services),
    'projects.delete': deleteProject(services),
    'projects.move-workspaces': moveWorkspacesToProject(services),
    'projects.list-bindings': listProjectBindings(services),
    'projects.add-bindings': addProjectBindings(services),
    'projects.list-effective-bindings': listEffectiveProjectBindings(services),
  },
  { ...services, validators: { project, projectWorkspaces, tagBindings } },
);
