import { afterAll, beforeAll, expect, it } from 'vitest';
import { countCalls, startFloor } from '../../bench/measure-operations.ts';
import { operations } from '../../bench/operations.ts';
import type { Spare } from '../../bench/planned-writes.ts';
import { createTestbed, type Organization, type Testbed } from '../../bench/testbed.ts';
import { type Count, type CountingProxy, startCountingProxy } from '../../support/faults/counting-proxy.ts';
import type { FunctionProcess } from '../../support/local/function-process.ts';

let testbed: Testbed;
let organization: Organization;
let proxy: CountingProxy;
let floor: FunctionProcess;
let spare: Spare;
beforeAll(async () => {
  testbed = await createTestbed([100]);
  [organization] = testbed.organizations as [Organization];
  proxy = await startCountingProxy(testbed.service.engineEndpoint);
  floor = await startFloor(testbed, { endpoint: proxy.endpoint });
  spare = await testbed.createSpare(organization);
});
afterAll(async () => {
  floor?.end();
  await proxy?.stop();
  await testbed?.stop();
});

/** Lists the requests without their texts and numbers. Parallel ones have no order, so shorter ones come first. */
const formsOf = ({ operations: names, bodies }: Count): unknown[] =>
  bodies
    .map((body) => JSON.parse(body, (name, value) => (['S', 'N', 'ClientRequestToken'].includes(name) ? 'any' : value)))
    .map((form, call) => ({ operation: names[call], ...form }))
    .sort((one, other) => JSON.stringify(one).length - JSON.stringify(other).length);

it.each(operations)('$name makes exactly its bare calls when the caller is cached', async (operation) => {
  const counted = await countCalls({ testbed, organization, operation, proxy }, 4);
  const place = { tableName: testbed.tableName, spare, organization, turn: 0 };
  const makeBareCalls = () => floor.invoke({ rounds: operation.floor(place) });
  // The third of four is counted, as for the operation: two lock a workspace, and two unlock it.
  await makeBareCalls();
  await makeBareCalls();
  const { count: bare } = await proxy.count(makeBareCalls);
  await makeBareCalls();
  for (const count of ['rounds', 'calls', 'readUnits', 'writeUnits'] as const) expect(counted[count]).toBe(bare[count]);
  expect(formsOf(counted)).toEqual(formsOf(bare));
});
