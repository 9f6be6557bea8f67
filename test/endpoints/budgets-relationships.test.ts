import { describe } from 'vitest';
import {
  type BudgetBench,
  describeBudgets,
  type Operation,
  ORGANIZATION,
  onWorkspace,
  useBudgetBench,
} from '../support/budgets.ts';
import { makeSshKey } from '../support/ssh-key.ts';

const SSH_KEY = '/relationships/ssh-key';
const POLICY = '/relationships/data-retention-policy';
const policy = () => ({
  data: { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': 30 } },
});
const setPolicy = (path: string, { request }: BudgetBench) => request('POST', path + POLICY, policy());

const operations: readonly Operation[] = [
  {
    name: 'assign an SSH key',
    status: 200,
    budget: { rounds: 3, read: 3.5, write: 2 },
    prepare: async (name, bench) => {
      const { token } = await bench.api.admin('create-token', { kind: 'user', username: 'owner' });
      const sshKey = await makeSshKey(bench.api, token, ORGANIZATION, 'key');
      return onWorkspace('PATCH', SSH_KEY, () => ({ data: { type: 'ssh-keys', id: sshKey.id } }))(name, bench);
    },
  },
  {
    name: 'take an SSH key away',
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
    name: 'take a retention policy away',
    status: 204,
    budget: { rounds: 3, read: 3, write: 2 },
    prepare: onWorkspace('DELETE', POLICY, undefined, setPolicy),
  },
];

const DEFAULT = `/organizations/${ORGANIZATION}${POLICY}`;
const onDefault =
  (method: string, body?: object): Operation['prepare'] =>
  async (_, { api, request }) => {
    const { token } = await api.admin('create-token', { kind: 'organization', organization: ORGANIZATION });
    await api.request('POST', DEFAULT, { token, body: policy() });
    return () => (method === 'GET' ? request(method, DEFAULT) : api.request(method, DEFAULT, { token, body }));
  };

/** A write of the organization costs by its size: 20 teams are 2 KB. */
const defaults: readonly Operation[] = [
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
    name: 'take a default retention policy away',
    status: 204,
    budget: { rounds: 2, read: 1, write: 2 },
    prepare: onDefault('DELETE'),
  },
];

describe('what an operation asks of DynamoDB', () => {
  describeBudgets(useBudgetBench(), [...operations, ...defaults]);
});
