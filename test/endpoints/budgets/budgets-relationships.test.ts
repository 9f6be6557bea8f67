import { describe, expect } from 'vitest';
import { base58 } from '../../../shared/lib/random.ts';
import { createSshKey } from '../../support/api/create-ssh-key.ts';
import {
  advanceClock,
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  onWorkspace,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

const SSH_KEY = '/relationships/ssh-key';
const POLICY = '/relationships/data-retention-policy';
const policy = () => ({
  data: { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': 30 } },
});
const setPolicy = (path: string, { request }: BudgetFixture) => request('POST', path + POLICY, policy());

const operations: readonly BudgetedOperation[] = [
  {
    name: 'assign an SSH key',
    status: 200,
    budget: { rounds: 3, read: 3.5, write: 2 },
    prepare: async (name, fixture) => {
      const { token } = await fixture.api.admin('create-token', { kind: 'user', username: 'owner' });
      const sshKey = await createSshKey(fixture.api, token, ORGANIZATION, 'key');
      return onWorkspace('PATCH', SSH_KEY, () => ({ data: { type: 'ssh-keys', id: sshKey.id } }))(name, fixture);
    },
  },
  {
    name: 'remove an SSH key',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('PATCH', SSH_KEY, () => ({ data: { type: 'ssh-keys', id: null } })),
  },
  {
    name: 'show a retention policy',
    status: 200,
    budget: { rounds: 2, read: 3, write: 0 },
    prepare: onWorkspace('GET', POLICY, undefined, setPolicy),
  },
  {
    name: 'set a retention policy',
    status: 201,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('POST', POLICY, policy),
  },
  {
    name: 'delete a retention policy',
    status: 204,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('DELETE', POLICY, undefined, setPolicy),
  },
];

const DEFAULT = `/organizations/${ORGANIZATION}${POLICY}`;
const onDefault =
  (method: string, body?: object): BudgetedOperation['prepare'] =>
  async (_, { api, request }) => {
    const { token } = await api.admin('create-token', { kind: 'organization', organization: ORGANIZATION });
    await api.request('POST', DEFAULT, { token, body: policy() });
    return () => (method === 'GET' ? request(method, DEFAULT) : api.request(method, DEFAULT, { token, body }));
  };

/** A write of the organization costs units by its size: 20 teams are 2 KB. */
const defaults: readonly BudgetedOperation[] = [
  {
    name: 'show a default retention policy',
    status: 200,
    budget: { rounds: 2, read: 1.5, write: 0 },
    prepare: onDefault('GET'),
  },
  {
    name: 'set a default retention policy',
    status: 200,
    budget: { rounds: 2, read: 1, write: 2 },
    prepare: onDefault('POST', policy()),
  },
  {
    name: 'delete a default retention policy',
    status: 204,
    budget: { rounds: 2, read: 1, write: 2 },
    prepare: onDefault('DELETE'),
  },
];

const CONSUMERS = '/relationships/remote-state-consumers';
const consumersBody = (ids: readonly string[]) => ({ data: ids.map((id) => ({ type: 'workspaces', id })) });
/** Prepares a workspace with some consumers. The list index is already in memory. */
const onConsumers =
  (
    method: string,
    count: number,
    ids: (others: readonly string[]) => readonly string[],
  ): BudgetedOperation['prepare'] =>
  async (name, { create, request }) => {
    const path = `/workspaces/${await create(name)}${CONSUMERS}`;
    const others: string[] = [];
    for (let index = 0; index < count + 1; index++) others.push(await create(`${name}-${index}`));
    const created = await request('POST', path, consumersBody(others.slice(0, count)));
    if (created.status !== 204) throw new Error(JSON.stringify(created.body));
    advanceClock();
    await request('GET', path);
    return () => request(method, path, method === 'GET' ? undefined : consumersBody(ids(others)));
  };

/** A set of a few consumers has 1 KB, the workspace has 2 KB. */
const consumers: readonly BudgetedOperation[] = [
  {
    name: 'list remote state consumers',
    status: 200,
    // Like showing the workspace, and the changes of the list index, the set, and the page.
    budget: { rounds: 3, read: 3 + 2 + 1 + 4 * 0.5, write: 0 },
    prepare: onConsumers('GET', 4, () => []),
  },
  {
    name: 'add a remote state consumer',
    status: 204,
    // Like showing the workspace, with the other workspace and its project. A transaction costs twice its kilobytes.
    budget: { rounds: 3, read: 4, write: 2 * (1 + 2) },
    prepare: onConsumers('POST', 1, ([, other = '']) => [other]),
  },
  {
    name: 'add the first remote state consumer',
    status: 204,
    budget: { rounds: 3, read: 4, write: 2 * (1 + 2) },
    prepare: onConsumers('POST', 0, ([other = '']) => [other]),
  },
  {
    name: 'remove a remote state consumer',
    status: 204,
    budget: { rounds: 3, read: 4, write: 2 * (1 + 2) },
    prepare: onConsumers('DELETE', 2, ([other = '']) => [other]),
  },
];

/** Sends the request as a caller with the permission manage-workspaces. */
const byManager =
  (ids: (others: readonly string[]) => readonly string[], status: number): BudgetedOperation['prepare'] =>
  async (name, fixture) => {
    const { api, create } = fixture;
    const path = `/workspaces/${await create(name)}${CONSUMERS}`;
    const others = [await create(`${name}-a`), await create(`${name}-b`)];
    await api.admin('create-team', { organization: ORGANIZATION, name, permissions: ['manage-workspaces'] });
    await api.admin('create-user', { username: name, email: 'm@example.com' });
    await api.admin('add-member', { organization: ORGANIZATION, team: name, username: name });
    const { token } = await api.admin('create-token', { kind: 'user', username: name });
    const send = () => api.request('PATCH', path, { token, body: consumersBody(ids(others)) });
    expect((await send()).status).toBe(status);
    return send;
  };

const replacements: readonly BudgetedOperation[] = [
  {
    name: 'replace remote state consumers',
    status: 204,
    // Writes the chunk with its cleanup mark, then switches to it.
    budget: { rounds: 4, read: 3 + 2 * 1, write: 1 + 1 + 2 },
    prepare: byManager((others) => others, 204),
  },
  {
    name: 'reject 20000 unknown workspaces as consumers',
    status: 422,
    // The service looks up at most a hundred workspaces, once for each way of reading the caller.
    budget: { rounds: 10, read: 220, write: 0 },
    prepare: byManager(() => Array.from({ length: 20_000 }, () => `ws-${base58(16)}`), 422),
  },
];

describe('DynamoDB usage of relationship operations', () => {
  describeBudgets(useBudgetFixtures(), [...operations, ...defaults, ...consumers, ...replacements]);
});
