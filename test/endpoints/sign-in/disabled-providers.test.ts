import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { base58 } from '../../../shared/lib/random.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { crashing } from '../../support/faults/crashing-database.ts';
import { followHistory } from '../../support/history/history-follower.ts';
import { type ForgingProvider, responseTo, startForgingProvider } from '../../support/sign-in/forging-provider.ts';
import { comeBack, cookiesOf, identityProvider, requestToken, startSignIn } from '../../support/sign-in/people.ts';

let api: Api;
let history: Awaited<ReturnType<typeof followHistory>>;
let provider: ForgingProvider;
let owner: string;
/** Subject and username of a new person for each test. */
let person: string;

const providers = () =>
  ['acme', 'other'].map((name) => identityProvider({ name, issuer: provider.url, label: `${name} login` }));

/** Signs a person in. @returns the response to the callback. */
const signIn = async (subject = person, name = 'acme'): Promise<ApiResponse> => {
  const { authorization, cookie } = await startSignIn(api, name);
  provider.claims = { sub: subject, preferred_username: subject };
  return comeBack(api, responseTo(authorization), cookie);
};

/** Signs a person in. @returns the token and the cookie of the session. */
const signInToConsole = async (subject = person, name = 'acme') => {
  const reply = await signIn(subject, name);
  expect(reply.status, String(reply.body)).toBe(307);
  const cookie = cookiesOf(reply);
  return { token: (await requestToken(api, cookie)).body.access_token as string, cookie };
};

const accountOf = async (token: string) => api.request('GET', '/account/details', { token });
const statusOf = async (token: string) => (await accountOf(token)).status;
const usernameOf = async ({ token }: { token: string }): Promise<string> =>
  (await accountOf(token)).body.data.attributes.username;

const shownProviders = async (): Promise<string[]> =>
  (await api.request('GET', '/sign-in/providers')).body.data.map(({ id }: { id: string }) => id);

const problem = (status: string, detail: string) => ({ errors: [expect.objectContaining({ status, detail })] });

const trailOf = async (action: string) => {
  await history.record();
  const path = `/organizations/acme/audit-trail?filter[action]=${action}&page[size]=100`;
  return (await api.request('GET', path, { token: owner })).body.data;
};

beforeAll(async () => {
  provider = await startForgingProvider();
  api = await startApi({ identityProviders: providers() });
  history = await followHistory(api);
  owner = (await api.admin('create-organization', { name: 'acme', email: 'root@example.com' })).token;
});
beforeEach(() => {
  person = `p${base58(8)}`;
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
  await provider.stop();
});

describe('disable-provider', () => {
  test('ends the sessions of the provider, and prevents sign-ins there until enable-provider', async () => {
    const [here, elsewhere] = [await signInToConsole(), await signInToConsole(`${person}-2`, 'other')];
    const { authorization, cookie } = await startSignIn(api, 'acme');
    const disabled = await api.admin('disable-provider', { provider: 'acme' });
    expect(disabled).toMatchObject({ provider: 'acme', disabled: true, left: 0 });
    expect(disabled['endedSessions']).toBeGreaterThan(0);
    expect([await statusOf(here.token), await statusOf(elsewhere.token)]).toEqual([401, 200]);
    expect((await requestToken(api, here.cookie)).status).toBe(401);
    expect(await shownProviders()).toEqual(['other']);

    const started = await api.request('GET', '/sign-in/acme');
    const finished = await comeBack(api, responseTo(authorization), cookie);
    for (const reply of [started, finished]) {
      expect(reply.status).toBe(400);
      expect(reply.headers).not.toHaveProperty('location');
      expect(reply.body).toContain('Nobody can sign in with acme login now');
    }

    expect(await api.admin('enable-provider', { provider: 'acme' })).toEqual({ provider: 'acme', enabled: true });
    expect(await shownProviders()).toEqual(['acme', 'other']);
    expect(await statusOf((await signInToConsole()).token)).toBe(200);
  });

  test('leaves tokens of users valid', async () => {
    const { token: session } = await signInToConsole();
    const { token } = await api.admin('create-token', { kind: 'user', username: await usernameOf({ token: session }) });
    await api.admin('disable-provider', { provider: 'acme' });
    expect([await statusOf(session), await statusOf(token)]).toEqual([401, 200]);
    await api.admin('enable-provider', { provider: 'acme' });
  });

  test('can be repeated, as enable-provider can', async () => {
    for (const disabled of [true, false]) {
      expect(await api.admin('disable-provider', { provider: 'acme' })).toMatchObject({ disabled });
    }
    for (const enabled of [true, false]) {
      expect(await api.admin('enable-provider', { provider: 'acme' })).toMatchObject({ enabled });
    }
  });

  test('ends all sessions when it is repeated, wherever it crashed', async () => {
    let finished = false;
    for (let at = 1; !finished; at++) {
      expect(at).toBeLessThan(10);
      const people = [await signInToConsole(), await signInToConsole(`${person}-2`)];
      const database = crashing(api.engine.database, at, 'after');
      finished = await openAdmin(database, Date.now, { providers: providers() })
        .admin('disable-provider', { provider: 'acme' })
        .then(
          () => true,
          () => false,
        );
      await api.admin('disable-provider', { provider: 'acme' });
      expect(await Promise.all(people.map(({ token }) => statusOf(token)))).toEqual([401, 401]);
      await api.admin('enable-provider', { provider: 'acme' });
    }
  });

  test('leaves no session that was started at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const signIns = [];
      for (let count = 0; count < 3; count++) {
        const { authorization, cookie } = await startSignIn(api, 'acme');
        provider.claims = { sub: `${person}-${count}`, preferred_username: `${person}-${count}` };
        const callback = responseTo(authorization);
        signIns.push(comeBack(api, callback, cookie));
      }
      await api.admin('disable-provider', { provider: 'acme' });
      for (const reply of await Promise.all(signIns)) {
        expect((await requestToken(api, cookiesOf(reply))).status).toBe(401);
      }
      await api.admin('enable-provider', { provider: 'acme' });
    }
  });

  test.each(['disable-provider', 'enable-provider'])(
    'names the providers of the deployment when %s has another',
    async (command) => {
      expect(await api.admin(command, { provider: 'unknown' })).toMatchObject(
        problem('422', 'There is no provider unknown in the setting identityProviders; use: acme, other'),
      );
    },
  );
});

describe('link-identity', () => {
  test('lets an owner sign in who is never linked by e-mail', async () => {
    await api.admin('create-user', { username: person, email: `${person}@example.com`, siteAdmin: true });
    await api.admin('add-member', { organization: 'acme', team: 'owners', username: person });
    const linked = await api.admin('link-identity', {
      username: person,
      provider: 'acme',
      subject: 'subject of owner',
    });
    expect(linked).toMatchObject({
      user: { username: person },
      identity: { provider: 'acme', issuer: provider.url, subject: 'subject of owner' },
      linked: true,
    });
    expect(await usernameOf(await signInToConsole('subject of owner'))).toBe(person);
    const [entry] = await trailOf('identity.linked');
    expect(entry.attributes).toMatchObject({
      actor: { kind: 'service', id: 'admin' },
      details: { signIn: { provider: 'acme' } },
    });
  });

  test('can be repeated, and refuses an identity of another user with its name', async () => {
    for (const username of [person, `${person}-2`]) {
      await api.admin('create-user', { username, email: `${username}@example.com` });
    }
    const identity = { provider: 'acme', subject: person };
    expect(await api.admin('link-identity', { username: person, ...identity })).toMatchObject({ linked: true });
    expect(await api.admin('link-identity', { username: person, ...identity })).toMatchObject({ linked: false });
    expect(await api.admin('link-identity', { username: `${person}-2`, ...identity })).toMatchObject(
      problem('409', `The identity is linked with the user ${person}: unlink it there first.`),
    );
  });

  test('links an identity with one of two users at the same time', async () => {
    const usernames = [person, `${person}-2`];
    for (const username of usernames) await api.admin('create-user', { username, email: `${username}@example.com` });
    const identity = { provider: 'acme', subject: person };
    const results = await Promise.all(
      usernames.map((username) => api.admin('link-identity', { username, ...identity })),
    );
    expect(results.filter(({ linked }) => linked === true)).toHaveLength(1);
    expect(results.filter(({ errors }) => errors?.[0].status === '409')).toHaveLength(1);
  });

  test.each([
    [{ username: 'nobody', provider: 'acme', subject: '1' }, '404', 'There is no user nobody.'],
    [{ username: 'nobody', provider: 'acme', subject: '' }, '422', 'subject is too short (minimum is 1 characters)'],
    [
      { username: 'nobody', provider: 'acme', subject: 'x'.repeat(256) },
      '422',
      'subject is too long (maximum is 255 characters)',
    ],
  ])('reports what is wrong with %j', async (parameters, status, detail) => {
    expect(await api.admin('link-identity', parameters)).toMatchObject(problem(status, detail));
  });
});

describe('unlink-identity', () => {
  test('ends the sessions of the identity, after which its next sign-in creates another user', async () => {
    const session = await signInToConsole();
    const username = await usernameOf(session);
    await api.admin('add-member', { organization: 'acme', username });
    await api.admin('link-identity', { username, provider: 'acme', subject: `${person}-2` });
    const other = await signInToConsole(`${person}-2`);
    const unlinked = await api.admin('unlink-identity', { username, provider: 'acme', subject: person });
    expect(unlinked).toMatchObject({
      ...{ unlinked: true, endedSessions: 1, left: 0 },
      identities: [{ provider: 'acme', subject: `${person}-2` }],
    });
    expect([await statusOf(session.token), await statusOf(other.token)]).toEqual([401, 200]);
    expect(await usernameOf(await signInToConsole())).not.toBe(username);
    const [entry] = await trailOf('identity.unlinked');
    expect(entry.attributes).toMatchObject({
      actor: { kind: 'service', id: 'admin' },
      details: { signIn: { provider: 'acme' } },
    });
  });

  test('ends the sessions when it is repeated, wherever it crashed', async () => {
    let finished = false;
    for (let at = 1; !finished; at++) {
      expect(at).toBeLessThan(10);
      const subject = `${person}-${at}`;
      const session = await signInToConsole(subject);
      const command = { username: await usernameOf(session), provider: 'acme', subject };
      finished = await openAdmin(crashing(api.engine.database, at, 'after'))
        .admin('unlink-identity', command)
        .then(
          () => true,
          () => false,
        );
      expect(await api.admin('unlink-identity', command)).toMatchObject({ unlinked: false, identities: [] });
      expect(await statusOf(session.token)).toBe(401);
    }
  });

  test('leaves no session that was started at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const subject = `${person}-${round}`;
      const username = await usernameOf(await signInToConsole(subject));
      const { authorization, cookie } = await startSignIn(api, 'acme');
      provider.claims = { sub: subject, preferred_username: subject };
      const [reply] = await Promise.all([
        comeBack(api, responseTo(authorization), cookie),
        api.admin('unlink-identity', { username, provider: 'acme', subject }),
      ]);
      const token = (await requestToken(api, cookiesOf(reply))).body.access_token;
      if (token !== undefined) expect(await usernameOf({ token })).not.toBe(username);
    }
  });

  test('unlinks an identity of a provider that is not in the settings any more', async () => {
    const session = await signInToConsole();
    const command = { username: await usernameOf(session), provider: 'acme', subject: person };
    expect(await openAdmin(api.engine.database).admin('unlink-identity', command)).toMatchObject({ unlinked: true });
  });
});

describe('an identity provider that does not respond', () => {
  test('leaves sessions and tokens as they are', async () => {
    const down = await startForgingProvider();
    const other = await startApi({ identityProviders: [identityProvider({ name: 'acme', issuer: down.url })] });
    const { authorization, cookie } = await startSignIn(other, 'acme');
    down.claims = { sub: person, preferred_username: person };
    const session = cookiesOf(await comeBack(other, responseTo(authorization), cookie));
    const { token } = (await other.admin('create-organization', { name: 'acme', email: 'root@example.com' })) as {
      token: string;
    };
    await down.stop();
    const renewed = await requestToken(other, session);
    expect(renewed.status).toBe(200);
    for (const one of [renewed.body.access_token, token]) {
      expect((await other.request('GET', '/account/details', { token: one })).status).toBe(200);
    }
    await other.stop();
  });
});
