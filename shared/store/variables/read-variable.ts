import { unavailable } from '../../domain/errors.ts';
import { ownerId, type Variable, type VariableOwner } from '../../domain/workspace/variable.ts';
import { retry, tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys, NOTHING } from '../dynamodb/keys.ts';
import { variableOf } from '../items/variable-items.ts';

/** Number of attempts to read a variable that moves from key to key. */
const READS = 6;

/** Creates the 503 error for a variable that other requests change. */
export const variableBusy = () => unavailable('The variable is busy. Try again shortly.');

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
    return retry(readOnce, {
      attempts: READS,
      exhausted: variableBusy,
    });
  };
