import type { BulkChange, BulkJob, BulkJobItem } from '../../../shared/client/bulk-jobs.ts';
import { type Change, compareAttributes, expandChange } from '../../../shared/client/compare.ts';
import { ApiError } from '../../../shared/client/errors.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import type { Schemas, Workspace } from '../../../shared/client/types.ts';
import { previewUpdate, updateWorkspace, type WorkspaceChange } from '../../../shared/client/workspaces.ts';
import { applyFlags, changeMany, jobRoutes, type RunOptions, readItems } from '../bulk-job.ts';
import { command, type Rows } from '../command.ts';
import { Failure, usageError } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import type { FoundWorkspace, Invocation } from '../invocation.ts';
import { toFailure } from '../output/errors.ts';
import { formatValue } from '../output/format.ts';
import { defineView, type Json, type Row } from '../output/view.ts';
import { argument, flag, text, texts } from '../parameters.ts';
import { requireOneSelection, selectByFilter, selectedWorkspaces, selectionFlag } from './job-selection.ts';
import { projects } from './project-rows.ts';
import { parseTag } from './tags.ts';
import { toChangedRow, workspaceView } from './workspace-rows.ts';
import { isSetting, settingFlags, toChange, unset } from './workspace-settings.ts';

/** The change of a workspace, also as a dry run. `changes` has the old and the new value by the name of the setting. */
const changeView = defineView(['name', 'outcome', 'changes'], ['id', 'dry-run']);

type DryRun = Schemas['DryRun']['attributes'];

/** @throws Failure that the request itself would have, if the dry run says that it would be rejected. */
export const requireAccepted = ({ refusal }: DryRun): void => {
  if (refusal !== null) throw toFailure(new ApiError(Number(refusal.status), [refusal]));
};

/** Returns the settings of a workspace by their names. */
const settingsOf = ({ attributes, relationships }: Workspace) => ({
  ...attributes,
  project: relationships.project.data,
});

const describe = ({ name, old, new: value }: Change): string =>
  `${name} ${formatValue(old as Json) || 'none'} -> ${formatValue(value as Json) || 'none'}`;

/** Creates the function that converts changes to a row, with the names of projects. Each project is looked up once. */
const openChangeRows = (invocation: Invocation) => {
  const names = new Map<string, Promise<string>>();
  const nameOf = ({ id }: { readonly id: string }): Promise<string> => {
    // The edit has succeeded, whether or not the name can be read.
    const name =
      names.get(id) ??
      projects.find(invocation, id).then(
        (project) => project.name,
        () => id,
      );
    names.set(id, name);
    return name;
  };
  return async (
    { id, name }: Pick<FoundWorkspace, 'id' | 'name'>,
    changes: readonly Change[],
    isDryRun: boolean,
  ): Promise<Row> => {
    const settings: Record<string, Json> = {};
    for (const { name: setting, old, new: value } of changes) {
      if (setting === 'project')
        settings[setting] = { old: await nameOf(old as never), new: await nameOf(value as never) };
      else if (isSetting(setting)) settings[setting] = { old: old as Json, new: value as Json };
    }
    const outcome = Object.keys(settings).length > 0 ? 'changed' : 'unchanged';
    return { name, id, outcome, changes: settings, 'dry-run': isDryRun };
  };
};

const changeSentence = ({ name, outcome, changes, 'dry-run': isDryRun }: Row): string => {
  if (outcome === 'unchanged') return `${name} is unchanged.`;
  const list = Object.entries(changes as Record<string, Omit<Change, 'name'>>)
    .flatMap(([setting, change]) => expandChange({ name: setting, ...change }))
    .map(describe);
  return `${isDryRun ? 'Would change' : 'Changed'} ${name}: ${list.join(', ')}.`;
};

/** The command that creates a workspace. */
export const createCommand = command({
  name: 'ws create',
  summary: 'Create a workspace',
  description: 'Settings without a flag are inherited, or have their defaults.',
  arguments: { name: argument('Letters, digits, "-" and "_"; unique in the organization.') },
  flags: { tag: texts('Tag of the workspace.', 'KEY[=VALUE]'), ...settingFlags },
  routes: ['projects.list', 'agent-pools.list', 'workspaces.create', 'workspaces.show'],
  result: { kind: 'change', view: workspaceView, sentence: ({ name }) => `Created ${name}.` },
  examples: [
    'ws create network',
    'ws create network --project Platform --infra-version "~> 1.9.0" --tag core --tag env=prod',
  ],
  errors: { rejected: 'The name is taken, or a setting is not valid.' },
  run: async (invocation, { name }, { tag, ...flags }) => {
    const tags = tag.map(parseTag);
    const organization = await invocation.organization();
    const { attributes, relationships } = await toChange(invocation, flags);
    const { document } = await invocation.api.send(
      apiRequest('post', '/api/v2/organizations/{organization_name}/workspaces', {
        path: { organization_name: organization },
        body: {
          data: {
            type: 'workspaces',
            attributes: { ...attributes, name },
            relationships: {
              ...relationships,
              tags: {
                data: tags.flatMap(({ key, value }) =>
                  value === undefined ? [{ type: 'tags' as const, attributes: { name: key } }] : [],
                ),
              },
              'tag-bindings': {
                data: tags.flatMap(({ key, value }) =>
                  value === undefined ? [] : [{ type: 'tag-bindings' as const, attributes: { key, value } }],
                ),
              },
            },
          },
        },
      }),
    );
    return toChangedRow(invocation, document.data);
  },
});

/** Converts a change of a workspace to that of a bulk job. @throws Failure `usage` if it takes several jobs. */
const toBulkChange = ({ attributes, relationships }: WorkspaceChange): Pick<BulkChange, 'action' | 'parameters'> => {
  const project = relationships?.project?.data?.id;
  if (project === undefined) return { action: 'update', parameters: attributes ?? {} };
  if (attributes !== undefined) throw usageError('With --filter, --project excludes flags of settings.');
  return { action: 'move', parameters: { project } };
};

/** Returns the changes of an item of a bulk job. @throws Failure if it is not changed. */
const changesOf = ({ attributes: status }: BulkJob, { attributes }: BulkJobItem): readonly Change[] => {
  const outcome = status.status === 'ready' ? attributes['preview-outcome'] : attributes.outcome;
  if (outcome === 'unchanged') return [];
  if (outcome === 'changed' || outcome === 'applied') {
    const changes = attributes.changes as Readonly<Record<string, Omit<Change, 'name'>>>;
    return Object.entries(changes).map(([name, values]) => ({ name, ...values }));
  }
  const error = attributes.error as DryRun['refusal'];
  if (error === null) throw new Failure('failed', `The bulk job left it as it is: ${outcome}.`);
  throw toFailure(new ApiError(Number(error.status), [error]));
};

/** Changes the workspaces that filters match with a bulk job, and yields the rows of its items. */
async function* editSelected(
  invocation: Invocation,
  filter: readonly string[],
  change: WorkspaceChange,
  options: RunOptions,
): Rows {
  const changed = toBulkChange(change);
  const { organization, selection } = await selectByFilter(invocation, filter);
  const job = await changeMany(invocation, organization, { ...changed, selection }, options);
  const items = new Map<string, BulkJobItem>();
  for await (const item of readItems(invocation.api.lookUp, job.id)) {
    items.set(item.attributes['workspace-name'] ?? item.relationships.workspace.data.id, item);
  }
  const toRow = openChangeRows(invocation);
  return yield* forEachItem(invocation, [...items], async ([name, item]) =>
    toRow({ id: item.relationships.workspace.data.id, name }, changesOf(job, item), options['dry-run']),
  );
}

/** The command that changes the settings, the name and the project of workspaces. */
export const editCommand = command({
  name: 'ws edit',
  summary: 'Change settings of workspaces, rename them, or move them to another project',
  description:
    'Only what has a flag is changed. A workspace that somebody else has changed in the meantime is left as it is. After a move, a workspace inherits from the new project. With --filter, a bulk job previews the change, and makes it after you have confirmed it.',
  arguments: { workspace: selectedWorkspaces },
  flags: {
    name: text('New name.', 'NAME'),
    ...selectionFlag,
    ...settingFlags,
    ...unset,
    ...applyFlags,
    'dry-run': flag('Show what would change, and change nothing.'),
  },
  routes: [
    ...projects.findRoutes,
    'bulk-jobs.create',
    ...jobRoutes,
    'agent-pools.list',
    'workspaces.show-by-name',
    'workspaces.show',
    'workspaces.update',
  ],
  result: { kind: 'changes', view: changeView, sentence: changeSentence },
  examples: [
    'ws edit network --infra-version 1.9.8 --dry-run',
    'ws edit network dns --project Platform',
    'ws edit network --name core-network --unset description',
    'ws list --tag core | holdfast ws edit - --infra-version 1.9.8',
    'ws edit --filter tag=production --infra-version 1.10.0',
  ],
  errors: { conflict: 'Somebody else has changed the workspace in the meantime. Nothing was changed.' },
  async *run(invocation, { workspace: given }, { filter, unset: removed, ...options }) {
    const { 'dry-run': isDryRun, yes, 'skip-warned': skipWarned, ...flags } = options;
    requireOneSelection(given, filter);
    const names = given ?? [];
    if (flags.name !== undefined && (given === undefined || names.length > 1))
      throw usageError('--name renames one workspace, not several.');
    const organization = names.find((name) => name.includes('/'))?.split('/')[0];
    const change = await toChange(invocation, flags, removed, organization);
    if (Object.keys(change).length === 0)
      throw usageError('There is nothing to change.', 'Add a flag for each setting.');
    if (given === undefined) {
      return yield* editSelected(invocation, filter, change, { yes, 'skip-warned': skipWarned, 'dry-run': isDryRun });
    }
    const toRow = openChangeRows(invocation);
    return yield* forEachItem(invocation, names, async (argumentText) => {
      const found = await invocation.workspace(argumentText);
      if (isDryRun) {
        const { attributes } = (await invocation.api.send(previewUpdate(found.id, change))).document.data;
        requireAccepted(attributes);
        const changes = Object.entries(attributes.changes).map(([name, values]) => ({ name, ...values }));
        return toRow(found, changes, true);
      }
      const { document } = await invocation.api.send(updateWorkspace(found.id, change, found.etag));
      const changes = compareAttributes(settingsOf(found.resource), settingsOf(document.data));
      return toRow(found, changes, false);
    });
  },
});
