import { now } from '../../../shared/lib/clock.ts';
import { readEnvironment } from '../../../shared/runtime/environment.ts';
import { openHubStore } from '../../../shared/store/hub/hub-store.ts';
import { createHandler } from './handler.ts';

const { HUB_TABLE_NAME } = readEnvironment('hub-reader');

/** Lambda handler of queries to the hub. Only IAM authorizes it. */
export const handler = createHandler(openHubStore({ tableName: HUB_TABLE_NAME }, now), now);
