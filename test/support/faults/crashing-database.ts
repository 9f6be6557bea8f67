import type { Database } from '../../../shared/store/dynamodb/database.ts';

/**
 * Opens a database that crashes the function before or after one of its writes.
 * @param at number of the write, from 1.
 */
export const crashing = (database: Database, at: number, when: 'before' | 'after'): Database => {
  let writes = 0;
  const crash =
    <A extends readonly unknown[], R>(send: (...parameters: A) => Promise<R>) =>
    async (...parameters: A): Promise<R> => {
      writes += 1;
      if (writes === at && when === 'before') throw new Error('The function crashed');
      const result = await send(...parameters);
      if (writes === at) throw new Error('The function crashed');
      return result;
    };
  return { ...database, write: crash(database.write), transact: crash(database.transact) };
};
