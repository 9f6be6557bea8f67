import { unavailable } from '../../domain/errors.ts';
import type { StateOutput, StateVersion } from '../../domain/state-versions/state-version.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys, NOTHING, prefixes } from '../dynamodb/keys.ts';
import { placeOf, type StateVersionPlace, stateVersionOf, unpackOutputs } from '../items/state-version-items.ts';

/** Returns the query of the state versions of a workspace. */
const newestFirst = (workspace: string) => ({
  partition: keys.stateVersion(workspace, 0, '').pk,
  beginsWith: prefixes.stateVersions,
  consistent: true,
  descending: true,
});

/** Opens the reads of state versions. All reads are strongly consistent. */
export const openStateVersions = (database: Database) => ({
  /** Returns the location of a state version by its id or by the id of one of its outputs. */
  findPlace: async (id: string): Promise<StateVersionPlace | undefined> =>
    placeOf(await database.get(keys.stateVersionId(id), true)),

  /** Finds a state version. Without a place it reads an item that does not exist (PERM-21). */
  find: async (
    place: Pick<StateVersionPlace, 'workspace' | 'at' | 'id'> | undefined,
  ): Promise<StateVersion | undefined> => {
    const key = place === undefined ? NOTHING : keys.stateVersion(place.workspace, place.at, place.id);
    const item = await database.get(key, true);
    return item && stateVersionOf(item);
  },

  /** Returns state versions of a workspace, newest first, from one position up to, but not including, another. */
  list: async (
    workspace: string,
    { from, to }: { readonly from: number; readonly to: number },
  ): Promise<readonly StateVersion[]> => {
    const found: StateVersion[] = [];
    for await (const page of database.pages({ ...newestFirst(workspace), limit: to })) {
      found.push(...page.map(stateVersionOf));
      if (found.length >= to) break;
    }
    return found.slice(from, to);
  },

  /** Returns the state versions of a workspace that were imported from an id, newest first. Reads all versions (STATE-25). */
  listImported: async (workspace: string, id: string): Promise<readonly StateVersion[]> => {
    const found: StateVersion[] = [];
    for await (const page of database.pages(newestFirst(workspace))) {
      found.push(...page.map(stateVersionOf).filter(({ importedFrom }) => importedFrom?.id === id));
    }
    return found;
  },

  /** Returns the outputs of a finalized version. */
  readOutputs: async ({ workspace, id, content }: StateVersion): Promise<readonly StateOutput[]> => {
    const { packed, chunks = 0 } = content?.outputs ?? {};
    if (packed !== undefined) return unpackOutputs([packed]);
    const wanted = Array.from({ length: chunks }, (_, chunk) => keys.stateOutputs(workspace, id, chunk));
    const items = await database.getAll(wanted, true);
    if (items.length < chunks) throw unavailable('The outputs are not to be read now. Try again shortly.');
    const inOrder = items.toSorted((a, b) => (String(a['sk']) < String(b['sk']) ? -1 : 1));
    return unpackOutputs(inOrder.map((item) => item['packed'] as Uint8Array));
  },
});

export type StateVersions = ReturnType<typeof openStateVersions>;
