import { afterAll, beforeAll, expect, it } from 'vitest';
import { countCalls } from '../../bench/measure-operations.ts';
import { operations } from '../../bench/operations.ts';
import { createTestbed, type Organization, type Testbed } from '../../bench/testbed.ts';
import { type CountingProxy, startCountingProxy } from '../../support/faults/counting-proxy.ts';

let testbed: Testbed;
let organization: Organization;
let proxy: CountingProxy;
beforeAll(async () => {
  testbed = await createTestbed([100]);
  [organization] = testbed.organizations as [Organization];
  proxy = await startCountingProxy(testbed.service.engineEndpoint);
});
afterAll(async () => {
  await proxy?.stop();
  await testbed?.stop();
});

it.each(operations)('$name makes exactly the calls of its floor when the caller is cached', async (operation) => {
  const counted = await countCalls({ testbed, organization, operation, proxy }, 4);
  const floor = operation.floor({ testbed, organization, turn: 0 });
  expect(counted.rounds).toBe(floor.length);
  expect(counted.calls).toBe(floor.flat().length);
});
