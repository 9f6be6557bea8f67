import { afterAll, beforeAll, describe } from 'vitest';
import {
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  useBudgetFixtures,
} from '../../support/budgets/budgets.ts';
import { type ForgingProvider, responseTo, startForgingProvider } from '../../support/sign-in/forging-provider.ts';
import {
  comeBack,
  cookiesOf,
  fromPage,
  identityProvider,
  requestToken,
  startSignIn,
} from '../../support/sign-in/people.ts';

let provider: ForgingProvider;
beforeAll(async () => {
  provider = await startForgingProvider();
});
afterAll(() => provider.stop());

/** Signs a person in up to the callback. @param former cookie of the session that the browser has. */
const startCallback = async (name: string, { api }: BudgetFixture, former = '') => {
  const subject = name.replaceAll(' ', '-');
  const { authorization, cookie } = await startSignIn(api, 'acme');
  provider.claims = { sub: subject, preferred_username: subject };
  return () => comeBack(api, responseTo(authorization), `${cookie}; ${former}`);
};

/** Prepares the end of a sign-in of a person with a linked identity and without groups. */
const prepareCallback = async (name: string, fixture: BudgetFixture) => {
  await (await startCallback(name, fixture))();
  return startCallback(name, fixture);
};

const prepareSession = async (name: string, fixture: BudgetFixture): Promise<string> =>
  cookiesOf(await (await prepareCallback(name, fixture))());

const operations: readonly BudgetedOperation[] = [
  {
    name: 'start a sign-in',
    status: 307,
    budget: { rounds: 2, read: 1, write: 1 },
    prepare: async (_, { api }) => {
      await startSignIn(api, 'acme');
      return () => api.request('GET', '/sign-in/acme');
    },
  },
  {
    name: 'end a sign-in',
    status: 307,
    budget: { rounds: 10, read: 10, write: 13 },
    prepare: prepareCallback,
  },
  {
    name: 'end a sign-in in a browser that has a session',
    status: 307,
    budget: { rounds: 14, read: 12.5, write: 25 },
    prepare: async (name, fixture) => {
      const former = await prepareSession(name, fixture);
      await requestToken(fixture.api, former);
      return startCallback(name, fixture, former);
    },
  },
  {
    name: 'sign in with a link',
    status: 200,
    budget: { rounds: 4, read: 2, write: 11 },
    prepare: async (_, { api }) => {
      const { user } = await api.admin('create-user', { username: 'linked', email: 'linked@example.com' });
      const { url } = await api.admin('sign-in-link', { username: user.username });
      const body = { link: new URL(url).hash.slice(1) };
      return () => api.request('POST', '/sign-in/link', { body, headers: fromPage('') });
    },
  },
  {
    name: 'create a token of a session',
    status: 200,
    budget: { rounds: 3, read: 3, write: 11 },
    prepare: async (name, fixture) => {
      const cookie = await prepareSession(name, fixture);
      return () => requestToken(fixture.api, cookie);
    },
  },
  {
    name: 'sign out',
    status: 200,
    budget: { rounds: 5, read: 4.5, write: 12 },
    prepare: async (name, fixture) => {
      const cookie = await prepareSession(name, fixture);
      await requestToken(fixture.api, cookie);
      return () => fixture.api.request('DELETE', '/sign-in/session', { headers: fromPage(cookie) });
    },
  },
  {
    name: 'end a session for an identity provider',
    status: 200,
    budget: { rounds: 11, read: 10, write: 22 },
    prepare: async (name, fixture) => {
      await prepareSession(name, fixture);
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const token = await provider.sign({ sub: name.replaceAll(' ', '-'), jti: name, events });
      return () =>
        fixture.api.request('POST', '/sign-in/acme/logout', {
          body: new URLSearchParams({ logout_token: token }).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        });
    },
  },
];

describe('DynamoDB usage of sign-in', () => {
  const fixtures = useBudgetFixtures(() => ({
    identityProviders: [identityProvider({ name: 'acme', issuer: provider.url })],
  }));
  describeBudgets(fixtures, operations);
});
