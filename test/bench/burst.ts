import { keys, listPartition, sortableTime } from '../../shared/store/dynamodb/keys.ts';
import { openServiceTable } from '../support/local/running-service.ts';
import { eventFor } from './measure-operations.ts';
import { type Percentiles, percentilesOf } from './statistics.ts';
import type { Organization, Testbed } from './testbed.ts';

/** Durations of lists of one instance without changes, and directly after many concurrent changes. */
export interface BurstMeasure {
  readonly size: number;
  readonly changes: number;
  readonly lists: number;
  readonly quiet: Percentiles;
  readonly after: Percentiles;
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

export const measureBurst = async (
  testbed: Testbed,
  organization: Organization,
  changes: number,
): Promise<BurstMeasure> => {
  const subject = await testbed.start('workspace-list');
  const list = async (count: number): Promise<number[]> => {
    const times: number[] = [];
    for (let index = 0; index < count; index++) {
      const request = { routeId: 'workspaces.list', parameters: { organization_name: organization.name } } as const;
      const { answer, took } = await subject.invoke(
        eventFor({ ...request, query: 'sort=-latest-change-at' }, testbed.token),
      );
      if (answer.statusCode !== 200) throw new Error(`The list answered ${answer.statusCode}: ${answer.body}`);
      times.push(took);
    }
    return times;
  };
  await list(50);
  const quiet = percentilesOf(await list(LISTS));
  await changeMany(testbed, organization, changes);
  const after = percentilesOf(await list(LISTS));
  subject.end();
  return { size: organization.size, changes, lists: LISTS, quiet, after };
};
