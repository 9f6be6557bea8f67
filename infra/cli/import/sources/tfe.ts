import type { Workspace } from '../../../../shared/client/types.ts';
import { listAllWorkspaces } from '../../../../shared/client/workspaces.ts';
import type { Sink } from '../../export/directory.ts';
import { readOrganization } from '../../export/organization.ts';
import type { Reader } from '../../export/reader.ts';
import { readWorkspace, type Snapshot, type WithVersions } from '../../export/workspaces.ts';
import type { Io } from '../../io.ts';
import type { InventoryWriter, Source, SourceVersion, WorkspaceFilter } from '../source.ts';
import type { TfeAddress } from '../tfe/address.ts';
import { type Connection, connect } from '../tfe/connection.ts';
import type { Resource } from '../tfe/dialect.ts';
import { openLocks } from '../tfe/locks.ts';
import { noteOfOrganization, noteOfWorkspace } from '../tfe/not-carried.ts';
import { openSourceReader } from '../tfe/reader.ts';
import { downloadVersion, pushState } from '../tfe/states.ts';

/** Requests in any second, unless the user sets another rate. HCP Terraform allows 30 for each user. */
const DEFAULT_RATE = 24;

/** Orders state versions: the oldest first. Those of one time stay in the order of the list. */
const toVersions = ({ versions }: Snapshot): readonly SourceVersion[] => {
  const timeOf = ({ record: { origin } }: Snapshot['versions'][number]): number =>
    Date.parse(origin?.['created-at'] ?? '') || 0;
  return [...versions]
    .sort((a, b) => timeOf(a) - timeOf(b))
    .map(({ id, hasContent, record }, index) => ({
      ...record,
      position: index + 1,
      ...(!hasContent && { sha256: null }),
      origin: { ...record.origin, id },
    }));
};

/** Writes the records of an inventory. What the caller may not read is noted as not carried. */
const toSink = ({ add, addNotCarried }: InventoryWriter): Sink => ({
  add: (type, record) => {
    if (type !== 'withheld') return add(type as 'projects', record as never);
    const { reason: _, ...missing } = record as Parameters<typeof addNotCarried>[0];
    return addNotCarried({ ...missing, reason: 'not-permitted' });
  },
});

const readInventory = async (
  io: Io,
  connection: Connection,
  writer: InventoryWriter,
  includes: WorkspaceFilter,
): Promise<void> => {
  const { address, organization } = connection;
  const { resource, isHoldfast } = await organization();
  const { addNotCarried: note } = writer;
  const reader = openSourceReader(io, connection, note);
  const names = await reader.listNames<Workspace>((page) => listAllWorkspaces(address.organization, page, 100));
  const ids = new Set([...names].filter(([, name]) => includes(name)).map(([id]) => id));
  let count = 0;

  const read = async (id: string): Promise<WithVersions<SourceVersion> | undefined> => {
    let workspace: Resource | undefined;
    let retention: Resource | undefined;
    const keeping: Reader = {
      ...reader,
      readOptional: async (request) => {
        const reply = await reader.readOptional(request);
        const { data } = (reply?.document ?? {}) as { readonly data?: Resource };
        if (data?.type === 'workspaces') workspace = data;
        else retention = data ?? retention;
        return reply;
      },
    };
    const found = await readWorkspace(keeping, address.organization, id, 'all');
    count += 1;
    io.progress(`${count.toLocaleString('en')} of ${ids.size.toLocaleString('en')} workspaces`);
    if (found === undefined || workspace === undefined) return undefined;
    const { etag: _, permissions: __, unfinished, versions: ___, ...others } = found;
    for (const { id: version, status } of unfinished) {
      const name = `${found.record.name}/${version}`;
      const detail = `The state version is ${status}.`;
      await note({ type: 'state-versions', name, reason: 'no-content', detail });
    }
    await noteOfWorkspace(reader, note, { workspace, retention }, isHoldfast, names);
    return { ...others, versions: toVersions(found) };
  };

  try {
    const directory = await readOrganization<SourceVersion>({
      ...{ organization: resource, ids, names, reader, read, signal: io.signal },
      sink: toSink(writer),
      spool: writer.createSorter('workspaces-with-ids', () => ''),
      addVersion: (version) => writer.add('state-versions', version),
    });
    await noteOfOrganization(reader, note, resource as unknown as Resource, isHoldfast, directory);
  } finally {
    io.progress('');
  }
};

/**
 * Opens an organization of HCP Terraform, Terraform Enterprise, OTF or another Holdfast as a source. Nothing is sent before it is used.
 * @param source its address, and the largest number of requests in any second.
 * @example
 * const source = openTfeSource(io, { ...(await resolveTfeAddress(io, 'tfe://app.terraform.io/acme')), rate: 24 });
 */
export const openTfeSource = (
  io: Io,
  { rate = DEFAULT_RATE, ...address }: TfeAddress & { readonly rate?: number | undefined },
): Source => {
  const connection = connect(io, address, rate);
  const { host, organization } = address;
  return {
    origin: { host, organization },
    organization,
    readInventory: (writer, includes) => readInventory(io, connection, writer, includes),
    download: (version) => downloadVersion(connection, version),
    locks: openLocks(connection),
    push: (workspace, content) => pushState(io, connection, workspace, content),
  };
};
