import {
  listDeletedWorkspaces,
  purgeWorkspace,
  restoreWorkspace,
  showDeletedWorkspace,
} from '../../../shared/client/deleted-workspaces.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import {
  forceDeleteWorkspace,
  previewForceDelete,
  previewSafeDelete,
  safeDeleteWorkspace,
} from '../../../shared/client/workspaces.ts';
import { readAllPages } from '../api.ts';
import { type Command, command } from '../command.ts';
import { explainNotFound, Failure, usageError } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten, type Json, type Row } from '../output/view.ts';
import { type Complete, flag, remainingArguments, text } from '../parameters.ts';
import { idsWith } from '../resource-commands.ts';
import { requireAccepted } from './workspace-changes.ts';
import { toChangedRow, workspaceArguments, workspaceView } from './workspace-rows.ts';

type DeletedWorkspace = Schemas['DeletedWorkspace'];

const countResources = (count: number): string => `${count} ${count === 1 ? 'resource' : 'resources'}`;

/** The deletion of a workspace, also as a dry run. */
const deletionView = defineView(['name', 'outcome', 'resource-count', 'restorable-days'], ['id', 'dry-run']);

const describeRestoration = (days: Json): string =>
  days === 0 ? 'It cannot be restored.' : `It can be restored for ${days} days.`;

const deletionSentence = ({
  name,
  'resource-count': count,
  'restorable-days': days,
  'dry-run': isDryRun,
}: Row): string =>
  isDryRun
    ? `Would delete ${name}, which manages ${countResources(Number(count))}. ${describeRestoration(days)}`
    : `Deleted ${name}. ${describeRestoration(days)}`;

const deleteCommand = command({
  name: 'ws delete',
  summary: 'Delete workspaces',
  description:
    'Deletes a workspace that is not protected, not locked and manages no resources. With --force, it deletes one that is locked or manages resources, which continue to exist.',
  arguments: { workspace: workspaceArguments },
  flags: {
    force: flag('Delete locked workspaces and those that manage resources.'),
    yes: flag('Do not ask for confirmation.'),
    'dry-run': flag('Show what would be deleted, and delete nothing.'),
  },
  routes: [
    'workspaces.show-by-name',
    'workspaces.show',
    'deleted-workspaces.list',
    'workspaces.safe-delete',
    'workspaces.force-delete',
  ],
  result: { kind: 'changes', view: deletionView, sentence: deletionSentence },
  examples: ['ws delete sandbox --dry-run', 'ws delete sandbox', 'ws list --tag old | holdfast ws delete - --yes'],
  errors: { conflict: 'The workspace is protected, locked, manages resources, or was changed in the meantime.' },
  async *run(invocation, { workspace: names }, { force, yes, 'dry-run': isDryRun }) {
    const { api } = invocation;
    let restorableDays: number | undefined;
    return yield* forEachItem(invocation, names, async (argument) => {
      const { id, name, organization, resource, etag } = await invocation.workspace(argument);
      // A setting of the deployment, which is the same for all workspaces.
      restorableDays ??= (await api.lookUp(listDeletedWorkspaces(organization, 1, 1))).document.meta['restorable-days'];
      const count = resource.attributes['resource-count'];
      if (isDryRun) {
        const { document } = await api.send(force ? previewForceDelete(id) : previewSafeDelete(id));
        requireAccepted(document.data.attributes);
      } else {
        const abandoned = count === 0 ? '' : ` Its ${countResources(count)} will not be destroyed.`;
        const sentence = `Deletes ${name} of ${organization} with its variables and states.${abandoned} ${describeRestoration(restorableDays)}`;
        await invocation.confirm({ sentence, name, yes });
        await api.send(force ? forceDeleteWorkspace(id, etag) : safeDeleteWorkspace(id, etag));
      }
      return {
        name,
        id,
        outcome: 'deleted',
        'resource-count': count,
        'restorable-days': restorableDays,
        'dry-run': isDryRun,
      };
    });
  },
});

const deletedView = defineView(
  ['name', 'id', 'deleted-at', 'deleted-by', 'restorable-until', 'resource-count'],
  [
    'deleted-by-id',
    'deleted-by-kind',
    'organization-id',
    'project-id',
    ...attributesOf<DeletedWorkspace>()(
      'name',
      'created-at',
      'deleted-at',
      'deleted-by',
      'restorable-until',
      'latest-change-at',
      'resource-count',
      'tag-names',
      'permissions',
    ),
  ],
);

const toDeletedRow = (workspace: DeletedWorkspace): Row => {
  const { kind, id, name } = workspace.attributes['deleted-by'];
  return { ...flatten(workspace), 'deleted-by': name ?? id, 'deleted-by-id': id, 'deleted-by-kind': kind };
};

const deletedCommand = command({
  name: 'ws deleted',
  summary: 'List deleted workspaces that can be restored, the last deleted one first',
  routes: ['deleted-workspaces.list'],
  result: { kind: 'list', view: deletedView },
  examples: ['ws deleted', 'ws deleted --json=name,id,restorable-until'],
  async *run({ api, organization }) {
    const name = await organization();
    for await (const document of api.pages((page) => listDeletedWorkspaces(name, page, 100))) {
      yield* document.data.map(toDeletedRow);
    }
  },
});

/** Creates the function that finds deleted workspaces by name or id. All names are found in one list. */
const openDeleted = ({ api, organization }: Invocation) => {
  const list = async (): Promise<readonly DeletedWorkspace[]> => {
    const name = await organization();
    const documents = await readAllPages(api.lookUp, (page) => listDeletedWorkspaces(name, page, 100));
    return documents.flatMap(({ data }) => data);
  };
  let listed: Promise<readonly DeletedWorkspace[]> | undefined;
  return async (argument: string): Promise<DeletedWorkspace> => {
    const missing = `There is no deleted workspace "${argument}" that you may restore.`;
    if (idsWith('ws')(argument)) {
      const { document } = await explainNotFound(api.lookUp(showDeletedWorkspace(argument)), missing);
      return document.data;
    }
    listed ??= list();
    const [first, ...others] = (await listed).filter(({ attributes }) => attributes.name === argument);
    if (first === undefined) throw new Failure('notFound', missing);
    if (others.length === 0) return first;
    const ids = [first, ...others].map(({ id, attributes }) => `${id} (deleted at ${attributes['deleted-at']})`);
    throw usageError(`Several deleted workspaces had the name "${argument}": ${ids.join(', ')}.`, 'Use the id.');
  };
};

const completeDeleted: Complete = async ({ api, organization }) => {
  const { document } = await api.lookUp(listDeletedWorkspaces(await organization(), 1, 100));
  return document.data.map(({ attributes }) => attributes.name);
};

const deletedArguments = remainingArguments(
  'Name or id of a deleted workspace, or "-" for names from standard input: the first column of its lines.',
  { complete: completeDeleted, isPiped: true },
);

const restoreCommand = command({
  name: 'ws restore',
  summary: 'Restore deleted workspaces',
  description: 'A workspace comes back with its variables, states, history and access, but without its lock.',
  arguments: { workspace: deletedArguments },
  flags: { name: text('New name, if another workspace has the name by now.', 'NAME') },
  routes: ['deleted-workspaces.list', 'deleted-workspaces.show', 'deleted-workspaces.restore', 'workspaces.show'],
  result: {
    kind: 'changes',
    view: defineView(workspaceView.columns, [...workspaceView.fields, 'dropped']),
    sentence: ({ name, dropped }) =>
      (dropped as readonly string[]).length === 0
        ? `Restored ${name}.`
        : `Restored ${name}, without what no longer exists: ${(dropped as readonly string[]).join(', ')}.`,
  },
  examples: ['ws restore network', 'ws restore ws-CvpbqPPtsWSnyrTk --name network-2'],
  errors: { rejected: 'Another workspace has the name. Use --name.' },
  async *run(invocation, { workspace: names }, { name }) {
    if (name !== undefined && names.length > 1) throw usageError('--name is for one workspace, not for several.');
    const find = openDeleted(invocation);
    return yield* forEachItem(invocation, names, async (argument) => {
      const { document } = await invocation.api.send(restoreWorkspace((await find(argument)).id, name));
      return {
        ...(await toChangedRow(invocation, document.data)),
        dropped: (document.meta?.dropped ?? []).map(({ type, id }) => `${type} ${id}`),
      };
    });
  },
});

const purgeCommand = command({
  name: 'ws purge',
  summary: 'Delete deleted workspaces permanently',
  description: 'Only owners of the organization can do it.',
  arguments: { workspace: deletedArguments },
  flags: { yes: flag('Do not ask for confirmation.') },
  routes: ['deleted-workspaces.list', 'deleted-workspaces.show', 'deleted-workspaces.purge'],
  result: { kind: 'changes', view: deletedView, sentence: ({ name }) => `Deleted ${name} permanently.` },
  examples: ['ws purge network', 'ws purge ws-CvpbqPPtsWSnyrTk --yes'],
  async *run(invocation, { workspace: names }, { yes }) {
    const find = openDeleted(invocation);
    return yield* forEachItem(invocation, names, async (argument) => {
      const workspace = await find(argument);
      const { name, 'deleted-at': time } = workspace.attributes;
      const sentence = `Deletes ${name}, which was deleted at ${time}, permanently, with its variables and states. It cannot be restored then.`;
      await invocation.confirm({ sentence, name, yes });
      await invocation.api.send(purgeWorkspace(workspace.id));
      return toDeletedRow(workspace);
    });
  },
});

/** Deletion and restoration of workspaces (docs/concepts/deletion.md). */
export const deletionCommands: readonly Command[] = [deleteCommand, deletedCommand, restoreCommand, purgeCommand];
