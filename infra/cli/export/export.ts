import type { Manifest, RecordOf } from '../../../shared/bundle/types.ts';
import { FORMAT } from '../../../shared/bundle/types.ts';
import { showOrganization } from '../../../shared/client/organizations.ts';
import type { Schemas, Workspace } from '../../../shared/client/types.ts';
import { now, timestamp } from '../../../shared/lib/clock.ts';
import type { Api } from '../api.ts';
import { type BundleWriter, type Counts, openBundleWriter } from '../bundle/writer.ts';
import { readCaller } from '../context/caller.ts';
import type { Invocation } from '../invocation.ts';
import { formatSize } from '../output/format.ts';
import manifest from '../package.json' with { type: 'json' };
import { readOrganization } from './organization.ts';
import { openReader, type Reader, settling } from './reader.ts';
import { exportWorkspace } from './workspaces.ts';

/** Content and place of an export. */
export interface Export {
  readonly organization: string;
  /** Path of the new folder. */
  readonly out: string;
  readonly states: Manifest['states'];
  /** Filters as the user has set them. Empty: all workspaces. */
  readonly filters: Manifest['filters'];
  /** Lists the workspaces that match the filters. */
  readonly list: (pages: Api['pages']) => AsyncGenerator<{ readonly workspace: Workspace }>;
}

/** Readings of the list of workspaces until one of them finds nothing new. */
const READINGS = 5;

/**
 * Lists ids of workspaces until a reading finds none that others have not: workspaces move between the pages while others are
 * created, deleted and renamed.
 */
const listIds = async ({ list }: Export, { pages }: Reader): Promise<ReadonlySet<string>> => {
  const ids = new Set<string>();
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const before = ids.size;
    for await (const { workspace } of list(pages)) ids.add(workspace.id);
    if (ids.size === before) break;
  }
  return ids;
};

const CONSISTENCY =
  'Each workspace is as it was at one time, with its variables, tags, consumers, access and state versions. Different workspaces, and the records of the organization, can be of different times.';

/** Reads the organization into the bundle, and says how far it is. */
const writeRecords = async (
  { io, api }: Invocation,
  task: Export,
  writer: BundleWriter,
  organization: Schemas['Organization'],
): Promise<void> => {
  const reader = openReader(io, api);
  const ids = await listIds(task, reader);
  let count = 0;
  let versions = 0;
  let bytes = 0;
  const report = (): void => {
    const share = `${count.toLocaleString('en')} of ${ids.size.toLocaleString('en')} workspaces`;
    io.progress(`${share}, ${versions.toLocaleString('en')} states, ${formatSize(bytes)}`);
  };
  const counting: Pick<BundleWriter, 'addState'> = {
    addState: async (content) => {
      const state = await writer.addState(content);
      versions += 1;
      bytes += state.size;
      report();
      return state;
    },
  };
  await readOrganization<RecordOf<'state-versions'>>({
    ...{ organization, ids, signal: io.signal },
    names: new Map(),
    reader: settling(reader),
    sink: writer,
    spool: writer.createSorter('workspaces-with-ids', () => ''),
    read: async (id) => {
      const found = await exportWorkspace(reader, counting, task.organization, id, task.states);
      count += 1;
      report();
      return found;
    },
    addVersion: (version) => writer.add('state-versions', version),
  });
};

/** A bundle that was written. */
export interface Exported extends Counts {
  /** Number of withheld parts that the filters of the user do not explain. */
  readonly lost: number;
}

/** Exports an organization to a bundle (docs/reference/bundle.md). Without success, nothing remains. */
export const exportOrganization = async (invocation: Invocation, task: Export): Promise<Exported> => {
  const { io, api, context, note } = invocation;
  const { organization, out, states, filters } = task;
  const { document } = await api.send(showOrganization(organization));
  const { origin, token } = await context.service();
  const { subject, kind } = await readCaller(api, token);
  const writer = await openBundleWriter(io, out, organization);
  if (states !== 'none') note(`States can contain secrets. Only you can read the files in ${out}.`);
  const isFiltered = Object.keys(filters).length > 0;
  let lost = 0;
  const counting: BundleWriter = {
    ...writer,
    add: (type, record) => {
      const { reason } = record as { readonly reason?: string };
      if (type === 'withheld' && !(isFiltered && reason === 'not-included')) lost += 1;
      return writer.add(type, record);
    },
  };
  try {
    await writeRecords(invocation, task, counting, document.data);
    const written = await writer.close((counts) => ({
      format: FORMAT.name,
      version: FORMAT.version,
      'written-by': `holdfast ${manifest.version}`,
      'created-at': timestamp(now()),
      source: { url: origin, organization },
      caller: { name: subject, kind },
      states,
      filters,
      consistency: CONSISTENCY,
      ...counts,
    }));
    return { ...written, lost };
  } finally {
    io.progress('');
    await writer.remove();
  }
};
