import { addConsumers, listConsumers, removeConsumers, replaceConsumers } from '../../../shared/client/consumers.ts';
import type { ApiRequest } from '../../../shared/client/request.ts';
import type { RouteId } from '../../../shared/routes/index.ts';
import { type Command, command, type Group } from '../command.ts';
import { usageError } from '../failure.ts';
import { defineView } from '../output/view.ts';
import { toWorkspaceRow, workspaceArgument, workspaceArguments, workspaceView } from './workspace-rows.ts';

const listCommand = command({
  name: 'ws consumer list',
  summary: 'List the workspaces whose runs may read the state of a workspace',
  description:
    'With global-remote-state these are all workspaces of the organization, with project-remote-state all of the project.',
  arguments: { workspace: workspaceArgument },
  routes: ['workspaces.show-by-name', 'workspaces.show', 'remote-state-consumers.list'],
  result: { kind: 'list', view: workspaceView },
  examples: ['ws consumer list network'],
  async *run({ api, workspace }, args) {
    const { id } = await workspace(args.workspace);
    for await (const document of api.pages((page) => listConsumers(id, page, 100))) {
      for (const consumer of document.data) yield toWorkspaceRow(document, consumer);
    }
  },
});

interface Change {
  readonly verb: 'add' | 'remove' | 'set';
  readonly summary: string;
  readonly description?: string;
  readonly route: RouteId;
  readonly request: (workspace: string, consumers: readonly string[]) => ApiRequest;
  readonly sentence: (workspace: string, consumers: string) => string;
}

/** Defines a command that changes the consumers of a workspace in one request. */
const changeCommand = ({ verb, summary, description, route, request, sentence }: Change): Command =>
  command({
    name: `ws consumer ${verb}`,
    summary,
    ...(description !== undefined && { description }),
    arguments: { workspace: workspaceArgument, consumer: workspaceArguments },
    routes: ['workspaces.show-by-name', 'workspaces.show', route],
    result: {
      kind: 'change',
      view: defineView(['name', 'consumers'], ['id']),
      sentence: ({ name, consumers }) => sentence(String(name), (consumers as readonly string[]).join(', ')),
    },
    examples: [`ws consumer ${verb} network web api`],
    errors: { rejected: 'The workspace shares its state with all others, or consumes its own state.' },
    run: async ({ api, workspace }, { workspace: argument, consumer: names }) => {
      if (names.length === 0) throw usageError('Standard input names no workspace. Nothing was changed.');
      const { id, name } = await workspace(argument);
      const ids: string[] = [];
      const consumers: string[] = [];
      for (const consumer of names) {
        const found = await workspace(consumer);
        ids.push(found.id);
        consumers.push(found.name);
      }
      await api.send(request(id, ids));
      return { name, id, consumers };
    },
  });

/** Remote state consumers of workspaces (docs/reference/remote-state-consumers.md). */
export const consumerCommands: Group = {
  title: 'Workspaces that can read the state of a workspace',
  commands: [
    listCommand,
    changeCommand({
      verb: 'add',
      summary: 'Let the runs of other workspaces read the state of a workspace',
      route: 'remote-state-consumers.add',
      request: addConsumers,
      sentence: (workspace, consumers) => `${consumers} can read the state of ${workspace}.`,
    }),
    changeCommand({
      verb: 'remove',
      summary: 'Stop other workspaces from reading the state of a workspace',
      route: 'remote-state-consumers.remove',
      request: removeConsumers,
      sentence: (workspace, consumers) => `${consumers} can no longer read the state of ${workspace}.`,
    }),
    changeCommand({
      verb: 'set',
      summary: 'Let only these workspaces read the state of a workspace',
      description: 'Replaces all consumers, also those that you may not see.',
      route: 'remote-state-consumers.replace',
      request: replaceConsumers,
      sentence: (workspace, consumers) => `Only ${consumers} can read the state of ${workspace}.`,
    }),
  ],
};
