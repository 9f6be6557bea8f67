import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Replay, replays } from '../../../shared/http/idempotency/replays.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { render } from '../../../shared/store/dynamodb/expressions.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import type { ApiResponse } from '../../support/api/api.ts';
import type { Group, Trial } from '../../support/matrix/matrix.ts';
import { callers } from '../../support/matrix/matrix-callers.ts';
import { groups } from '../../support/matrix/matrix-groups.ts';
import { type Caller, type Request, startTestbeds, type Testbed, type Testbeds } from '../../support/matrix/testbed.ts';
import { type Change, type Changes, watchChanges } from '../../support/models/changes.ts';

/**
 * Sends every operation that changes something three times with one key, with the requests of the permission matrix: the
 * second time after the first response, the third time as if the first attempt had crashed before it stored its response.
 */
const senders = callers.filter(({ name }) => ['an owner', 'a site administrator'].includes(name));
const ruleOf = (route: RouteId) => (replays as Partial<Record<RouteId, Replay | 'again'>>)[route];
const replayOf = (route: RouteId) => ruleOf(route) as Replay | undefined;
const isWriting = (route: RouteId) => routes[route].method !== 'GET' && ruleOf(route) !== 'again';
const repeated = new Set<RouteId>();
let testbeds: Testbeds;
let count = 0;

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

/** Removes the stored response of a request, as if its function had crashed more than 30 seconds ago. */
const forgetResponse = async ({ api }: Testbed, token: string, key: string): Promise<void> => {
  const id = createHmac('sha256', token).update(`key\n${key}\n`).digest('base64url');
  const change = { set: { until: 0 }, remove: ['answer'] };
  await api.engine.database.write({ kind: 'update', key: keys.command('token', id), ...render({ change }) });
};

/** Returns whether what a deletion has deleted can be missing for another reason: it is named by its name, or in the body. */
const hasOtherReasons = (route: RouteId): boolean => {
  const { path, ...others } = routes[route];
  return path.includes('{name}') || 'body' in others;
};

/** Asserts that a resumed request found what the first attempt had written, and wrote nothing more. */
const expectResumed = (route: RouteId, first: ApiResponse, resumed: ApiResponse, changes: readonly Change[]): void => {
  // The write of an equal default policy only confirms what was read. DynamoDB does not report it to the stream.
  const confirms = route.startsWith('default-retention-policies.');
  const written = changes.filter(({ pk }) => !pk.startsWith('CMD#') && !(confirms && pk.startsWith('ORG#')));
  expect.soft(written, `${route} wrote something when it was resumed`).toEqual([]);
  if (replayOf(route)?.creates === 'token' && first.status < 300) {
    expect.soft(resumed.body.errors?.[0].meta, route).toEqual({ id: first.body.data.id });
    return;
  }
  const isTargetGone = first.status === 204 && resumed.status === 404 && hasOtherReasons(route);
  if (!isTargetGone) expect.soft(resumed.status, `${route} ${JSON.stringify(resumed.body)}`).toBe(first.status);
  if (first.status === 201) expect.soft(resumed.body.data.id, route).toBe(first.body.data.id);
};

const sendThreeTimes = async (
  { testbed, changes, route, caller }: { testbed: Testbed; changes: Changes; route: RouteId; caller: Caller },
  request: Request,
): Promise<ApiResponse> => {
  const key = `key ${++count}`;
  const keyed = { ...request, headers: { 'idempotency-key': `"${key}"` } };
  const first = await testbed.call(route, caller.token, keyed);
  // A dry run changes nothing, so the key has no effect on it.
  if ([401, 404].includes(first.status) || request.query?.includes('dry-run')) return first;
  await changes.skip();
  const second = await testbed.call(route, caller.token, keyed);
  expect(await changes.sinceLast(), `${route} wrote something when it was repeated`).toEqual([]);
  expectRepeated(route, first, second);
  await forgetResponse(testbed, caller.token ?? '', key);
  await changes.skip();
  const resumed = await testbed.call(route, caller.token, keyed);
  expectResumed(route, first, resumed, await changes.sinceLast());
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
              sendThreeTimes({ testbed, changes, route, caller }, { subject, ...request });
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
