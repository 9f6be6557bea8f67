import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { openBrowserSessions } from '../../../functions/sign-in/sessions.ts';
import { digestOf } from '../../../shared/access/credentials.ts';
import { now } from '../../../shared/lib/clock.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { openDirectoryWriter } from '../../../shared/store/directory/directory-writer.ts';
import { openIdentities } from '../../../shared/store/directory/tokens/identity.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { crashing } from '../../support/faults/crashing-database.ts';
import { followHistory } from '../../support/history/history-follower.ts';

let api: Api;
let history: Awaited<ReturnType<typeof followHistory>>;
let owner: string;
/** Name of a new user for each test, and of a member of the organization `acme`. */
let username: string;

const sessionsOf = (database: Database) => openBrowserSessions(openDirectoryWriter(database, now));
const request = () =>
  ({ id: base58(12), principal: { kind: 'identity-provider', id: 'corporate', name: 'corporate' } }) as const;

/** Signs a person in, whose subject is the username. @returns the secret of the new session. */
const startSession = async (subject = username, provider = 'corporate'): Promise<string> => {
  const sessions = sessionsOf(api.engine.database);
  const { sessionSecret } = await sessions.signIn(request(), {
    provider: { name: provider, issuer: `https://${provider}.example`, trustedEmailDomains: ['example.com'] },
    ...{ subject, username: subject, email: `${subject}@example.com`, emailVerified: true, groups: [] },
    limits: { hours: 12, idleMinutes: 60 },
  });
  return sessionSecret;
};

/** Renews a session. @returns a token of it; '' if it has ended. */
const renew = async (sessionSecret: string): Promise<string> =>
  (await sessionsOf(api.engine.database).renew(request(), sessionSecret))?.token ?? '';

const signIn = async (subject?: string, provider?: string): Promise<string> =>
  renew(await startSession(subject, provider));

const createToken = async (name = username): Promise<string> =>
  (await api.admin('create-token', { kind: 'user', username: name })).token;

const statusOf = async (token: string, path = '/organizations/acme') =>
  (await api.request('GET', path, { token })).status;

const actionsOf = async (): Promise<readonly string[]> => {
  await history.record();
  const { body } = await api.request('GET', '/organizations/acme/audit-trail?page[size]=100', { token: owner });
  return body.data
    .filter(({ attributes }: { attributes: { details: { user?: { id: string } } } }) => attributes.details !== null)
    .map(({ attributes }: { attributes: { action: string } }) => attributes.action);
};

beforeAll(async () => {
  api = await startApi();
  history = await followHistory(api);
  owner = (await api.admin('create-organization', { name: 'acme', email: 'root@example.com' })).token;
});

beforeEach(async () => {
  username = `u${base58(8)}`;
  await api.admin('create-user', { username, email: `${username}@example.com` });
  await api.admin('add-member', { organization: 'acme', username });
});

afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

describe('suspend-user', () => {
  test('rejects every token and session of the user until resume-user, which brings back the tokens', async () => {
    const tokens = [await createToken(), await createToken()];
    const session = await signIn();
    const suspended = await api.admin('suspend-user', { username });
    expect(suspended).toMatchObject({
      user: { username, suspendedAt: expect.stringMatching(/^\d{4}-/) },
      ...{ suspended: true, suspendedTokens: 3, endedSessions: 1, left: 0 },
    });
    expect(await Promise.all([...tokens, session].map((token) => statusOf(token)))).toEqual([401, 401, 401]);
    const resumed = await api.admin('resume-user', { username });
    expect(resumed).toMatchObject({ user: { username }, resumed: true, resumedTokens: 2 });
    expect(resumed['user']).not.toHaveProperty('suspendedAt');
    expect(await Promise.all([...tokens, session].map((token) => statusOf(token)))).toEqual([200, 200, 401]);
    expect(await statusOf(await signIn())).toBe(200);
  });

  test('is in force within five seconds where the token is cached, and so is its end', async () => {
    const digest = digestOf(await createToken());
    vi.useFakeTimers({ toFake: ['Date'] });
    const identities = openIdentities(api.engine.database, now, 4, 0);
    const find = () => identities.findToken(digest, false);
    expect(await find()).toBeDefined();
    await api.admin('suspend-user', { username });
    vi.setSystemTime(Date.now() + 4_001);
    expect(await find()).toBeUndefined();
    expect(await identities.findToken(digest, true)).toBeUndefined();
    await api.admin('resume-user', { username });
    expect(await identities.findToken(digest, true)).toBeDefined();
    vi.useRealTimers();
  });

  test('leaves memberships and held locks as they are', async () => {
    const token = await createToken();
    await api.admin('add-member', { organization: 'acme', team: 'owners', username });
    const body = { data: { type: 'workspaces', attributes: { name: username } } };
    const { id } = (await api.request('POST', '/organizations/acme/workspaces', { token, body })).body.data;
    expect((await api.request('POST', `/workspaces/${id}/actions/lock`, { token })).status).toBe(200);
    await api.admin('suspend-user', { username });
    expect((await api.request('GET', `/workspaces/${id}`, { token: owner })).body.data.attributes.locked).toBe(true);
    await api.admin('resume-user', { username });
    expect((await api.request('POST', `/workspaces/${id}/actions/unlock`, { token })).status).toBe(200);
  });

  test('leaves other users and the tokens of their teams as they are', async () => {
    const team = (await api.admin('create-token', { kind: 'team', organization: 'acme', team: 'owners' })).token;
    await api.admin('suspend-user', { username });
    expect([await statusOf(owner), await statusOf(team)]).toEqual([200, 200]);
  });

  test('prevents new tokens and sign-ins, and says why', async () => {
    await signIn();
    await api.admin('suspend-user', { username });
    const refused = { errors: [{ status: '409', detail: `The user ${username} is suspended.` }] };
    expect(await api.admin('create-token', { kind: 'user', username })).toMatchObject(refused);
    await expect(signIn()).rejects.toThrow(`The user ${username} is suspended.`);
  });

  test('prevents a first sign-in with the e-mail address of the user', async () => {
    await api.admin('suspend-user', { username });
    await expect(signIn()).rejects.toThrow(`The user ${username} is suspended.`);
  });

  test('prevents a terraform login that was allowed before', async () => {
    const verifier = base58(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const consent = { port: 10_004, state: 'state', code_challenge: challenge };
    const { body } = await api.request('POST', '/oauth2/consent', { token: await createToken(), body: consent });
    await api.admin('suspend-user', { username });
    const form = new URLSearchParams({
      ...{ grant_type: 'authorization_code', client_id: 'terraform-cli', code_verifier: verifier },
      code: new URL(body.redirect_to).searchParams.get('code') ?? '',
      redirect_uri: 'http://localhost:10004/login',
    });
    const reply = await api.request('POST', '/oauth2/token', {
      body: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_grant']);
  });

  test('can be repeated, as resume-user can', async () => {
    const token = await createToken();
    for (const suspended of [true, false]) {
      expect(await api.admin('suspend-user', { username })).toMatchObject({ suspended, endedSessions: 0 });
    }
    expect(await statusOf(token)).toBe(401);
    for (const resumed of [true, false]) {
      expect(await api.admin('resume-user', { username })).toMatchObject({ resumed });
    }
    expect(await statusOf(token)).toBe(200);
  });

  test('keeps the suspension when the user is renamed, and ends with the user', async () => {
    const token = await createToken();
    await api.admin('suspend-user', { username });
    const newUsername = `${username}-2`;
    await api.admin('update-user', { username, newUsername });
    expect(await statusOf(token)).toBe(401);
    expect(await api.admin('delete-user', { username: newUsername })).toEqual({ deleted: newUsername });
    expect(await statusOf(token)).toBe(401);
  });

  test.each(['suspend-user', 'resume-user'])(
    'leaves an entry for %s in the audit trail of each organization',
    async (command) => {
      const other = `o-${base58(8)}`;
      const { token } = await api.admin('create-organization', { name: other, email: 'root@example.com' });
      await api.admin('add-member', { organization: other, username });
      for (const one of ['suspend-user', 'resume-user']) await api.admin(one, { username });
      await history.record();
      const action = command === 'suspend-user' ? 'user.suspended' : 'user.resumed';
      const [entry, ...more] = (
        await api.request('GET', `/organizations/${other}/audit-trail?filter[action]=${action}`, { token })
      ).body.data;
      expect(more).toEqual([]);
      expect(entry.attributes).toMatchObject({ action, actor: { kind: 'service', id: 'admin' } });
      expect(await actionsOf()).toContain(action);
    },
  );

  test.each(['suspend-user', 'resume-user'])('reports an unknown user of %s', async (command) => {
    expect(await api.admin(command, { username: 'nobody' })).toMatchObject({
      errors: [{ status: '404', detail: 'There is no user nobody.' }],
    });
  });
});

describe('a suspension that is interrupted', () => {
  test.each(['before', 'after'] as const)(
    'is complete when the command is repeated, if it crashed %s any write',
    async (when) => {
      const tokens: string[] = [];
      // Two transactions mark the tokens.
      for (let count = 0; count < 41; count++) tokens.push(await createToken());
      const session = await signIn();
      const statuses = async () => new Set(await Promise.all([...tokens, session].map((token) => statusOf(token))));
      for (const command of ['suspend-user', 'resume-user']) {
        let finished = false;
        for (let at = 1; !finished; at++) {
          expect(at).toBeLessThan(10);
          finished = await openAdmin(crashing(api.engine.database, at, when))
            .admin(command, { username })
            .then(
              () => true,
              () => false,
            );
        }
        await api.admin(command, { username });
        expect(await statuses()).toEqual(command === 'suspend-user' ? new Set([401]) : new Set([200, 401]));
        expect((await api.admin('check-table')).findings).toEqual([]);
      }
    },
  );

  test('is reported by check-table until the command is repeated', async () => {
    await createToken();
    await openAdmin(crashing(api.engine.database, 1, 'after'))
      .admin('suspend-user', { username })
      .catch(() => undefined);
    const { findings } = await api.admin('check-table');
    expect(findings).toMatchObject([{ problem: 'its user is suspended and it is not: repeat suspend-user' }]);
    await api.admin('suspend-user', { username });
  });
});

describe('suspensions at the same time', () => {
  test('leave a user with all tokens in the same state', async () => {
    const tokens = await Promise.all([1, 2, 3, 4].map(() => createToken()));
    for (let round = 0; round < 10; round++) {
      await Promise.all(['suspend-user', 'resume-user', 'suspend-user'].map((one) => api.admin(one, { username })));
      const { user } = await api.admin('update-user', { username });
      // A command that lost the race says so, and is sent again.
      await api.admin(user.suspendedAt === undefined ? 'resume-user' : 'suspend-user', { username });
      const expected = user.suspendedAt === undefined ? 200 : 401;
      expect(new Set(await Promise.all(tokens.map((token) => statusOf(token))))).toEqual(new Set([expected]));
    }
  });

  test('never leave a usable token that was created meanwhile', async () => {
    for (let round = 0; round < 10; round++) {
      const [, ...created] = await Promise.all([
        api.admin('suspend-user', { username }),
        ...[1, 2, 3].map(() => api.admin('create-token', { kind: 'user', username })),
      ]);
      const texts = created.flatMap(({ token }) => (token === undefined ? [] : [token as string]));
      expect((await Promise.all(texts.map((token) => statusOf(token)))).every((status) => status === 401)).toBe(true);
      await api.admin('resume-user', { username });
    }
  });

  test('never leave a session that was started meanwhile', async () => {
    await signIn();
    for (let round = 0; round < 10; round++) {
      const [, ...started] = await Promise.all([
        api.admin('suspend-user', { username }),
        ...[1, 2, 3, 4].map(() => startSession().catch(() => '')),
      ]);
      expect(await Promise.all(started.map(renew))).toEqual(['', '', '', '']);
      await api.admin('resume-user', { username });
      expect(await Promise.all(started.map(renew))).toEqual(['', '', '', '']);
    }
  });
});

describe('end-sessions', () => {
  test('ends the sessions of a user, and leaves other tokens valid', async () => {
    const token = await createToken();
    const sessions = [await signIn(), await signIn()];
    expect(await api.admin('end-sessions', { username })).toEqual({ endedSessions: 2, left: 0 });
    expect(await Promise.all([token, ...sessions].map((one) => statusOf(one)))).toEqual([200, 401, 401]);
    expect(await api.admin('end-sessions', { username })).toEqual({ endedSessions: 0, left: 0 });
    expect(await actionsOf()).toContain('session.ended');
  });

  test('ends the sessions of everybody at an identity provider', async () => {
    const provider = `p${base58(6).toLowerCase()}`;
    const people = await Promise.all([1, 2, 3].map(() => signIn(`v${base58(8)}`, provider)));
    const elsewhere = await signIn();
    expect(await api.admin('end-sessions', { provider })).toEqual({ endedSessions: 3, left: 0 });
    const statuses = await Promise.all([...people, elsewhere].map((one) => statusOf(one, '/account/details')));
    expect(statuses).toEqual([401, 401, 401, 200]);
  });

  test('says how many are left when its time is over', async () => {
    await signIn();
    const { handler } = openAdmin(api.engine.database);
    const command = { command: 'end-sessions', username };
    expect(await handler(command, { getRemainingTimeInMillis: () => 10_000 })).toEqual({ endedSessions: 0, left: 1 });
    expect(await handler(command, { getRemainingTimeInMillis: () => 50_000 })).toEqual({ endedSessions: 1, left: 0 });
  });

  test.each([{}, { username: 'ada', provider: 'corporate' }])(
    'requires either a user or a provider, not %j',
    async (given) => {
      expect(await api.admin('end-sessions', given)).toMatchObject({
        errors: [{ status: '422', detail: 'Exactly one of username and provider must be given' }],
      });
    },
  );
});
