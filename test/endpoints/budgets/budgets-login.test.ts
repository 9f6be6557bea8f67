import { createHash } from 'node:crypto';
import { describe } from 'vitest';
import {
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';

const VERIFIER = 'v'.repeat(46);
const body = {
  port: 10_000,
  state: 'state',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
};

const consent = ({ request }: BudgetFixture) => request('POST', '/oauth2/consent', body);

/** Allows a login. @returns the request that changes its code for a token. */
const prepareLogin = async (fixture: BudgetFixture, verifier: string) => {
  const { redirect_to: address } = (await consent(fixture)).body;
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'terraform-cli',
    code: new URL(address).searchParams.get('code') ?? '',
    redirect_uri: 'http://localhost:10000/login',
    code_verifier: verifier,
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return () => fixture.api.request('POST', '/oauth2/token', { body: `${form}`, headers });
};

const authorization = new URLSearchParams({
  response_type: 'code',
  client_id: 'terraform-cli',
  redirect_uri: 'http://localhost:10000/login',
  state: 'state',
  code_challenge: body.code_challenge,
  code_challenge_method: 'S256',
});

const operations: readonly BudgetedOperation[] = [
  {
    name: 'begin a login',
    status: 307,
    budget: { rounds: 0, read: 0, write: 0 },
    prepare:
      async (_, { request }) =>
      () =>
        request('GET', `/oauth2/authorize?${authorization}`),
  },
  {
    name: 'show what a login would bring',
    status: 200,
    budget: { rounds: 5, read: 5, write: 0 },
    prepare:
      async (_, { request }) =>
      () =>
        request('GET', '/oauth2/consent'),
  },
  {
    name: 'allow a login',
    status: 200,
    budget: { rounds: 6, read: 5, write: 1 },
    prepare: async (_, fixture) => () => consent(fixture),
  },
  {
    name: 'change a code for a token',
    status: 200,
    budget: { rounds: 7, read: 8, write: 12 },
    prepare: (_, fixture) => prepareLogin(fixture, VERIFIER),
  },
  {
    name: 'refuse a code',
    status: 400,
    budget: { rounds: 1, read: 0, write: 1 },
    prepare: (_, fixture) => prepareLogin(fixture, 'other'),
  },
];

describe('DynamoDB usage of logins of the command line', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
