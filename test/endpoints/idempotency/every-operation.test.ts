import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Replay, replays } from '../../../shared/http/idempotency/replays.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import type { ApiResponse } from '../../support/api/api.ts';
import type { Group, Trial } from '../../support/matrix/matrix.ts';
import { callers } from '../../support/matrix/matrix-callers.ts';
import { groups } from '../../support/matrix/matrix-groups.ts';
import { type Caller, type Request, startTestbeds, type Testbed, type Testbeds } from '../../support/matrix/testbed.ts';
import { type Changes, watchChanges } from '../../support/models/changes.ts';

/** Sends every operation that changes something twice with one key, with the requests of the permission matrix. */
const senders = callers.filter(({ name }) => ['an owner', 'a site administrator'].includes(name));
const ruleOf = (route: RouteId) => (replays as Partial<Record<RouteId, Replay | 'again'>>)[route];
const replayOf = (route: RouteId) => ruleOf(route) as Replay | undefined;
const isWriting = (route: RouteId) => routes[route].method !== 'GET' && ruleOf(route) !== 'again';
const repeated = new Set<RouteId>();
let testbeds: Testbeds;
let keys = 0;

beforeAll(async () => {
  testbeds = await startTestbeds(senders);
});
afterAll(() => testbeds.stop());

/** Asserts that the second response is that of the reference (HTTP-39, HTTP-40). */
const expectRepeated = (route: RouteId, first: ApiResponse, second: ApiResponse): void => {
  const { secret }: Partial<Replay> = replayOf(route) ?? {};
  if (secret !== undefined && first.status < 300 && first.body.data.attributes[secret] !== null) {
    expect(second.status, route).toBe(409);
    expect(second.body.errors[0].meta, route).toEqual({ id: first.body.data.id });
    return;
  }
  expect(second.status, `${route} ${JSON.stringify(second.body)}`).toBe(first.status);
  expect(second.body, route).toEqual(first.body);
};

const sendTwice = async (
  { testbed, changes, route, caller }: { testbed: Testbed; changes: Changes; route: RouteId; caller: Caller },
  request: Request,
): Promise<ApiResponse> => {
  const keyed = { ...request, headers: { 'idempotency-key': `"key ${++keys}"` } };
  const first = await testbed.call(route, caller.token, keyed);
  // A dry run changes nothing, so the key has no effect on it.
  if ([401, 404].includes(first.status) || request.query?.includes('dry-run')) return first;
  await changes.skip();
  const second = await testbed.call(route, caller.token, keyed);
  expect(await changes.sinceLast(), `${route} wrote something when it was repeated`).toEqual([]);
  expectRepeated(route, first, second);
  repeated.add(route);
  return first;
};

describe.each(groups.filter(({ columns }) => Object.values(columns).some((column) => column.routes.some(isWriting))))(
  'a repeated request of the group $name',
  (group: Group) => {
    it('gets the first response, built from the present record, and writes nothing', async () => {
      const testbed = await testbeds.open();
      const changes = await watchChanges(testbed.api.engine);
      const fixture = await group.prepare?.(testbed);
      for (const column of Object.values(group.columns)) {
        for (const route of column.routes.filter(isWriting)) {
          for (const caller of testbed.callers) {
            const subject = await testbed.workspaceFor(caller);
            const send = (request: Request = {}) =>
              sendTwice({ testbed, changes, route, caller }, { subject, ...request });
            const trial: Trial = { testbed, caller, route, fixture, subject, send };
            await (column.attempt === undefined ? send() : column.attempt(trial));
          }
        }
      }
      await testbed.stop();
    });
  },
);

it('covers every route that changes something', () => {
  expect(routeIds.filter((route) => isWriting(route) && !repeated.has(route))).toEqual([]);
});
