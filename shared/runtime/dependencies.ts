import { editions, type Features } from '../domain/editions.ts';
import { createLogger, type Logger } from '../logging/log.ts';
import { createMeter, type Meter } from '../logging/meter.ts';
import { type Database, openDatabase } from '../store/dynamodb/database.ts';
import type { Snapshots } from '../store/list-index/list-index-store.ts';
import { type ListStore, openStore, type Store, withListIndexes } from '../store/store.ts';
import { type FunctionName, readEnvironment, type Variables } from './environment.ts';

/** Dependencies of every operation, created once for each instance of a function. */
export interface Dependencies {
  readonly store: Store;
  /** The database that the store uses, for writes that only some functions carry. */
  readonly database: Database;
  /** Features of the deployed edition. */
  readonly features: Features;
  readonly logger: Logger;
  readonly meter: Meter;
}

/** Dependencies of operations that use the list index of an organization. */
export interface ListDependencies extends Dependencies {
  readonly store: ListStore;
}

/** Names of the functions that serve endpoints and use the table: those with the environment variables for that. */
type EndpointFunction = {
  [F in FunctionName]: Variables<F> extends Variables<'runs'> ? F : never;
}[FunctionName];

/**
 * Functions that cache no organizations and projects: those that change them, so that their responses show the change, and
 * the function that deletes workspaces, so that it finds their deletion protection (DEL-15).
 */
const uncached: readonly EndpointFunction[] = [
  ...(['organizations', 'sign-in', 'projects', 'teams', 'integrations'] as const),
  ...(['data-retention-policy', 'workspace-deletion'] as const),
];

/**
 * Creates the dependencies of a function from its environment, once, when an instance starts.
 * @throws Error naming an environment variable that is missing.
 * @example
 * export const handler = createHandler('runs', runOperations, openDependencies('runs'));
 */
export const openDependencies = (name: EndpointFunction): Dependencies => {
  const { TABLE_NAME, CALLER_CACHE_SECONDS, SIGN_IN_FRESHNESS_DAYS, ORGANIZATION_CACHE_MILLISECONDS, EDITION } =
    readEnvironment(name);
  const meter = createMeter();
  const logger = createLogger(name);
  const database = openDatabase({ tableName: TABLE_NAME, onCall: meter.count });
  return {
    store: openStore(database, {
      cacheSeconds: CALLER_CACHE_SECONDS,
      freshnessDays: SIGN_IN_FRESHNESS_DAYS,
      organizationMilliseconds: uncached.includes(name) ? 0 : ORGANIZATION_CACHE_MILLISECONDS,
    }),
    database,
    features: editions[EDITION],
    logger,
    meter,
  };
};

/**
 * Creates the dependencies of a function that keeps list indexes in memory.
 * @param snapshotsOf opens the snapshots of large list indexes.
 */
export const openListDependencies = (
  name: EndpointFunction,
  snapshotsOf?: (logger: Logger) => Snapshots,
): ListDependencies => {
  const dependencies = openDependencies(name);
  const { store, database, logger } = dependencies;
  return { ...dependencies, store: withListIndexes(store, database, snapshotsOf?.(logger)) };
};
