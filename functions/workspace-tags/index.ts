import { createHandler } from '../../shared/http/stack.ts';
import { openSnapshots } from '../../shared/list-index-snapshots/open-snapshots.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { openServices } from '../../shared/runtime/services.ts';
import { tagBindings, tags, tagWorkspaces } from '../../shared/schemas/compiled/bodies.js';
import { addTagToWorkspaces } from './add-tag-to-workspaces.ts';
import { deleteTags } from './delete-tags.ts';
import { listTags } from './list-tags.ts';
import {
  addBindingsTo,
  addRelatedBindings,
  listBindings,
  listEffectiveBindings,
  replaceRelatedBindings,
} from './tag-bindings.ts';
import { addWorkspaceTags, listWorkspaceTags, removeWorkspaceTags } from './workspace-tags.ts';

const services = openServices('workspace-tags', openSnapshots(readEnvironment('workspace-tags')));
const list = listBindings(services);

export const handler = createHandler(
  'workspace-tags',
  {
    'workspace-tags.list': listWorkspaceTags(services),
    'workspace-tags.add': addWorkspaceTags(services),
    'workspace-tags.remove': removeWorkspaceTags(services),
    'tag-bindings.list': list,
    'tag-bindings.list-related': list,
    'tag-bindings.add': addBindingsTo(services),
    'tag-bindings.add-related': addRelatedBindings(services),
    'tag-bindings.replace-related': replaceRelatedBindings(services),
    'effective-tag-bindings.list': listEffectiveBindings(services),
    'tags.list': listTags(services),
    'tags.delete': deleteTags(services),
    'tags.add-to-workspaces': addTagToWorkspaces(services),
  },
  { ...services, validators: { tags, tagBindings, tagWorkspaces } },
);
