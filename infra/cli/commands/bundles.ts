import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { FORMAT, recordTypes } from '../../../shared/bundle/types.ts';
import { encodeName } from '../bundle/canonical.ts';
import { readManifest, readSums, requireBundle, verifyBundle } from '../bundle/verify.ts';
import { requireNew } from '../bundle/writer.ts';
import { command, type Group } from '../command.ts';
import { callerRoutes } from '../context/caller.ts';
import { exportOrganization } from '../export/export.ts';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';
import { formatSize } from '../output/format.ts';
import { defineView, type Row } from '../output/view.ts';
import { argument, choice, flag, optionalArgument, required, text } from '../parameters.ts';
import { isSet } from '../settings.ts';
import { organizations } from './organizations.ts';
import { filterFlags, listFiltered } from './workspace-list.ts';

const exportView = defineView(
  ['path', 'organization', 'workspaces', 'state-versions', 'state-files', 'state-bytes', 'withheld'],
  ['counts'],
);

const bundleView = defineView(
  ['path', 'status', 'organization', 'workspaces', 'state-versions', 'files', 'bytes'],
  ['version', 'created-at', 'url', 'caller', 'states', 'withheld', 'missing', 'counts'],
);

const states = choice('State versions with their content. Default: all.', ['all', 'current', 'none']);

const pathArgument = argument('Folder of the bundle.');

/** Returns the counts that a table shows. */
const pickCounts = (counts: Readonly<Record<string, number>>): Row => ({
  workspaces: counts['workspaces'],
  'state-versions': counts['state-versions'],
  withheld: counts['withheld'],
});

/** Finds the file of an entry: its path as in `SHA256SUMS`, or a type of records. */
const findEntry = async (root: string, entry: string): Promise<{ readonly path: string; readonly digest: string }> => {
  const { source } = await readManifest(root);
  const isType = (recordTypes as readonly string[]).includes(entry);
  const wanted = isType ? `organizations/${encodeName(source.organization)}/${entry}.jsonl` : entry;
  for await (const sum of readSums(root)) if (sum.path === wanted) return sum;
  throw new Failure('notFound', `The bundle has no entry "${entry}".`, {
    hint: `Name a path in ${FORMAT.sums}, or one of ${recordTypes.join(', ')}.`,
  });
};

/** Yields the content of an entry. @throws Failure `partial` at the end if it is not that of `SHA256SUMS`. */
async function* readEntry({ cwd }: Io, name: string, entry: string): AsyncGenerator<Uint8Array> {
  const root = resolve(cwd, name);
  await requireBundle(root, name);
  const { path, digest } = await findEntry(root, entry);
  const hash = createHash('sha256');
  for await (const part of createReadStream(join(root, path))) {
    hash.update(part);
    yield part;
  }
  if (hash.digest('hex') !== digest)
    throw new Failure('partial', `${path} has other content than ${FORMAT.sums} says.`);
}

/** Routes that read an organization with everything that belongs to it, except the content of states. */
export const readRoutes = [
  'organizations.show',
  'projects.list',
  'workspaces.list',
  'workspaces.show',
  'tag-bindings.list',
  'retention-policies.show',
  'workspace-variables.list',
  'remote-state-consumers.list',
  'team-workspaces.list',
  'state-versions.list',
  'default-retention-policies.show',
  'token-ttl-policies.list',
  'projects.list-bindings',
  'team-projects.list',
  'teams.list',
  'memberships.list',
  'agent-pools.list',
  'ssh-keys.list',
  'oauth-clients.list',
  'reserved-tag-keys.list',
  'varsets.list',
  'varset-variables.list',
  'workload-identities.list',
] as const;

/** Bundles: the content of an organization in a folder (docs/reference/bundle.md). */
export const bundleCommands: Group = {
  title: 'Bundles',
  commands: [
    command({
      name: 'export',
      summary: 'Export an organization to a bundle, a folder with all its settings and states',
      description:
        'The bundle contains what you may read. Values of sensitive variables, private keys and tokens are not part of it, but states can contain secrets: only you can read the files. The folder has its name once it is complete, and an interrupted export leaves nothing. A workspace has to match all filters.',
      arguments: { organization: organizations.argument },
      flags: { out: required(text('New folder.', 'FOLDER')), states, ...filterFlags },
      routes: [...callerRoutes, ...readRoutes, 'state-versions.download'],
      result: {
        kind: 'change',
        view: exportView,
        sentence: (row: Row) =>
          `Wrote ${row['workspaces']} workspaces and ${row['state-versions']} state versions (${formatSize(Number(row['state-bytes']))}) to ${row['path']}.`,
      },
      examples: [
        'export acme --out acme-2026-11-24',
        'export acme --out core --tag core --states current',
        'bundle verify acme-2026-11-24',
      ],
      errors: {
        conflict: 'Names changed during the export. Nothing was written.',
        partial:
          'The bundle is written, but something is missing in it that you may not read, or that changed too often.',
      },
      run: async (invocation, { organization }, { out, states: kept = 'all', ...flags }) => {
        await requireNew(invocation.io, out);
        const { counts, lost, ...sizes } = await exportOrganization(invocation, {
          organization,
          out,
          states: kept,
          filters: Object.fromEntries(Object.entries(flags).filter(([, value]) => isSet(value))),
          list: (pages) => listFiltered({ ...invocation, api: { ...invocation.api, pages } }, flags, { organization }),
        });
        const row: Row = { path: out, organization, ...pickCounts(counts), ...sizes, counts };
        if (lost === 0) return row;
        const sentence = `${out} is written, but it is not complete: ${lost} parts are withheld.`;
        throw new Failure('partial', sentence, { hint: `Run "holdfast bundle show ${out} withheld".`, meta: row });
      },
    }),
    command({
      name: 'bundle verify',
      summary: 'Verify that a bundle is complete and unchanged, without any service',
      description:
        'Compares all files with their checksums first, then checks each line, its order, and that everything exists that it names. A bundle of a part of an organization is refused without --partial.',
      arguments: { path: pathArgument },
      flags: { partial: flag('Accept a bundle in which something is missing, and list what it is.') },
      routes: [],
      result: { kind: 'item', view: bundleView },
      examples: ['bundle verify acme-2026-11-24', 'bundle verify core --partial --json=status,missing'],
      errors: { partial: 'The bundle is damaged, or it is partial.' },
      run: async ({ io }, { path }, { partial }) => {
        const { manifest, missing, files, bytes } = await verifyBundle(io, resolve(io.cwd, path), path);
        if (missing.length > 0 && !partial) {
          throw new Failure('partial', `The bundle is not damaged, but it is partial: ${missing.join('; ')}.`, {
            hint: 'Add --partial if you know what is missing.',
          });
        }
        const { source, counts } = manifest;
        return {
          ...{ path, status: missing.length === 0 ? 'whole' : 'partial', organization: source.organization },
          ...{ files, bytes, version: manifest.version, 'created-at': manifest['created-at'], url: source.url },
          ...{ caller: manifest.caller.name, states: manifest.states, missing, counts },
          ...pickCounts(counts),
        };
      },
    }),
    command({
      name: 'bundle show',
      summary: 'Print a file of a bundle',
      description: `Prints ${FORMAT.manifest}, which says what the bundle contains, or the entry. Its checksum is compared.`,
      arguments: {
        path: pathArgument,
        entry: optionalArgument(`A type of records, such as workspaces, or a path in ${FORMAT.sums}.`),
      },
      routes: [],
      result: { kind: 'bytes' },
      examples: ['bundle show acme-2026-11-24', 'bundle show acme-2026-11-24 workspaces | jq -r .name'],
      errors: { partial: 'The content is not that of the checksum.' },
      run: ({ io }, { path, entry = FORMAT.manifest }) => readEntry(io, path, entry),
    }),
  ],
};
