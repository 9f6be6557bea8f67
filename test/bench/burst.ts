import { keys, listPartition, sortableTime } from '../../shared/store/dynamodb/keys.ts';
import type { Invoked } from '../support/local/function-process.ts';
import { openServiceTable } from '../support/local/running-service.ts';
import { eventFor } from './measure-operations.ts';
import { type Percentiles, percentilesOf } from './statistics.ts';
import type { Organization, Testbed } from './testbed.ts';

/** Durations of many lists, and the CPU times of the thread that handled them. */
export interface ListTimes extends Percentiles {
  readonly computing: Percentiles;
  /** Shares of the duration of the slowest hundredth: computing, and waiting for a processor. */
  readonly slowest: { readonly computing: number; readonly waiting: number };
}

/** Lists of one instance without changes, and directly after many concurrent changes. */
export interface BurstMeasure {
  readonly size: number;
  readonly changes: number;
  readonly lists: number;
  readonly quiet: ListTimes;
  readonly after: ListTimes;
}

const LISTS = 1_000;
const LANES = 8;

/** Changes listed attributes of many workspaces of an organization as fast as the engine allows. */
const changeMany = async (testbed: Testbed, organization: Organization, changes: number): Promise<void> => {
  const database = openServiceTable(testbed.service.engineEndpoint, testbed.tableName);
  const partition = listPartition.workspaces(organization.name, 0);
  const { items } = await database.page({ index: 'list', partition, limit: changes });
  const left = items.filter(({ ty }) => ty === 'workspace').map(({ id }) => String(id));
  const lane = async (): Promise<void> => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      await database.write({
        kind: 'update',
        key: keys.workspace(id),
        UpdateExpression: 'SET #la = :now, #lk = :lk',
        ExpressionAttributeNames: { '#la': 'la', '#lk': 'lk' },
        ExpressionAttributeValues: { ':now': Date.now(), ':lk': sortableTime(Date.now()) },
      });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
};

/**
 * Sends a request to the local service twice a second. The changes and the lists do not go through the service, so it would
 * read their stream up to ten seconds later, and the engine would be busy with deliveries in the middle of the lists.
 * @returns a function that ends the requests.
 */
const keepInUse = ({ service }: Testbed): (() => void) => {
  const timer = setInterval(() => void fetch(`${service.baseUrl}/ping`).catch(() => undefined), 500);
  return () => clearInterval(timer);
};

const timesOf = (lists: readonly Invoked[]): ListTimes => {
  const slowest = lists.toSorted((one, other) => other.took - one.took).slice(0, lists.length / 100);
  const sum = (time: 'took' | 'ran' | 'waited'): number => slowest.reduce((total, list) => total + list[time], 0);
  return {
    ...percentilesOf(lists.map(({ took }) => took)),
    computing: percentilesOf(lists.map(({ ran }) => ran)),
    slowest: { computing: sum('ran') / sum('took'), waiting: sum('waited') / sum('took') },
  };
};

export const measureBurst = async (
  testbed: Testbed,
  organization: Organization,
  changes: number,
): Promise<BurstMeasure> => {
  const subject = await testbed.start('workspace-list');
  const list = async (count: number): Promise<Invoked[]> => {
    const lists: Invoked[] = [];
    for (let index = 0; index < count; index++) {
      const request = { routeId: 'workspaces.list', parameters: { organization_name: organization.name } } as const;
      const invoked = await subject.invoke(eventFor({ ...request, query: 'sort=-latest-change-at' }, testbed.token));
      const { statusCode, body } = invoked.answer;
      if (statusCode !== 200) throw new Error(`The list returned ${statusCode}: ${body}`);
      lists.push(invoked);
    }
    return lists;
  };
  const stopRequests = keepInUse(testbed);
  await list(50);
  const quiet = timesOf(await list(LISTS));
  await changeMany(testbed, organization, changes);
  const after = timesOf(await list(LISTS));
  stopRequests();
  subject.end();
  return { size: organization.size, changes, lists: LISTS, quiet, after };
};
