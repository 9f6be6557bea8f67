import { createHash } from 'node:crypto';
import { describe } from 'vitest';
import {
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';
import { beginDeviceLogin, pollDeviceLogin, sendForm } from '../../support/sign-in/device-logins.ts';

const VERIFIER = 'v'.repeat(46);
const body = {
  port: 10_000,
  state: 'state',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
};

const consent = ({ request }: BudgetFixture) => request('POST', '/oauth2/consent', body);

const allowDevice = ({ request }: BudgetFixture, code: string) =>
  request('POST', '/oauth2/device/decision', { user_code: code, decision: 'allow' });

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
    budget: { rounds: 4, read: 3, write: 1 },
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
  {
    name: 'begin a device login',
    status: 200,
    budget: { rounds: 1, read: 0, write: 1 },
    prepare:
      async (_, { api }) =>
      () =>
        sendForm(api, '/oauth2/device', { client_id: 'terraform-cli' }),
  },
  {
    name: 'poll for a device login',
    status: 400,
    budget: { rounds: 2, read: 1, write: 1 },
    prepare: async (_, { api }) => {
      const { device } = await beginDeviceLogin(api);
      return () => pollDeviceLogin(api, device);
    },
  },
  {
    name: 'show a device login',
    status: 200,
    budget: { rounds: 8, read: 6, write: 2 },
    prepare: async (_, { api, request }) => {
      const { code } = await beginDeviceLogin(api);
      return () => request('POST', '/oauth2/device/show', { user_code: code });
    },
  },
  {
    name: 'allow a device login',
    status: 200,
    budget: { rounds: 7, read: 4, write: 3 },
    prepare: async (_, fixture) => {
      const { code } = await beginDeviceLogin(fixture.api);
      return () => allowDevice(fixture, code);
    },
  },
  {
    name: 'change a device code for a token',
    status: 200,
    budget: { rounds: 7, read: 8, write: 12 },
    prepare: async (_, fixture) => {
      const { device, code } = await beginDeviceLogin(fixture.api);
      await allowDevice(fixture, code);
      return () => pollDeviceLogin(fixture.api, device);
    },
  },
];

describe('DynamoDB usage of logins of the command line', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
