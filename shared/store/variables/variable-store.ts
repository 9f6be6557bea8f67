import { notFound } from '../../domain/errors.ts';
import {
  variableCreated,
  variableDeleted,
  variableUpdated,
  variableVerified,
} from '../../domain/transitions/relationships/change-variables.ts';
import type { RequestContext } from '../../domain/transitions/transition.ts';
import { keyTaken, type Variable, VariableChanged } from '../../domain/workspace/variable.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys, prefixes, variablePartition } from '../dynamodb/keys.ts';
import { placeOf, variableChange, variableCreation, variableDeletion, variableOf } from '../items/variable-items.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';
import { createVariableReader, variableBusy } from './read-variable.ts';

/** Part of a list: from one position up to, but not including, another. */
interface Range {
  readonly from: number;
  readonly to: number;
}

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
          if (image?.['gone'] !== undefined && !isInDoubt) throw notFound();
        },
      });
      return variable;
    },

    /**
     * Replaces a variable, under the same key or another.
     * @throws DomainError 422 when the key is taken; VariableChanged.
     */
    update: async (workspace: Workspace, from: Variable, to: Variable, request: RequestContext): Promise<void> => {
      const writes = variableChange(from, to);
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
          if (image?.['gone'] === undefined || image['request'] !== request.id) throw new VariableChanged();
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
