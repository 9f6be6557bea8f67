import { findIncluded } from '../../../shared/client/documents.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { DocumentOf, Project } from '../../../shared/client/types.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { defineKind, idsWith, type ListQuery } from '../resource-commands.ts';
import { formatTag } from './tags.ts';

const LIST = '/api/v2/organizations/{organization_name}/projects';
const ONE = '/api/v2/projects/{project_id}';
const include: 'effective_tag_bindings'[] = ['effective_tag_bindings'];

/** Filters and order of projects. */
export type ProjectQuery = ListQuery<typeof LIST, 'filter[names]', 'sort'>;
type Included = NonNullable<DocumentOf<'get', typeof LIST>['included']>[number];

/** Projects of an organization, for other commands that take their names. */
export const projects = defineKind({
  noun: 'project',
  labels: ['a project', 'projects'],
  view: defineView(
    ['name', 'workspace-count', 'team-count', 'default-execution-mode', 'description'],
    [
      'id',
      'organization-id',
      'default-agent-pool-id',
      'tags',
      ...attributesOf<Project>()(
        'name',
        'description',
        'created-at',
        'default-execution-mode',
        'default-deletion-protection',
        'setting-overwrites',
        'auto-destroy-activity-duration',
        'allowed-value-references',
        'is-unified',
        'team-count',
        'workspace-count',
        'permissions',
      ),
    ],
  ),
  details: [
    'tags',
    'default-agent-pool-id',
    'default-deletion-protection',
    'auto-destroy-activity-duration',
    'allowed-value-references',
    'created-at',
    'id',
  ],
  toRow: (project: Project, document: { readonly included?: readonly Included[] }) => ({
    ...flatten(project),
    tags: (project.relationships['effective-tag-bindings'].data ?? []).flatMap((identifier) => {
      const binding = findIncluded(document, 'effective-tag-bindings', identifier);
      return binding === undefined ? [] : [formatTag(binding.attributes)];
    }),
  }),
  isId: idsWith('prj'),
  list: (organization, query: ProjectQuery) =>
    apiRequest('get', LIST, { path: { organization_name: organization }, query: { ...query, include } }),
  show: (id) => apiRequest('get', ONE, { path: { project_id: id }, query: { include } }),
  routes: { list: 'projects.list', show: 'projects.show' },
});
