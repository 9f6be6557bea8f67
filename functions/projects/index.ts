import { createHandler } from '../../shared/http/stack.ts';
import { project, projectWorkspaces, tagBindings } from '../../shared/validators/compiled/bodies.js';
import { openProjectServices } from './dependencies.ts';
import { moveWorkspacesToProject } from './move-workspaces.ts';
import { createProject, deleteProject, listProjects, showProject, updateProject } from './projects.ts';
import {
  addProjectBindings,
  listEffectiveProjectBindings,
  listProjectBindings,
  replaceProjectBindings,
} from './tag-bindings.ts';

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
