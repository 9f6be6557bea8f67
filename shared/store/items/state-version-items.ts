import { absent, all, equals, unchanged } from '../../domain/changes/conditions.ts';
import { parseExactly } from '../../domain/state-versions/exact-json.ts';
import type {
  BackingData,
  PackedOutputs,
  StateOutput,
  StateVersion,
  StateVersionWrite,
} from '../../domain/state-versions/state-version.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import { zlib } from '../../lib/zlib.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { itemWrite, update } from './item-write.ts';

/** Location and owner of a state version, found by its id. */
export interface StateVersionPlace {
  readonly id: string;
  readonly organization: string;
  readonly workspace: string;
  /** Project of the workspace when the version was created. */
  readonly project: string;
  /** Creation time, which is part of the key. */
  readonly at: number;
}

/** Converts a pointer item to the location of a state version; undefined for any other item. */
export const placeOf = (item: Item | undefined): StateVersionPlace | undefined => {
  if (item?.['ty'] !== 'state-version-id') return undefined;
  const { id, organization, workspace, project, at } = item;
  return { id, organization, workspace, project, at } as StateVersionPlace;
};

/** Converts a stored item to a state version. */
export const stateVersionOf = ({ pk: _, sk: __, ty: ___, v: ____, ...version }: Item): StateVersion =>
  version as unknown as StateVersion;

/**
 * Builds the writes of a new version. The pointer comes first, so that a failed condition on it shows that the id is
 * taken.
 */
export const stateVersionCreation = (
  version: StateVersion,
  { organization, project }: Pick<Workspace, 'organization' | 'project'>,
): Write[] => {
  const { id, workspace, createdAt: at } = version;
  const place: StateVersionPlace = { id, organization, workspace, project, at };
  return [itemWrite('state-version-id', place, absent('pk')), itemWrite('state-version', version, absent('pk'))];
};

/** Builds the write that finalizes or discards a state version, on the condition that it is still pending. */
export const stateVersionWrite = (workspace: string, write: StateVersionWrite): Write => {
  const set =
    write.kind === 'discard'
      ? { status: 'discarded' }
      : { status: 'finalized', lineage: write.lineage, content: write.content };
  return update(keys.stateVersion(workspace, write.at, write.id), { set }, equals('status', 'pending'));
};

/**
 * Builds the write that changes the status of the backing data of a version, on the condition that it is as it was read. A
 * permanent deletion also removes the outputs that the item contains.
 */
export const backingDataWrite = (version: StateVersion, to: BackingData): Write => {
  const { workspace, createdAt, id, content, backingData } = version;
  const change =
    to === 'available'
      ? { remove: ['backingData'] }
      : { set: { backingData: to, ...(to === 'deleted' && { content: { ...content, outputs: { count: 0 } } }) } };
  const condition = all(equals('id', id), equals('status', 'finalized'), unchanged('backingData', backingData));
  return update(keys.stateVersion(workspace, createdAt, id), change, condition);
};

/** Largest size of outputs that are stored in the item of their version, in compressed bytes. */
const INLINE = 512;
/** Largest size of a chunk of outputs, in bytes, so that an item with its keys stays within the DynamoDB limit. */
const CHUNK = 380 * 1024;

/** Stored form of outputs: the part in the item of the version, and separate items for large outputs. */
export const packOutputs = (
  { id, workspace }: Pick<StateVersion, 'id' | 'workspace'>,
  outputs: readonly StateOutput[],
): { readonly outputs: PackedOutputs; readonly items: readonly Item[] } => {
  const count = outputs.length;
  if (count === 0) return { outputs: { count }, items: [] };
  const packed = zlib().deflateRawSync(JSON.stringify(outputs));
  if (packed.length <= INLINE) return { outputs: { count, packed }, items: [] };
  const chunks = Math.ceil(packed.length / CHUNK);
  return {
    outputs: { count, chunks },
    items: Array.from({ length: chunks }, (_, chunk) => ({
      ...keys.stateOutputs(workspace, id, chunk),
      ...typeAndVersion('state-outputs'),
      packed: packed.subarray(chunk * CHUNK, (chunk + 1) * CHUNK),
    })),
  };
};

/** Decodes outputs from their compressed parts, in order; empty if there are no parts. */
export const unpackOutputs = (parts: readonly Uint8Array[]): readonly StateOutput[] =>
  parts.length === 0 ? [] : (parseExactly(zlib().inflateRawSync(Buffer.concat(parts)).toString()) as StateOutput[]);
