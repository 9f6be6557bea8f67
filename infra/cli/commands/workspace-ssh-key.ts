import { assignSshKey } from '../../../shared/client/workspaces.ts';
import { command, type Group } from '../command.ts';
import { forEachItem } from '../for-each-item.ts';
import { defineView } from '../output/view.ts';
import { sshKeys } from './ssh-keys.ts';
import { pipedWorkspaceArgument, workspaceArguments } from './workspace-rows.ts';

const view = defineView(['name', 'ssh-key-id'], ['id']);
const conflict = 'Somebody else has changed the workspace in the meantime. Nothing was changed.';

/** The SSH key of a workspace (docs/reference/ssh-keys.md). */
export const workspaceSshKeyCommands: Group = {
  title: 'SSH keys of workspaces',
  commands: [
    command({
      name: 'ws ssh-key set',
      summary: 'Assign an SSH key to workspaces, for module sources that are fetched over SSH',
      arguments: {
        workspace: pipedWorkspaceArgument,
        'ssh-key': sshKeys.argument,
      },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'ssh-keys.list', 'ssh-key.assign'],
      result: { kind: 'changes', view, sentence: ({ name }) => `Assigned the SSH key to ${name}.` },
      examples: ['ws ssh-key set network deploy'],
      errors: { conflict },
      async *run(invocation, { workspace: names, 'ssh-key': key }) {
        return yield* forEachItem(invocation, names, async (name) => {
          const found = await invocation.workspace(name);
          const id = await sshKeys.findId(invocation, key, found.organization);
          await invocation.api.send(assignSshKey(found.id, id, found.etag));
          return { name: found.name, id: found.id, 'ssh-key-id': id };
        });
      },
    }),
    command({
      name: 'ws ssh-key unset',
      summary: 'Remove the SSH key of workspaces',
      arguments: { workspace: workspaceArguments },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'ssh-key.assign'],
      result: { kind: 'changes', view, sentence: ({ name }) => `${name} has no SSH key.` },
      examples: ['ws ssh-key unset network'],
      errors: { conflict },
      async *run(invocation, { workspace: names }) {
        return yield* forEachItem(invocation, names, async (argumentText) => {
          const { id, name, etag } = await invocation.workspace(argumentText);
          await invocation.api.send(assignSshKey(id, null, etag));
          return { name, id, 'ssh-key-id': null };
        });
      },
    }),
  ],
};
