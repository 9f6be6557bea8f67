import { createReadStream } from 'node:fs';
import { join, resolve } from 'node:path';
import { type RecordOf, recordTypes } from '../../../../shared/bundle/types.ts';
import { encodeName } from '../../bundle/canonical.ts';
import { readLines } from '../../bundle/lines.ts';
import { readManifest, requireBundle, verifyBundle } from '../../bundle/verify.ts';
import { Failure } from '../../failure.ts';
import type { Io } from '../../io.ts';
import type { InventoryType } from '../inventory.ts';
import type { InventoryWriter, Source, WorkspaceFilter } from '../source.ts';

/** Adds a line of a bundle to the inventory. */
const addRecord = async (
  writer: InventoryWriter,
  type: InventoryType | 'withheld',
  record: unknown,
  includes: WorkspaceFilter,
): Promise<void> => {
  if (type === 'withheld') {
    const { reason: _, ...missing } = record as RecordOf<'withheld'>;
    return writer.addNotCarried({ ...missing, reason: 'not-permitted' });
  }
  const { name, workspace } = record as { readonly name?: string; readonly workspace?: string };
  const owner = type === 'workspaces' ? name : workspace;
  if (owner !== undefined && !includes(owner)) return;
  await writer.add(type, record as never);
};

/**
 * Opens a bundle as a source (docs/reference/bundle.md).
 * @param partial whether a bundle in which something is missing is accepted.
 */
export const openBundleSource = async (io: Io, name: string, partial: boolean): Promise<Source> => {
  const root = resolve(io.cwd, name);
  await requireBundle(root, name);
  const manifest = await readManifest(root);
  const { url, organization } = manifest.source;
  return {
    origin: { host: new URL(url).host, organization },
    organization,
    readInventory: async (writer, includes) => {
      const { missing } = await verifyBundle(io, root, name);
      if (missing.length > 0 && !partial) {
        throw new Failure('partial', `The bundle is partial: ${missing.join('; ')}.`, {
          hint: 'Add --partial if you know what is missing.',
        });
      }
      for (const type of recordTypes) {
        for await (const line of readLines(join(root, 'organizations', encodeName(organization), `${type}.jsonl`))) {
          io.signal.throwIfAborted();
          await addRecord(writer, type, JSON.parse(line), includes);
        }
      }
    },
    async *download({ sha256, origin }) {
      if (typeof sha256 !== 'string') throw new Failure('partial', `The bundle has no content of ${origin.id}.`);
      try {
        yield* createReadStream(join(root, 'states', 'sha256', sha256));
      } catch (cause) {
        const { code } = cause as NodeJS.ErrnoException;
        throw new Failure('failed', `The bundle has no content of ${origin.id} any more (${code}).`, { cause });
      }
    },
    push: async () => {
      throw new Failure('conflict', 'A bundle is never changed, so nothing can be written back to it.');
    },
  };
};
