import { absent, all, equals } from '../../domain/changes/conditions.ts';
import { isNotFound, unavailable } from '../../domain/errors.ts';
import type {
  BackingData,
  StateContent,
  StateOutput,
  StateVersion,
} from '../../domain/state-versions/state-version.ts';
import { backingDataChanges, changeBackingData } from '../../domain/transitions/state-versions/change-backing-data.ts';
import { createStateVersion } from '../../domain/transitions/state-versions/create-state-version.ts';
import { finalizeStateVersion, NotPending } from '../../domain/transitions/state-versions/finalize-state-version.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { newId } from '../../lib/random.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { persistWrite } from '../dynamodb/retry-writes.ts';
import { keyOf, remove, update } from '../items/item-write.ts';
import { backingDataWrite, packOutputs, stateVersionCreation } from '../items/state-version-items.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';
import { dependantsWrite } from './state-dependants.ts';
import type { StateVersions } from './state-version-reader.ts';

/** Number of ids to try. Only the first 64 bits of an id must be unique. */
const ATTEMPTS = 3;

/** Opens the writes of state versions. */
export const openStateVersionChanges = (
  database: Database,
  { apply }: Pick<Workspaces, 'apply'>,
  { findPlace, find }: Pick<StateVersions, 'findPlace' | 'find'>,
  clock: Clock,
) => {
  const again = ({ workspace, id, createdAt: at }: StateVersion) => find({ workspace, id, at });

  return {
    /**
     * Creates a pending state version under a new id, or returns the version that an earlier attempt of the request created.
     * @throws DomainError 409, 412; StatePending if the content of the previous version must be looked for first.
     */
    createStateVersion: async (
      workspace: Workspace,
      draft: Omit<StateVersion, 'id'>,
      request: RequestContext,
      options: { readonly force: boolean; readonly checkedId?: string | undefined },
    ): Promise<StateVersion> => {
      const createOnce = async (attempt: number) => {
        const id = newId('stateVersion', request, String(attempt));
        const place = request.attempt === 'resumed' ? await findPlace(id) : undefined;
        const earlier = place?.id === id ? await find(place) : undefined;
        if (earlier !== undefined) return earlier;
        const version: StateVersion = { id, ...draft };
        let isTaken = false;
        await apply(workspace, createStateVersion(request, version, options), request, {
          writes: stateVersionCreation(version, workspace),
          rejected: async (_, image) => {
            // An earlier attempt whose response was lost, or another id with the same first bits.
            isTaken = image?.['id'] !== version.id;
          },
        });
        return isTaken ? tryAgain : version;
      };
      return retry(createOnce, {
        attempts: ATTEMPTS,
        exhausted: () => unavailable('No id for the state version was free. Try again shortly.'),
      });
    },

    /**
     * Finalizes a version with its content.
     * @returns the version after the write: finalized, or discarded by a newer one; undefined if the workspace is
     *   deleted.
     */
    finalizeStateVersion: async (
      workspace: Workspace,
      version: StateVersion,
      {
        outputs: all,
        ...content
      }: Omit<StateContent, 'outputs'> & { readonly outputs: readonly StateOutput[] | undefined },
      request: RequestContext,
    ): Promise<StateVersion | undefined> => {
      const { outputs, items } = all === undefined ? { outputs: { count: -1 }, items: [] } : packOutputs(version, all);
      const read = { ...content, outputs };
      await Promise.all(
        items.map((item) => persistWrite('state', { database, clock }, { kind: 'put', key: keyOf(item), item })),
      );
      try {
        const { change } = await apply(workspace, finalizeStateVersion(version, read), request);
        const isOwn = change.request === request.id && change.type === 'workspace.state-version-finalized';
        // Another request has read the content too, and possibly another version of its object.
        return isOwn ? { ...version, status: 'finalized', content: read } : again(version);
      } catch (error) {
        if (error instanceof NotPending) return again(version);
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },

    /**
     * Changes the status of the backing data of a version (STATE-22). After a permanent deletion, the cleanup function
     * removes the stored objects.
     * @returns the version after the change.
     * @throws DomainError 409 if the version is needed, or changes at the same time.
     */
    changeBackingData: async (
      workspace: Workspace,
      version: StateVersion,
      to: BackingData,
      request: RequestContext,
    ): Promise<StateVersion> => {
      const { chunks = 0 } = version.content?.outputs ?? {};
      const removal: readonly Write[] = [
        ...Array.from({ length: chunks }, (_, chunk) =>
          remove(keys.stateOutputs(version.workspace, version.id, chunk)),
        ),
        dependantsWrite(version, clock()),
      ];
      await apply(workspace, changeBackingData(request, version, to), request, {
        writes: [backingDataWrite(version, to), ...(to === 'deleted' ? removal : [])],
        rejected: async (_place, _image, isInDoubt) => {
          // While an earlier attempt is in doubt, that attempt may have changed the version.
          if (!isInDoubt) throw backingDataChanges();
        },
      });
      return (await again(version)) ?? version;
    },

    /** Records the object version of the JSON state. The first recorded one is kept. @returns the recorded one. */
    pinJsonObject: async (version: StateVersion, object: string): Promise<string> => {
      const key = keys.stateVersion(version.workspace, version.createdAt, version.id);
      const condition = all(equals('id', version.id), absent('jsonObject'));
      try {
        const write = update(key, { set: { jsonObject: object } }, condition);
        await persistWrite('state version', { database, clock }, write);
        return object;
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        return String(error.image?.['jsonObject'] ?? '');
      }
    },
  };
};

export type StateVersionChanges = ReturnType<typeof openStateVersionChanges>;
