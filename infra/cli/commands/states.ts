import { Readable } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { compareStates } from '../../../shared/client/compare-states.ts';
import { apiRequest } from '../../../shared/client/request.ts';
import { listCurrentOutputs, rollBackState, showStateVersion } from '../../../shared/client/state-versions.ts';
import type { Schemas } from '../../../shared/client/types.ts';
import { pageQuery } from '../api.ts';
import { command, type Group } from '../command.ts';
import { exitCodes, Failure, usageError } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import { readInput } from '../input.ts';
import type { FoundWorkspace, Invocation } from '../invocation.ts';
import { formatSize } from '../output/format.ts';
import { writePrivateFile } from '../output/private-file.ts';
import { attributesOf, defineView, flatten, type Row } from '../output/view.ts';
import { argument, type Complete, count, filter, flag, optionalArgument, text } from '../parameters.ts';
import {
  createStateVersion,
  currentIdOf,
  findPreviousVersion,
  findVersion,
  listVersions,
  optionalVersion,
  readContent,
  readStateFile,
  toVersionRow,
  versionArgument,
  versionArguments,
  versionRoutes,
  versionView,
} from './state-versions.ts';
import { lockRoutes, withLock } from './with-lock.ts';
import { workspaceArgument } from './workspace-rows.ts';

const outputView = defineView(
  ['name', 'type', 'sensitive', 'value'],
  ['id', ...attributesOf<Schemas['StateVersionOutput']>()('name', 'sensitive', 'type', 'detailed-type', 'value')],
);

const resourceView = defineView(
  ['address', 'provider'],
  [
    'id',
    ...attributesOf<Schemas['WorkspaceResource']>()(
      'address',
      'name',
      'module',
      'provider',
      'provider-type',
      'name-index',
      'modified-by-state-version-id',
      'created-at',
      'updated-at',
    ),
  ],
);

const differenceView = defineView(['address', 'change', 'attributes']);

/** Suggests the names of the outputs of a workspace. */
const completeOutput: Complete = async ({ api, workspace }, _, [name = '']) => {
  const { document } = await api.lookUp(listCurrentOutputs((await workspace(name)).id));
  return document.data.map(({ attributes }) => attributes.name);
};

const workspaceRoutes = ['workspaces.show-by-name', 'workspaces.show'] as const;

/** @throws Failure `failed` for a state that cannot be read. */
const compare = (...states: Parameters<typeof compareStates>): ReturnType<typeof compareStates> => {
  try {
    return compareStates(...states);
  } catch (cause) {
    throw new Failure('failed', 'The states cannot be compared: one is encrypted, or has another format than 4.', {
      cause,
    });
  }
};

/** Attempts to create a state version, of which each creates a new one. */
const CREATIONS = 3;

/**
 * Creates a state version and uploads its content. If the response to the creation is lost, another version is created, because
 * its upload URL was only in that response (HTTP-40). It replaces the first one (STATE-4).
 * @returns the id.
 */
const upload = async ({ api, io }: Invocation, workspace: FoundWorkspace, content: Buffer): Promise<string> => {
  const request = createStateVersion(workspace.id, readStateFile(content));
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { id, attributes } = (await api.send(request)).document.data;
      io.progress(`Uploading ${formatSize(content.length)}`);
      await api.upload(attributes['hosted-state-upload-url'] ?? '', content);
      return id;
    } catch (error) {
      const { meta, status } = error instanceof Failure ? error.details : {};
      const isLost = status === 409 && String((meta as { readonly id?: unknown } | undefined)?.id).startsWith('sv-');
      if (isLost && attempt < CREATIONS) continue;
      if (status !== 412 || !(error instanceof Failure)) throw error;
      throw new Failure('conflict', error.message, {
        ...error.details,
        hint: 'Pull the current state, and repeat your change on it.',
      });
    }
  }
};

/** Seconds after which an upload that has not been read is reported. */
const LONGEST_READING = 60;

/** Waits until the content of a state version has been read. @throws Failure `timedOut`. */
const finalized = async ({ api, io }: Invocation, workspace: FoundWorkspace, id: string): Promise<Row> => {
  io.progress('Waiting until the service has read the state');
  for (let seconds = 0; ; seconds += 1) {
    const { data } = (await api.lookUp(showStateVersion(id))).document;
    if (data.attributes.status === 'finalized') return toVersionRow(data, id);
    if (seconds === LONGEST_READING) {
      throw new Failure('timedOut', `The state is uploaded, but the service has not read it within ${seconds} s.`, {
        hint: `Run "holdfast state show ${workspace.name} ${id}" to see whether it is finalized.`,
      });
    }
    await io.wait(1_000, io.signal);
  }
};

/** States of workspaces (docs/concepts/state.md). */
export const stateCommands: Group = {
  title: 'States',
  commands: [
    command({
      name: 'state list',
      summary: 'List the state versions of a workspace, the newest first',
      arguments: { workspace: workspaceArgument },
      flags: {
        'imported-from': filter('Only those that were imported from this id.', 'ID'),
        limit: count('Print at most so many.'),
      },
      routes: [...workspaceRoutes, 'state-versions.list'],
      result: { kind: 'list', view: versionView },
      examples: ['state list network', 'state list network --limit 5 --json=id,serial,created-at'],
      async *run(invocation, args, { 'imported-from': source, limit }) {
        const workspace = await invocation.workspace(args.workspace);
        let printed = 0;
        for await (const version of listVersions(invocation.api.send, workspace, source)) {
          yield toVersionRow(version, currentIdOf(workspace));
          printed += 1;
          if (printed === limit) return;
        }
      },
    }),
    command({
      name: 'state show',
      summary: 'Show a state version',
      arguments: { workspace: workspaceArgument, version: optionalVersion('the current one') },
      routes: versionRoutes,
      result: { kind: 'item', view: versionView },
      examples: ['state show network', 'state show network 12', 'state show network 1d'],
      run: async (invocation, args) => {
        const workspace = await invocation.workspace(args.workspace);
        const { id } = await findVersion(invocation, workspace, args.version);
        const { document } = await invocation.api.send(showStateVersion(id));
        return toVersionRow(document.data, currentIdOf(workspace));
      },
    }),
    command({
      name: 'state pull',
      summary: 'Download a state',
      description:
        'Prints the bytes of the state. With --output, the file has its name only when it is complete, and only you can read it. States can contain secrets.',
      arguments: { workspace: workspaceArgument, version: optionalVersion('the current one') },
      flags: { output: text('Write to this file.', 'FILE') },
      routes: [...versionRoutes, 'state-versions.download'],
      result: { kind: 'bytes' },
      examples: ['state pull network > network.tfstate', 'state pull network 1d --output yesterday.tfstate'],
      async *run(invocation, args, { output }) {
        const workspace = await invocation.workspace(args.workspace);
        const content = readContent(invocation, await findVersion(invocation, workspace, args.version));
        if (output === undefined) return yield* content;
        const size = await writePrivateFile(invocation.io, output, content);
        invocation.note(`Wrote ${size} bytes to ${output}.`);
      },
    }),
    command({
      name: 'state push',
      summary: 'Upload a state, which becomes the current one',
      description:
        'The serial in it must be higher than that of the current state. The workspace is locked for the upload, unless you hold its lock already. Waits until the service has read the state.',
      arguments: { workspace: workspaceArgument, file: optionalArgument('The state. Default: standard input.') },
      routes: [...workspaceRoutes, ...lockRoutes, 'state-versions.create', 'state-versions.show'],
      result: {
        kind: 'change',
        view: versionView,
        sentence: ({ id, serial }) => `Pushed serial ${serial} as ${id}.`,
      },
      examples: ['state push network network.tfstate', 'state push network < network.tfstate'],
      errors: {
        conflict: 'The current state is newer, or somebody else holds the lock.',
        timedOut: 'The state is uploaded, but the service has not read it.',
      },
      run: async (invocation, args) => {
        const content = await readInput(invocation.io, args.file);
        readStateFile(content);
        const workspace = await invocation.workspace(args.workspace);
        const id = await withLock(invocation, workspace, 'holdfast state push', () =>
          upload(invocation, workspace, content),
        );
        return finalized(invocation, workspace, id);
      },
    }),
    command({
      name: 'state outputs',
      summary: 'List the outputs of the current state',
      description: 'Values of sensitive outputs are not shown. The command "state output" prints one of them.',
      arguments: { workspace: workspaceArgument },
      routes: [...workspaceRoutes, 'state-versions.current-outputs'],
      result: { kind: 'list', view: outputView },
      examples: ['state outputs network', 'state outputs network --json=name,value'],
      async *run(invocation, args) {
        const { id } = await invocation.workspace(args.workspace);
        for (const output of (await invocation.api.send(listCurrentOutputs(id))).document.data) {
          yield flatten(output);
        }
      },
    }),
    command({
      name: 'state output',
      summary: 'Print the value of one output',
      description: 'A text is printed as it is, a list or an object as JSON.',
      arguments: { workspace: workspaceArgument, name: argument('Name of the output.', { complete: completeOutput }) },
      flags: { sensitive: flag('Print the value also if the output is sensitive.') },
      routes: [...workspaceRoutes, 'state-versions.current-outputs', 'state-outputs.show'],
      result: { kind: 'text', view: outputView, field: 'value' },
      examples: ['state output network vpc_id', 'state output database password --sensitive'],
      run: async ({ api, workspace }, args, { sensitive }) => {
        const { id, name } = await workspace(args.workspace);
        const { data } = (await api.lookUp(listCurrentOutputs(id))).document;
        const found = data.find(({ attributes }) => attributes.name === args.name);
        if (found === undefined) throw new Failure('notFound', `The state of ${name} has no output "${args.name}".`);
        if (found.attributes.sensitive && !sensitive) {
          throw usageError(`The output "${args.name}" is sensitive.`, 'Add --sensitive to print its value.');
        }
        const { document } = await api.send(
          apiRequest('get', '/api/v2/state-version-outputs/{state_version_output_id}', {
            path: { state_version_output_id: found.id },
          }),
        );
        return flatten(document.data);
      },
    }),
    command({
      name: 'state resources',
      summary: 'List the managed resources of the current state',
      arguments: { workspace: workspaceArgument },
      flags: { search: text('Only addresses that contain this text.', 'TEXT') },
      routes: [...workspaceRoutes, 'workspace-resources.list'],
      result: { kind: 'list', view: resourceView },
      examples: ['state resources network', 'state resources network --search aws_subnet'],
      async *run({ api, workspace }, args, { search }) {
        const { id } = await workspace(args.workspace);
        const pages = api.pages((page) =>
          apiRequest('get', '/api/v2/workspaces/{workspace_id}/resources', {
            path: { workspace_id: id },
            query: { ...(search !== undefined && { q: search }), ...pageQuery(page) },
          }),
        );
        for await (const { data } of pages) yield* data.map(flatten);
      },
    }),
    command({
      name: 'state diff',
      summary: 'Compare two state versions',
      description:
        'Lists resources and outputs that were added, removed or changed, with the names of changed attributes and keys of maps. Values are not shown.',
      arguments: {
        workspace: workspaceArgument,
        from: optionalVersion('the version before the current one'),
        to: optionalVersion('the current one'),
      },
      routes: [...versionRoutes, 'state-versions.download'],
      result: { kind: 'list', view: differenceView },
      examples: ['state diff network', 'state diff network 1d', 'state diff network 11 12'],
      errors: { partial: 'The states differ.' },
      async *run(invocation, args) {
        const workspace = await invocation.workspace(args.workspace);
        const versions = [
          args.from === undefined
            ? await findPreviousVersion(invocation, workspace)
            : await findVersion(invocation, workspace, args.from),
          await findVersion(invocation, workspace, args.to),
        ];
        const contents = versions.map((version) => readText(Readable.from(readContent(invocation, version))));
        // With --curl, both requests are shown.
        await Promise.allSettled(contents);
        const [from = '', to = ''] = await Promise.all(contents);
        const changes = compare(from, to);
        for (const { address, kind, attributes } of changes) {
          yield { address, change: kind, attributes: kind === 'changed' ? attributes.map(({ name }) => name) : [] };
        }
        return changes.length === 0 ? exitCodes.done : exitCodes.partial;
      },
    }),
    command({
      name: 'state rollback',
      summary: 'Make the content of an older state version the current state',
      description:
        'Creates a new version with the same bytes, also the same serial. The workspace is locked meanwhile, unless you hold its lock already.',
      arguments: { workspace: workspaceArgument, version: versionArgument },
      flags: { yes: flag('Do not ask for confirmation.') },
      routes: [...versionRoutes, ...lockRoutes, 'state-versions.roll-back'],
      result: {
        kind: 'change',
        view: versionView,
        sentence: ({ id, serial }) => `The current state is ${id}, with serial ${serial}.`,
      },
      examples: ['state rollback network 11', 'state rollback network 1d --yes'],
      run: async (invocation, args, { yes }) => {
        const workspace = await invocation.workspace(args.workspace);
        const { id, attributes } = await findVersion(invocation, workspace, args.version);
        const { serial, 'created-at': created } = attributes;
        await invocation.confirm({
          sentence: `Makes ${id} (serial ${serial}, ${created}) the current state of ${workspace.name}.`,
          name: workspace.name,
          yes,
        });
        const { document } = await withLock(invocation, workspace, 'holdfast state rollback', () =>
          invocation.api.send(rollBackState(workspace.id, id)),
        );
        return toVersionRow(document.data, document.data.id);
      },
    }),
    command({
      name: 'state delete',
      summary: 'Delete the content of old state versions',
      description:
        'Only owners can do it, and not for the current version. "state restore" brings the content back, until --permanently removes it.',
      arguments: { workspace: workspaceArgument, version: versionArguments },
      flags: {
        permanently: flag('Remove content that is deleted already. This cannot be undone.'),
        yes: flag('Do not ask for confirmation.'),
      },
      routes: [...versionRoutes, 'state-versions.soft-delete', 'state-versions.delete'],
      result: { kind: 'changes', view: versionView, sentence: ({ id }) => `Deleted the content of ${id}.` },
      examples: ['state delete network 11', 'state delete network 11 --permanently'],
      async *run(invocation, args, { permanently, yes }) {
        const workspace = await invocation.workspace(args.workspace);
        await invocation.confirm({
          sentence: `Deletes the content of ${args.version.length} state version(s) of ${workspace.name}${permanently ? ' for good' : ''}.`,
          name: workspace.name,
          yes,
        });
        return yield* forEachItem(invocation, args.version, async (name) => {
          const path = { state_version_id: (await findVersion(invocation, workspace, name)).id };
          const { document } = await invocation.api.send(
            permanently
              ? apiRequest(
                  'post',
                  '/api/v2/state-versions/{state_version_id}/actions/permanently_delete_backing_data',
                  {
                    path,
                  },
                )
              : apiRequest('post', '/api/v2/state-versions/{state_version_id}/actions/soft_delete_backing_data', {
                  path,
                }),
          );
          return toVersionRow(document.data, currentIdOf(workspace));
        });
      },
    }),
    command({
      name: 'state restore',
      summary: 'Bring back the deleted content of state versions',
      description: 'Only owners can do it, and only for content that was not deleted permanently.',
      arguments: { workspace: workspaceArgument, version: versionArguments },
      routes: [...versionRoutes, 'state-versions.restore'],
      result: { kind: 'changes', view: versionView, sentence: ({ id }) => `Restored the content of ${id}.` },
      examples: ['state restore network 11'],
      async *run(invocation, args) {
        const workspace = await invocation.workspace(args.workspace);
        return yield* forEachItem(invocation, args.version, async (name) => {
          const { id } = await findVersion(invocation, workspace, name);
          const { document } = await invocation.api.send(
            apiRequest('post', '/api/v2/state-versions/{state_version_id}/actions/restore_backing_data', {
              path: { state_version_id: id },
            }),
          );
          return toVersionRow(document.data, currentIdOf(workspace));
        });
      },
    }),
  ],
};
