import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import type { ApiResponse } from '../api/api.ts';
import { expectRejection, UNAUTHORIZED } from '../models/arbitraries/arbitraries-checks.ts';
import { type Changes, watchChanges } from '../models/changes.ts';
import { type Cell, type Column, expectedCells, type Group, type Trial } from './matrix.ts';
import { expectedPermissions, type Family, families, isMember } from './matrix-callers.ts';
import { groups } from './matrix-groups.ts';
import { type Caller, type Request, startTestbeds, type Testbed, type Testbeds } from './testbed.ts';

/** Defines the tests in which each caller of a family sends the requests of every group and gets the expected responses. */
export const describeMatrix = (family: Family): void => {
  let asserted = 0;
  let testbeds: Testbeds;
  beforeAll(async () => {
    testbeds = await startTestbeds(families[family], { cacheReads: true });
  });
  afterAll(async () => {
    await testbeds.stop();
    console.info(`Permission matrix, ${family}: ${asserted} cells asserted`);
  });

  describe.each(groups)('permission matrix of $name', (group) => {
    let testbed: Testbed;
    let rejections: Rejections;
    let fixture: unknown;

    // Each group has its own testbed, so that its changes cannot affect another group.
    beforeAll(async () => {
      testbed = await testbeds.open();
      fixture = await group.prepare?.(testbed);
      rejections = createRejections(testbed, await watchChanges(testbed.api.engine));
      testbed.checkBeforeWrites(rejections.check);
    });
    afterAll(() => testbed.stop());

    const expectCells = async (name: string, isTried: (column: Column) => boolean): Promise<void> => {
      const caller = testbed.callers.find((one) => one.name === name) as Caller;
      const expected = expectedCells(group, caller);
      const [wanted, got]: Record<string, Cell>[] = [{}, {}];
      for (const [title, column] of Object.entries(group.columns).filter(([, one]) => isTried(one))) {
        for (const route of column.routes) {
          const cell = `${title}: ${route}`;
          const status = expected[title]?.status;
          const tried = await runAttempt({ testbed, rejections, group, fixture, caller, column, route, status });
          Object.assign(wanted ?? {}, { [cell]: expected[title] });
          Object.assign(got ?? {}, { [cell]: { status: tried.status, shows: expected[title]?.shows } });
          if (expected[title]?.shows !== undefined && tried.status < 300) {
            await expectShown(tried, column, expected[title].shows);
          }
          asserted += 1;
        }
      }
      await rejections.check();
      expect(got).toEqual(wanted);
    };

    const names = families[family].map(({ name }) => name);
    const columns = Object.values(group.columns);
    const lists = (column: Column) => column.shows !== undefined;
    // Lists run first, because their content is known only before other requests create or delete resources.
    if (columns.some(lists)) {
      it.each(names)('shows exactly the expected resources in lists to: %s', (name) => expectCells(name, lists));
    }
    if (!columns.every(lists)) {
      it.each(names)('returns the expected status for every operation to: %s', (name) =>
        expectCells(name, (one) => !lists(one)),
      );
    }
  });
};

interface Try {
  readonly testbed: Testbed;
  readonly rejections: Rejections;
  readonly group: Group;
  readonly fixture: unknown;
  readonly caller: Caller;
  readonly column: Column;
  readonly route: RouteId;
  /** Expected status. */
  readonly status: number | undefined;
}

/** Rejected writes since the last check. The stream is read once for a series of them. */
interface Rejections {
  /** Starts a series after writes that succeeded. */
  readonly begin: () => Promise<void>;
  readonly add: (said: string) => void;
  /** Asserts that the series changed nothing. */
  readonly check: () => Promise<void>;
}

const createRejections = (testbed: Testbed, changes: Changes): Rejections => {
  let series: string[] = [];
  let settled: number | undefined;
  return {
    begin: async () => {
      // Without writes since the last call, there are no changes to skip.
      if (settled === testbed.writes()) return;
      await changes.skip();
      settled = testbed.writes();
    },
    add: (said) => series.push(said),
    check: async () => {
      const checked = series;
      series = [];
      if (checked.length === 0) return;
      expect(await changes.sinceLast(), `one of these requests changed something: ${checked.join('; ')}`).toEqual([]);
    },
  };
};

type AttemptResult = ApiResponse & { readonly trial: Trial };

/** Runs one attempt and checks what every response must satisfy. */
const runAttempt = async (attempt: Try): Promise<AttemptResult> => {
  const { testbed, rejections, group, fixture, caller, column, route, status = 0 } = attempt;
  const said = `${group.name}: ${caller.name}: ${route}`;
  const subject = await testbed.workspaceFor(caller);
  const replies: ApiResponse[] = [];
  const trial: Trial = {
    testbed,
    caller,
    route,
    fixture,
    subject,
    send: async (request: Request = {}) => {
      const writes = routes[route].method !== 'GET';
      // A write that must succeed ends the series. One that must be rejected belongs to it.
      if (writes && status < 400) await rejections.check();
      if (writes) await rejections.begin();
      const reply = await testbed.callUnchecked(route, caller.token, { subject, ...request });
      const isRejected = reply.status >= 400;
      if (isRejected && writes) rejections.add(`${said} returned ${reply.status}`);
      if (isRejected) expectNoDisclosure(said, caller, column, reply);
      else expectPermissions(said, trial, reply);
      replies.push(reply);
      return reply;
    },
  };
  await (column.attempt === undefined ? trial.send() : column.attempt(trial));
  const [reply, another] = replies;
  if (reply === undefined || another !== undefined) throw new Error(`${said} sent ${replies.length} requests, not one`);
  return { ...reply, trial };
};

/** Asserts that an error names the missing permission only to callers that can read the resource. */
const expectNoDisclosure = (said: string, caller: Caller, { seenBy = 'readers' }: Column, reply: ApiResponse): void => {
  const { status, body } = reply;
  // The endpoints of OAuth 2.0, and the pages of a sign-in, have no callers, and errors of their own.
  if (body?.error !== undefined || typeof body === 'string') return;
  expectRejection(reply);
  if (status === 401) expect(body, said).toEqual(UNAUTHORIZED);
  // A run is not a member but can read workspaces, so the detail of its 404 depends on the path.
  if (status !== 404 || caller.origin.token === 'run') return;
  const see = {
    readers: ({ permissions }: Caller) => permissions !== undefined,
    members: isMember,
    // The token for audit trails gets the same 404 on every path.
    everybody: ({ origin }: Caller) => origin.token !== 'audit trails',
  };
  const sees = typeof seenBy === 'function' ? seenBy : see[seenBy];
  const detail =
    sees(caller) && (isMember(caller) || seenBy === 'everybody') ? { detail: expect.stringMatching(/\w/) } : {};
  expect(body, said).toEqual({ errors: [{ status: '404', title: 'not found', ...detail }] });
};

/** Asserts the `permissions` of the caller's workspace in any response that contains it. */
const expectPermissions = (said: string, { testbed, caller, subject }: Trial, { body }: ApiResponse): void => {
  for (const { type, id, attributes, relationships } of [body?.data ?? []].flat()) {
    if (type !== 'workspaces' || id !== subject.id) continue;
    if (relationships.project.data.id !== testbed.projects.home) continue;
    expect(attributes.permissions, said).toEqual(expectedPermissions(caller, testbed.adminsForceDelete()));
  }
};

/** Asserts that a page contains exactly the expected ids. */
const expectShown = async ({ body, trial }: AttemptResult, { shows }: Column, word: string): Promise<void> => {
  const expected = await shows?.[word]?.(trial);
  const shown: string[] = body.data.map(({ id }: { id: string }) => id);
  expect(shown.toSorted(), `what ${trial.route} shows ${trial.caller.name}`).toEqual(expected?.toSorted());
  if (body.meta?.pagination) expect(body.meta.pagination['total-count']).toBe(shown.length);
};
