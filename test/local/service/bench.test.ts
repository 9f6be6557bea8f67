import { afterAll, beforeAll, expect, it } from 'vitest';
import { countCalls } from '../../bench/measure-operations.ts';
import { operations } from '../../bench/operations.ts';
import { makeWorld, type Organization, type World } from '../../bench/world.ts';
import { type CountingProxy, startCountingProxy } from '../../support/faults/counting-proxy.ts';

let world: World;
let organization: Organization;
let proxy: CountingProxy;
beforeAll(async () => {
  world = await makeWorld([100]);
  [organization] = world.organizations as [Organization];
  proxy = await startCountingProxy(world.service.engineEndpoint);
});
afterAll(async () => {
  await proxy?.stop();
  await world?.stop();
});

it.each(operations)('$name makes exactly the calls of its floor when the caller is cached', async (operation) => {
  const counted = await countCalls({ world, organization, operation, proxy }, 4);
  const floor = operation.floor({ world, organization, turn: 0 });
  expect(counted.rounds).toBe(floor.length);
  expect(counted.calls).toBe(floor.flat().length);
});
