import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { openListDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { tagBindings, tags, tagWorkspaces } from '../../shared/validators/compiled/bodies.js';
import { addTagToWorkspaces, deleteTags, listTags } from './organization-tags.ts';
import {
  addBindingsTo,
  addRelatedBindings,
  listBindings,
  listEffectiveBindings,
  replaceRelatedBindings,
} from './tag-bindings.ts';
import { addWorkspaceTags, listWorkspaceTags, removeWorkspaceTags } from './workspace-tags.ts';

const dependencies = openListDependencies('workspace-tags', openSnapshots(readEnvironment('workspace-tags')));
const list = listBindings(dependencies);

export const handler = createHandler(
  'workspace-tags',
  {
    'workspace-tags.list': listWorkspaceTags(dependencies),
    'workspace-tags.add': addWorkspaceTags(dependencies),
    'workspace-tags.remove': removeWorkspaceTags(dependencies),
    'tag-bindings.list': list,
    'tag-bindings.list-related': list,
    'tag-bindings.add': addBindingsTo(dependencies),
    'tag-bindings.add-related': addRelatedBindings(dependencies),
    'tag-bindings.replace-related': replaceRelatedBindings(dependencies),
    'effective-tag-bindings.list': listEffectiveBindings(dependencies),
    'tags.list': listTags(dependencies),
    'tags.delete': deleteTags(dependencies),
    'tags.add-to-workspaces': addTagToWorkspaces(dependencies),
  },
  { ...dependencies, validators: { tags, tagBindings, tagWorkspaces } },
);
