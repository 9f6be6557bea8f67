import { notFound, unavailable } from '../../domain/errors.ts';
import {
  variableCreated,
  variableDeleted,
  variableUpdated,
  variableVerified,
} from '../../domain/transitions/relationships/change-variables.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import {
  keyTaken,
  ownerId,
  type Variable,
  VariableChanged,
  type VariableOwner,
} from '../../domain/workspace/variable.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys, NOTHING, prefixes, variablePartition } from '../dynamodb/keys.ts';
import {
  deletedBy,
  placeOf,
  variableChange,
  variableCreation,
  variableDeletion,
  variableOf,
} from '../items/variable-items.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';

/** Part of a list: from one position up to, but not including, another. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Number of attempts to read a variable that moves from key to key. */
const READS = 6;

const variableBusy = () => unavailable('The variable is busy. Try again shortly.');

/**
 * Creates the function that reads the variable of a location with strong consistency, even if it has moved. It returns
 * undefined if the variable was deleted. Without a location it reads an item that does not exist (PERM-21).
 * @param findPlace returns the location of a variable by its id.
 */
export const createVariableReader =
  <P extends VariableOwner & Pick<Variable, 'id' | 'category' | 'key'>>(
    database: Database,
    findPlace: (id: string) => Promise<P | undefined>,
  ) =>
  async (first: P | undefined): Promise<Variable | undefined> => {
    if (first === undefined) return void (await database.get(NOTHING, true));
    let place = first;
    const readOnce = async () => {
      const item = await database.get(keys.variable(ownerId(place), place.category, place.key), true);
      if (item?.['id'] === place.id) return variableOf(item);
      // The variable was moved or deleted between the two reads.
      const next = await findPlace(place.id);
      if (next === undefined) return undefined;
      place = next;
      return tryAgain;
    };
    return retry(readOnce, { attempts: READS, exhausted: variableBusy });
  };

/** An attempt without a response may still be applied once the key is free, so it cannot be reported as rejected. */
const keyRejection = (isInDoubt: boolean) => (isInDoubt ? variableBusy() : keyTaken());

/** Opens the reads and writes of workspace variables. */
export const openVariables = (database: Database, { apply }: Pick<Workspaces, 'apply'>, clock: Clock) => {
  const findPlace = async (id: string) => placeOf(await database.get(keys.pointer(id), true));

  const find = createVariableReader(database, findPlace);

  return {
    /** Returns the location of a variable by its id; undefined if it does not exist or was deleted. */
    findPlace,
    /** Returns the variable of a location, even if it has moved; undefined if it was deleted. */
    find,

    /** Returns the id of the variable of a workspace or variable set that has a key; undefined if there is none. */
    findByKey: async (owner: string, category: string, key: string): Promise<string | undefined> => {
      const item = await database.get(keys.variable(owner, category, key), true);
      return item && String(item['id']);
    },

    /**
     * Returns the variables of a workspace or of a variable set, or a part of them, in the order of category and key.
     * @param owner id of the workspace or variable set.
     * @param onEach called for each variable before the next is read; it may throw to limit their number.
     */
    list: async (
      owner: string,
      { from, to }: Range = { from: 0, to: Number.POSITIVE_INFINITY },
      onEach?: (variable: Variable) => void,
    ): Promise<readonly Variable[]> => {
      const partition = variablePartition(owner);
      const found: Variable[] = [];
      let position = 0;
      for await (const page of database.pages({ partition, beginsWith: prefixes.variables, consistent: true })) {
        for (const item of page.slice(Math.max(0, from - position), to - position)) {
          const variable = variableOf(item);
          onEach?.(variable);
          found.push(variable);
        }
        position += page.length;
        if (position >= to) break;
      }
      return found;
    },

    /**
     * Creates a variable.
     * @returns the variable; its present state if an earlier attempt of the request created it.
     * @throws DomainError 422 if the key is taken or the limit is reached; 404 if the workspace is deleted, or the variable
     *   of an earlier attempt.
     */
    create: async (workspace: Workspace, variable: Variable, request: RequestContext): Promise<Variable> => {
      if (request.attempt === 'resumed') {
        const place = await findPlace(variable.id);
        const earlier = place && (await find(place));
        if (earlier !== undefined) return earlier;
      }
      const writes = variableCreation(variable, workspace);
      await apply(workspace, variableCreated(request, variable), request, {
        writes,
        rejected: async (place, image, isInDoubt) => {
          if (place > 0) throw keyRejection(isInDoubt);
          // An earlier attempt of this request wrote the pointer: its response was lost, or the variable was deleted since.
          if (deletedBy(image) !== undefined && !isInDoubt) throw notFound();
        },
      });
      return variable;
    },

    /**
     * Replaces a variable, under the same key or another.
     * @throws DomainError 422 when the key is taken; VariableChanged.
     */
    update: async (workspace: Workspace, from: Variable, to: Variable, request: RequestContext): Promise<void> => {
      const writes = variableChange(from, to, workspace.organization);
      await apply(workspace, variableUpdated(request, from, to), request, {
        writes,
        rejected: async (place, _, isInDoubt) => {
          const at = await findPlace(to.id);
          const current = at && (await find(at));
          if (current?.version === to.version) return;
          if (current?.version === from.version && writes.length > 1 && place === writes.length - 1)
            throw keyRejection(isInDoubt);
          // The write may have been applied and then overwritten or deleted. The outcome is unknown.
          throw isInDoubt ? variableBusy() : new VariableChanged();
        },
      });
    },

    /** @throws VariableChanged */
    delete: async (workspace: Workspace, variable: Variable, request: RequestContext): Promise<void> => {
      await apply(workspace, variableDeleted(request, variable), request, {
        writes: variableDeletion(variable, request.id, clock()),
        rejected: async (_, image) => {
          if (deletedBy(image) !== request.id) throw new VariableChanged();
        },
      });
    },

    /** Records that a value was verified against a variable, and whether it matched. */
    recordVerification: async (
      workspace: Workspace,
      variable: Variable,
      matches: boolean,
      request: RequestContext,
    ): Promise<void> => {
      await apply(workspace, variableVerified(request, variable, matches), request);
    },
  };
};
