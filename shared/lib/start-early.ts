/**
 * Marks work as started before it is known whether its result is needed. Its rejection is ignored until it is awaited:
 * without this, a request that ends before that would end the process with an unhandled rejection.
 * @param work a promise that is under way.
 * @returns the same promise; awaiting it throws as usual.
 * @example
 * const read = startEarly(store.teams.find(id, false)); // runs during the reads of authorization
 * const access = await authorizeWorkspace(store, digest, target, 'team-access.manage');
 * const team = await read; // throws here, if it failed
 */
export const startEarly = <P extends Promise<unknown>>(work: P): P => {
  work.catch(() => undefined);
  return work;
};
