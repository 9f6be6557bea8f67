import { describe, expect } from 'vitest';
import { buildState, inlineStateVersionBody } from '../../support/api/states.ts';
import {
  type BudgetedOperation,
  describeBudgets,
  ORGANIZATION,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';
import { configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';

let createdCount = 0;

/** Reports a run after earlier reports. A token and the id of a new run cost one item each. */
const reportAfter =
  (before: readonly string[], status: string, more: object = {}): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const workspace = { id: await fixture.create(name) };
    const run = runId(++createdCount);
    const sendReport = (reached: string, seconds: number, said: object = {}) =>
      fixture.api.ingest('run.updated', {
        ...runEvent(workspace, run, reached, seconds, said),
        organization: ORGANIZATION,
      });
    for (const [index, reached] of before.entries()) await sendReport(reached, index + 1);
    return async () => {
      await sendReport(status, 100, more);
      expect(fixture.api.deadLetters.received()).toEqual([]);
      return { status: 200, headers: {}, body: undefined };
    };
  };

/** Reports the end of a run after thirty finished runs, so that the run window is full. */
const endAfterThirty: BudgetedOperation['prepare'] = async (name, fixture) => {
  const workspace = { id: await fixture.create(name) };
  const sendReport = (run: string, status: string, seconds: number) =>
    fixture.api.ingest('run.updated', { ...runEvent(workspace, run, status, seconds), organization: ORGANIZATION });
  for (let number = 0; number < 30; number++) {
    const run = runId(++createdCount * 7_919);
    await sendReport(run, 'planning', 3_000 + 997 * number);
    await sendReport(run, 'errored', 3_000 + 1_777 * number);
  }
  const run = runId(++createdCount);
  await sendReport(run, 'planning', 100_000);
  return async () => {
    await sendReport(run, 'applied', 100_100);
    return { status: 200, headers: {}, body: undefined };
  };
};

const showWith =
  (include: string): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const workspace = { id: await fixture.create(name) };
    const [run, version] = [runId(++createdCount), configurationId(++createdCount)];
    const identifiers = { organization: ORGANIZATION };
    const ingress = { 'ingress-attributes': { branch: 'main' }, readme: 'x'.repeat(20_000) };
    const configured = { ...configurationEvent(workspace, version, 'uploaded', ingress), ...identifiers };
    await fixture.api.ingest('configuration-version.updated', configured);
    await fixture.api.ingest('run.updated', {
      ...runEvent(workspace, run, 'planning', 1, { 'configuration-version': version }),
      ...identifiers,
    });
    return () => fixture.request('GET', `/workspaces/${workspace.id}?include=${include}`);
  };

const operations: readonly BudgetedOperation[] = [
  {
    name: 'the first report of a run',
    status: 200,
    budget: { rounds: 2, read: 3, write: 10 },
    prepare: reportAfter([], 'pending'),
  },
  {
    name: 'a report of a run',
    status: 200,
    budget: { rounds: 2, read: 3, write: 8 },
    prepare: reportAfter(['pending'], 'planning'),
  },
  {
    name: 'a report of a run with its token',
    status: 200,
    budget: { rounds: 2, read: 3, write: 10 },
    prepare: reportAfter(['pending'], 'planning', { 'token-sha256': '12'.repeat(32) }),
  },
  {
    name: 'the end of a run',
    status: 200,
    budget: { rounds: 2, read: 3, write: 10 },
    prepare: reportAfter(['pending', 'planning', 'applying'], 'applied'),
  },
  {
    name: 'the end of a run after thirty',
    status: 200,
    budget: { rounds: 2, read: 3, write: 10 },
    prepare: endAfterThirty,
  },
  {
    name: 'a repeated report of a run',
    status: 200,
    budget: { rounds: 1, read: 3, write: 0 },
    prepare: async (name, fixture) => {
      const send = await reportAfter([], 'pending')(name, fixture);
      await send();
      return send;
    },
  },
  {
    name: 'a page of the runs of a workspace that has many',
    status: 200,
    budget: { rounds: 2, read: 4, write: 0 },
    prepare: async (name, fixture) => {
      const workspace = { id: await fixture.create(name) };
      for (let number = 0; number < 30; number++) {
        const event = runEvent(workspace, runId(++createdCount), 'pending', 1, { message: 'x'.repeat(700) });
        await fixture.api.ingest('run.updated', { ...event, organization: ORGANIZATION });
      }
      return async () => {
        const response = await fixture.request('GET', `/workspaces/${workspace.id}/runs?page[size]=3`);
        expect(response.body.meta.pagination).toMatchObject({ 'total-count': 30, 'total-pages': 10 });
        return response;
      };
    },
  },
  {
    name: 'show with the run and its parts',
    status: 200,
    budget: { rounds: 3, read: 4, write: 0 },
    prepare: showWith('current_run.plan,current_run.apply,current_run.configuration_version.ingress_attributes'),
  },
  {
    name: 'show with the configuration version and its commit',
    status: 200,
    budget: { rounds: 3, read: 3.5, write: 0 },
    prepare: showWith('current_configuration_version.ingress_attributes'),
  },
  {
    name: 'show with the lock holder',
    status: 200,
    budget: { rounds: 3, read: 3.5, write: 0 },
    prepare: showWith('locked_by'),
  },
  // The text is compressed, so 20 KB are read as a few hundred bytes.
  {
    name: 'show with the readme',
    status: 200,
    budget: { rounds: 3, read: 3.5, write: 0 },
    prepare: showWith('readme'),
  },
  {
    name: 'show with the state and its outputs',
    status: 200,
    budget: { rounds: 3, read: 3.5, write: 0 },
    prepare: async (name, fixture) => {
      const path = `/workspaces/${await fixture.create(name)}`;
      const state = inlineStateVersionBody(buildState({ outputs: { name: { value: 'web', type: 'string' } } }));
      await fixture.request('POST', `${path}/actions/lock`);
      expect((await fixture.request('POST', `${path}/state-versions`, state)).status).toBe(201);
      await fixture.request('POST', `${path}/actions/unlock`);
      return () => fixture.request('GET', `${path}?include=current_state_version,outputs`);
    },
  },
];

describe('DynamoDB usage of run reports and includes of runs', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
