import { firstIncluded } from '../../../shared/client/documents.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import { command, type Group } from '../command.ts';
import { Failure } from '../failure.ts';
import { defineView } from '../output/view.ts';
import { workspaceHistoryCommand } from './history.ts';
import { workspaceRetentionCommands } from './retention.ts';
import { createCommand, editCommand } from './workspace-changes.ts';
import { consumerCommands } from './workspace-consumers.ts';
import { deletionCommands } from './workspace-deletion.ts';
import { listCommand } from './workspace-list.ts';
import { showWorkspace, toWorkspaceRow, workspaceArgument, workspaceView } from './workspace-rows.ts';
import { workspaceSshKeyCommands } from './workspace-ssh-key.ts';
import { workspaceTagCommands } from './workspace-tags.ts';

const BY_ID = '/api/v2/workspaces/{workspace_id}';

/** The fields of a workspace, with more of them for people. */
const workspaceFacts = defineView(
  [
    'name',
    'id',
    'description',
    'project',
    'tags',
    'locked-by',
    'locked-at',
    'lock-expires-at',
    'locked-reason',
    'resource-count',
    'latest-change-at',
    'updated-at',
    'created-at',
    'deletion-protection',
    'infra-version',
    'infra-version-resolved',
    'execution-mode',
    'agent-pool-id',
    'working-directory',
    'vcs-repo-identifier',
    'ssh-key-id',
    'auto-apply',
    'auto-destroy-at',
    'global-remote-state',
    'project-remote-state',
  ],
  workspaceView.fields,
);

const showCommand = command({
  name: 'ws show',
  summary: 'Show a workspace',
  description: 'All settings are in the result of --json.',
  arguments: { workspace: workspaceArgument },
  routes: ['workspaces.show-by-name', 'workspaces.show'],
  result: { kind: 'item', view: workspaceFacts },
  examples: ['ws show network', 'ws show acme/network --json'],
  run: async ({ api, workspace }, args) => {
    const { id } = await workspace(args.workspace);
    const { document } = await api.send(showWorkspace(id));
    return toWorkspaceRow(document, document.data);
  },
});

const readmeCommand = command({
  name: 'ws readme',
  summary: 'Print the README of the newest configuration of a workspace',
  arguments: { workspace: workspaceArgument },
  routes: ['workspaces.show-by-name', 'workspaces.show'],
  result: { kind: 'text', view: defineView(['raw-markdown'], ['id']), field: 'raw-markdown' },
  examples: ['ws readme network'],
  run: async ({ api, workspace }, args) => {
    const { id, name } = await workspace(args.workspace);
    const { document } = await api.send(
      apiRequest('get', BY_ID, { path: { workspace_id: id }, query: { include: ['readme'] } }),
    );
    const readme = firstIncluded(document, 'workspace-readme');
    if (readme === undefined) throw new Failure('notFound', `${name} has no README.`);
    return { id: readme.id, ...readme.attributes };
  },
});

/** Workspaces and what belongs to them (docs/concepts/workspaces.md). */
export const workspaceCommands: readonly Group[] = [
  {
    title: 'Workspaces',
    commands: [
      listCommand,
      showCommand,
      createCommand,
      editCommand,
      workspaceHistoryCommand,
      readmeCommand,
      ...deletionCommands,
    ],
  },
  workspaceTagCommands,
  consumerCommands,
  workspaceSshKeyCommands,
  workspaceRetentionCommands,
];
