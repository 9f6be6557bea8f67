import { afterAll, beforeAll, describe } from 'vitest';
import { startIssuer, type TestIssuer } from '../../support/api/issuer.ts';
import {
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

let issuer: TestIssuer;
beforeAll(async () => {
  issuer = await startIssuer('http://holdfast.test');
});
afterAll(() => issuer.stop());

const post = ({ api }: BudgetFixture, path: string, form: Readonly<Record<string, string>>) =>
  api.request('POST', path, {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });

/** Prepares an exchange with a new workload identity. @param subject of the identity token. */
const prepareExchange = async (name: string, fixture: BudgetFixture, subject: string) => {
  const { token } = await fixture.api.admin('create-token', { kind: 'user', username: 'owner' });
  const { team } = await fixture.api.admin('create-team', { organization: ORGANIZATION, name: `${name}-${subject}` });
  const attributes = {
    name: `${name}-${subject}`,
    issuer: issuer.url,
    conditions: [{ claim: '/sub', equals: ['one'] }],
  };
  const relationships = { team: { data: { type: 'teams', id: team.id } } };
  const body = { data: { type: 'workload-identities', attributes, relationships } };
  const path = `/organizations/${ORGANIZATION}/workload-identities`;
  const { id } = (await fixture.api.request('POST', path, { token, body })).body.data;
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    client_id: id,
    subject_token: await issuer.sign({ sub: subject }),
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  };
  return () => post(fixture, '/oauth2/token', form);
};

const operations: readonly BudgetedOperation[] = [
  {
    name: 'exchange an identity token',
    status: 200,
    budget: { rounds: 4, read: 3.5, write: 12 },
    prepare: (name, fixture) => prepareExchange(name.replaceAll(' ', '-'), fixture, 'one'),
  },
  {
    name: 'refuse an identity token',
    status: 400,
    budget: { rounds: 2, read: 1, write: 1 },
    prepare: (name, fixture) => prepareExchange(name.replaceAll(' ', '-'), fixture, 'other'),
  },
  {
    name: 'revoke the token of a pipeline',
    status: 200,
    budget: { rounds: 4, read: 2.5, write: 6 },
    prepare: async (name, fixture) => {
      const exchange = await prepareExchange(name.replaceAll(' ', '-'), fixture, 'one');
      const { access_token: token } = (await exchange()).body;
      return () => post(fixture, '/oauth2/revoke', { token });
    },
  },
];

describe('DynamoDB usage of the endpoints of OAuth 2.0', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
