import { editions, type Features } from '../domain/editions.ts';
import { createLogger, type Logger } from '../logging/log.ts';
import { createMeter, type Meter } from '../logging/meter.ts';
import { type Database, openDatabase } from '../store/dynamodb/database.ts';
import type { Snapshots } from '../store/list-index/list-index-store.ts';
import { openStore, type Store } from '../store/store.ts';
import { type FunctionName, readEnvironment, type Variables } from './environment.ts';

/** What every operation works with. */
export interface Services {
  readonly store: Store;
  /** What the store is opened on, for writes that not every function carries. */
  readonly database: Database;
  /** Of the edition that is deployed. */
  readonly features: Features;
  readonly logger: Logger;
  readonly meter: Meter;
}

/** The functions behind the endpoints that read and write the table: those that are told what such a one needs. */
type EndpointFunction = {
  [F in FunctionName]: Variables<F> extends Variables<'runs'> ? F : never;
}[FunctionName];

/** Functions that change organizations and projects: what they answer is what was just changed. */
const changing: readonly EndpointFunction[] = [
  ...(['organizations', 'projects', 'teams', 'integrations'] as const),
  'data-retention-policy',
];

/**
 * Opens a function's services from its environment, once, at its start.
 * @param snapshotsOf for functions that keep an organization's rows in memory.
 */
export const openServices = (name: EndpointFunction, snapshotsOf?: (logger: Logger) => Snapshots): Services => {
  const { TABLE_NAME, CALLER_CACHE_SECONDS, ORGANIZATION_CACHE_MILLISECONDS, EDITION } = readEnvironment(name);
  const meter = createMeter();
  const logger = createLogger(name);
  const database = openDatabase({ tableName: TABLE_NAME, onCall: meter.count });
  return {
    store: openStore(database, {
      cacheSeconds: CALLER_CACHE_SECONDS,
      organizationMilliseconds: changing.includes(name) ? 0 : ORGANIZATION_CACHE_MILLISECONDS,
      snapshots: snapshotsOf?.(logger),
    }),
    database,
    features: editions[EDITION],
    logger,
    meter,
  };
};
