import { findIncluded } from '../../../shared/client/documents.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { DocumentOf, Workspace } from '../../../shared/client/types.ts';
import { holderName, type WorkspaceListQuery } from '../../../shared/client/workspaces.ts';
import { pageQuery } from '../api.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten, type Row } from '../output/view.ts';
import { argument, type Complete, type Parameter, remainingArguments } from '../parameters.ts';
import { formatTag } from './tags.ts';

/** Included resources from which the names in the row of a workspace follow. */
export const rowIncludes = ['project', 'locked_by', 'effective_tag_bindings'] as const;

const LIST = '/api/v2/organizations/{organization_name}/workspaces';
type Included = NonNullable<DocumentOf<'get', typeof LIST>['included']>[number];

/** The fields of a workspace: its attributes in the API, and the names and ids of what belongs to it. */
export const workspaceView = defineView(
  ['name', 'project', 'locked-by', 'infra-version', 'resource-count', 'latest-change-at'],
  [
    'id',
    'organization-id',
    'project-id',
    'locked-by-id',
    'ssh-key-id',
    'agent-pool-id',
    'current-run-id',
    'current-state-version-id',
    'tags',
    ...attributesOf<Workspace>()(
      'name',
      'description',
      'created-at',
      'updated-at',
      'latest-change-at',
      'environment',
      'locked',
      'locked-at',
      'lock-expires-at',
      'locked-reason',
      'execution-mode',
      'operations',
      'agent-pool-id',
      'setting-overwrites',
      'deletion-protection',
      'allow-destroy-plan',
      'auto-apply',
      'auto-apply-run-trigger',
      'auto-destroy-at',
      'auto-destroy-activity-duration',
      'auto-destroy-status',
      'inherits-project-auto-destroy',
      'file-triggers-enabled',
      'global-remote-state',
      'project-remote-state',
      'queue-all-runs',
      'speculative-enabled',
      'structured-run-output-enabled',
      'source',
      'source-name',
      'source-url',
      'imported-from',
      'infra-version',
      'terraform-version',
      'infra-version-resolved',
      'trigger-prefixes',
      'trigger-patterns',
      'working-directory',
      'vcs-repo',
      'vcs-repo-identifier',
      'oauth-client-name',
      'tag-names',
      'resource-count',
      'apply-duration-average',
      'plan-duration-average',
      'policy-check-failures',
      'run-failures',
      'workspace-kpis-run-count',
      'workspace-kpis-runs-count',
      'last-assessment-result-at',
      'effective-run-data-retention-desc',
      'effective-state-version-retention-desc',
      'actions',
      'permissions',
    ),
  ],
);

/** Describes the request of one page of the workspaces of an organization (LIST-1). */
export const listWorkspaces = (organization: string, query: WorkspaceListQuery, page: number) =>
  apiRequest('get', LIST, {
    path: { organization_name: organization },
    query: { ...query, ...pageQuery(page) },
  });

/** Describes the request of a workspace with what its row consists of. */
export const showWorkspace = (id: string) =>
  apiRequest('get', '/api/v2/workspaces/{workspace_id}', {
    path: { workspace_id: id },
    query: { include: [...rowIncludes] },
  });

/** A document with a workspace. Responses to changes include nothing. */
interface Including {
  readonly included?: readonly Included[];
}

const tagsOf = (document: Including, { attributes, relationships }: Workspace): readonly string[] | null => {
  const bindings = relationships['effective-tag-bindings'];
  if (!('data' in bindings)) return null;
  return [
    ...attributes['tag-names'],
    ...(bindings.data ?? []).flatMap((identifier) => {
      const binding = findIncluded(document, 'effective-tag-bindings', identifier)?.attributes;
      return binding === undefined ? [] : [formatTag(binding)];
    }),
  ];
};

/** Converts a workspace to a row. @param document includes `rowIncludes`; names that it lacks are null. */
export const toWorkspaceRow = (document: Including, workspace: Workspace): Row => ({
  ...flatten(workspace),
  project: findIncluded(document, 'projects', workspace.relationships.project.data)?.attributes.name ?? null,
  'locked-by': holderName(document, workspace) ?? null,
  tags: tagsOf(document, workspace),
});

/**
 * Converts a workspace that a command has changed to a row. The response to a change has no names, so that they are read where a
 * program gets the row. The change has succeeded, whether or not they can be read.
 */
export const toChangedRow = async ({ api, isForProgram }: Invocation, changed: Workspace): Promise<Row> => {
  const read = async () => (await api.lookUp(showWorkspace(changed.id))).document;
  const named = isForProgram ? await read().catch(() => undefined) : undefined;
  if (named === undefined) return toWorkspaceRow({}, changed);
  return { ...toWorkspaceRow(named, changed), tags: tagsOf(named, named.data) };
};

/** Suggests names of workspaces that contain what the user has typed. */
const completeWorkspace: Complete = async ({ api, organization }, typed) => {
  const { document } = await api.lookUp(
    listWorkspaces(await organization(), typed === '' ? {} : { 'search[name]': typed }, 1),
  );
  return document.data.map(({ attributes }) => attributes.name);
};

const SUMMARY = 'NAME, ORGANIZATION/NAME, an id';
const PIPED = `${SUMMARY}, "." for the workspace of this folder, or "-" for names from standard input: the first column of its lines.`;
const options = { complete: completeWorkspace };

/** The argument that names a workspace. */
export const workspaceArgument = argument(`${SUMMARY}, or "." for the workspace of this folder.`, options);

/** The argument that names one workspace, or those of standard input. Other arguments follow it. */
export const pipedWorkspaceArgument: Parameter<readonly string[]> = {
  ...argument(PIPED, { ...options, isPiped: true }),
  parse: (value) => [value],
  fallback: [],
};

/** The arguments that name one or more workspaces. */
export const workspaceArguments = remainingArguments(PIPED, { ...options, isPiped: true });
