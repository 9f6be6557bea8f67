import { describe, expect, it } from 'vitest';
import {
  buildState,
  inlineStateVersionBody,
  readUploadUrl,
  stateVersionBody,
  upload,
} from '../../support/api/states.ts';
import {
  type BudgetedOperation,
  describeBudgets,
  ORGANIZATION,
  onWorkspace,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

/** States with two outputs. Requests to the bucket are not counted. */
const content = buildState({
  resources: 1,
  outputs: { address: { value: '10.0.0.1', type: 'string' }, secret: { value: 's', type: 'string', sensitive: true } },
});

type BudgetFixture = Parameters<BudgetedOperation['prepare']>[1];

const lock = (path: string, { request }: BudgetFixture) => request('POST', `${path}/actions/lock`);
const unlock = (path: string, { request }: BudgetFixture) => request('POST', `${path}/actions/unlock`);

/** Creates an unlocked workspace with a current state. */
const withState = async (
  name: string,
  fixture: BudgetFixture,
): Promise<{ path: string; version: string; output: string }> => {
  const path = `/workspaces/${await fixture.create(name)}`;
  await lock(path, fixture);
  const body = inlineStateVersionBody(content, { 'json-state': 'e30=' });
  const version = (await fixture.request('POST', `${path}/state-versions`, body)).body.data.id;
  await unlock(path, fixture);
  const { body: outputs } = await fixture.request('GET', `/state-versions/${version}/outputs`);
  return { path, version, output: outputs.data[0].id };
};
const onState =
  (
    toPath: (created: { path: string; version: string; output: string }, name: string) => string,
  ): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const created = await withState(name, fixture);
    return () => fixture.request('GET', toPath(created, name));
  };

/** Sends an action on the content of a state version that is not the current one, after other actions. */
const onOldState =
  (action: string, before: readonly string[] = []): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const { path, version } = await withState(name, fixture);
    await lock(path, fixture);
    await fixture.request('POST', `${path}/state-versions`, inlineStateVersionBody(content, { force: true }));
    const { token } = await fixture.api.admin('create-token', { kind: 'user', username: 'owner' });
    const act = (named: string) =>
      fixture.api.request('POST', `/state-versions/${version}/actions/${named}`, { token });
    for (const named of before) await act(named);
    return () => act(action);
  };

const operations: readonly BudgetedOperation[] = [
  {
    name: 'create a state version',
    status: 201,
    budget: { rounds: 3, read: 3, write: 8 },
    prepare: onWorkspace('POST', '/state-versions', () => stateVersionBody(content), lock),
  },
  {
    name: 'create a state version with its content',
    status: 201,
    // Creates, reads back and finalizes the state version, and returns it as it is then.
    budget: { rounds: 6, read: 6, write: 16 },
    prepare: onWorkspace('POST', '/state-versions', () => inlineStateVersionBody(content), lock),
  },
  {
    name: 'roll back to a state version',
    status: 201,
    budget: { rounds: 8, read: 6, write: 21 },
    prepare: async (name, fixture) => {
      const { path, version } = await withState(name, fixture);
      await lock(path, fixture);
      const relationships = { 'rollback-state-version': { data: { type: 'state-versions', id: version } } };
      const body = { data: { type: 'state-versions', relationships } };
      return () => fixture.request('PATCH', `${path}/state-versions`, body);
    },
  },
  {
    name: 'delete the content of a state version softly',
    status: 200,
    budget: { rounds: 4, read: 6, write: 6 },
    prepare: onOldState('soft_delete_backing_data'),
  },
  {
    name: 'restore the content of a state version',
    status: 200,
    budget: { rounds: 4, read: 6, write: 6 },
    prepare: onOldState('restore_backing_data', ['soft_delete_backing_data']),
  },
  {
    name: 'delete the content of a state version permanently',
    status: 200,
    budget: { rounds: 4, read: 6, write: 9 },
    prepare: onOldState('permanently_delete_backing_data', ['soft_delete_backing_data']),
  },
  {
    name: 'unlock with a finalized state',
    status: 200,
    budget: { rounds: 3, read: 3, write: 4 },
    prepare: onWorkspace('POST', '/actions/unlock', undefined, async (path, fixture) => {
      await lock(path, fixture);
      await fixture.request('POST', `${path}/state-versions`, inlineStateVersionBody(content));
    }),
  },
  {
    name: 'unlock with a pending state',
    status: 503,
    // Looks for the content and reads the workspace again.
    budget: { rounds: 4, read: 6, write: 0 },
    prepare: onWorkspace('POST', '/actions/unlock', undefined, async (path, fixture) => {
      await lock(path, fixture);
      await fixture.request('POST', `${path}/state-versions`, stateVersionBody(content));
    }),
  },
  {
    name: 'show a state version',
    status: 200,
    budget: { rounds: 2, read: 5, write: 0 },
    prepare: onState(({ version }) => `/state-versions/${version}`),
  },
  {
    name: 'show the current state version',
    status: 200,
    budget: { rounds: 2, read: 4, write: 0 },
    prepare: onState(({ path }) => `${path}/current-state-version`),
  },
  {
    name: 'list state versions',
    status: 200,
    budget: { rounds: 2, read: 5, write: 0 },
    prepare: onState(
      (_, name) => `/state-versions?filter[organization][name]=${ORGANIZATION}&filter[workspace][name]=${name}`,
    ),
  },
  {
    name: 'list the current outputs',
    status: 200,
    budget: { rounds: 2, read: 4, write: 0 },
    prepare: onState(({ path }) => `${path}/current-state-version-outputs`),
  },
  {
    name: 'list the resources of the current state',
    status: 200,
    budget: { rounds: 2, read: 4, write: 0 },
    prepare: onState(({ path }) => `${path}/resources`),
  },
  {
    name: 'show an output',
    status: 200,
    budget: { rounds: 2, read: 5, write: 0 },
    prepare: onState(({ output }) => `/state-version-outputs/${output}`),
  },
  {
    name: 'download a state',
    status: 307,
    budget: { rounds: 2, read: 5, write: 0 },
    prepare: onState(({ version }) => `/state-versions/${version}/download`),
  },
];

describe('DynamoDB usage of state version operations', () => {
  const fixtures = useBudgetFixtures();
  describeBudgets(fixtures, operations);

  it.each([
    { what: 'while locked', force: false, intermediate: false, write: 8 },
    { what: 'when intermediate', force: false, intermediate: true, write: 6 },
    { what: 'after a force-unlock', force: true, intermediate: true, write: 8 },
  ])('is at most two rounds for reading uploaded content $what', async ({ what, force, intermediate, write }) => {
    const fixture = fixtures();
    const path = `/workspaces/${await fixture.create(what.replaceAll(' ', '-'))}`;
    await lock(path, fixture);
    const created = await fixture.request(
      'POST',
      `${path}/state-versions`,
      stateVersionBody(content, { intermediate }),
    );
    if (force) await fixture.request('POST', `${path}/actions/force-unlock`);
    await upload(readUploadUrl(created), content);
    // The S3 client reads its endpoint at its first use, so the event may be in the bucket of either fixture.
    const [event] = [fixture, fixtures('tenfold')].flatMap(({ api }) => api.bucket.takeEvents()).slice(-1);
    const { count } = await fixture.proxy.count(() => fixture.api.readContent(event));
    expect(count.rounds, count.operations.join(', ')).toBeLessThanOrEqual(2);
    expect(count.readUnits).toBeLessThanOrEqual(2);
    expect(count.writeUnits).toBeLessThanOrEqual(write);
  });
});
