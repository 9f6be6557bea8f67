import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mapDemoGroups } from '../../../infra/local/service/demo-groups.ts';
import { type Service, startService } from '../../../infra/local/service/service.ts';
import { compileCache } from '../../support/setup/compile-cache.ts';
import { startForgingProvider } from '../../support/sign-in/forging-provider.ts';
import { openBrowser } from '../../support/sign-in/sign-in-at-provider.ts';

const dataFolder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
afterAll(() => rmSync(dataFolder, { recursive: true, force: true }));
const admin = fileURLToPath(new URL('../../../infra/local/admin.ts', import.meta.url));

import { hostBlock, type Services } from '../../../shared/client/host-block.ts';

/** Runs `npm run admin`. @returns its output. */
const runAdmin = async (...words: readonly string[]): Promise<string> => {
  const env = { PATH: '/usr/bin:/bin', HOLDFAST_DATA: dataFolder, ...compileCache() };
  const { stdout } = await promisify(execFile)(process.execPath, [admin, ...words], { env });
  return stdout.trim();
};

const localToken = (...words: readonly string[]): Promise<string> => runAdmin('local-token', ...words);

const send = async ({ baseUrl, token }: Service, path: string, data: object) => {
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data }),
  });
  return { status: response.status, body: (await response.json()) as { data: { id: string } } };
};

let team: string;
const createIdentity = (service: Service, issuer: string | undefined) =>
  send(service, '/organizations/demo/workload-identities', {
    type: 'workload-identities',
    attributes: { name: crypto.randomUUID(), issuer, conditions: [{ claim: '/sub', equals: ['repo:acme/network'] }] },
    relationships: { team: { data: { type: 'teams', id: team } } },
  });

describe('the local service with sign-in', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ dataFolder, signIn: true });
    const created = await send(service, '/organizations/demo/teams', {
      type: 'teams',
      attributes: { name: 'pipelines' },
    });
    team = created.body.data.id;
    // As the page getting started does before it comes to sign-in.
    await runAdmin('create-user', '--username', 'grace', '--email', 'grace@example.com');
  });
  afterAll(() => service.stop());

  const exchange = async (id: string, subjectToken: string): Promise<number> => {
    const response = await fetch(`${service.origin}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
        client_id: id,
        subject_token: subjectToken,
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      }),
    });
    return response.status;
  };

  it('gives a pipeline a token for an identity token of npm run admin', async () => {
    const { status, body } = await createIdentity(service, service.issuer);
    expect(status).toBe(201);
    expect(await exchange(body.data.id, await localToken('--claims', '{"sub":"repo:acme/network"}'))).toBe(200);
    expect(await exchange(body.data.id, await localToken('--claims={"sub":"repo:acme/other"}'))).toBe(400);
    const expired = JSON.stringify({ sub: 'repo:acme/network', exp: 1 });
    expect(await exchange(body.data.id, await localToken('--claims', expired))).toBe(400);
    expect(await runAdmin('help', 'local-token')).toContain('npm run admin -- local-token --claims');
  });

  it('has a host block with which terraform login and tofu login find it', async () => {
    const { origin } = service;
    const discovery = await fetch(`${origin}/.well-known/terraform.json`);
    const services = (await discovery.json()) as Services;
    expect(`${hostBlock(services, origin).join('\n')}\n`).toBe(`host "holdfast.local" {
  services = {
    "login.v1" = {
      client      = "terraform-cli"
      grant_types = ["authz_code"]
      authz       = "${origin}/oauth2/authorize"
      token       = "${origin}/oauth2/token"
      ports       = [10000, 10010]
    }
    "tfe.v2"   = "${origin}/api/v2/"
    "tfe.v2.1" = "${origin}/api/v2/"
    "tfe.v2.2" = "${origin}/api/v2/"
  }
}
`);
  });

  it('offers the embedded identity provider on its sign-in page', async () => {
    const response = await fetch(`${service.origin}/sign-in/providers`);
    expect(await response.json()).toMatchObject({
      data: [{ attributes: { name: 'local', label: 'People of the local service' } }],
    });
  });

  it('maps the groups of its people to the owners and a team, once', async () => {
    const steps: string[] = [];
    await mapDemoGroups(service, (step) => steps.push(step));
    await mapDemoGroups(service, (step) => steps.push(step));
    expect(steps).toEqual([]);
    const headers = { authorization: `Bearer ${service.token}` };
    const read = async (path: string) => (await fetch(service.baseUrl + path, { headers })).json();
    expect(await read('/organizations/demo')).toMatchObject({
      data: { attributes: { 'owners-team-saml-role-id': 'owners' } },
    });
    expect(await read('/organizations/demo/teams?filter%5Bnames%5D=builders')).toMatchObject({
      data: [{ attributes: { 'sso-team-id': 'builders', 'organization-access': { 'read-workspaces': true } } }],
    });
  });

  it.each([
    { sub: 'person-1', username: 'ada', status: 200, isOwner: true },
    { sub: 'person-2', username: 'grace', status: 200, isOwner: false },
    { sub: 'person-3', username: 'joan', status: 404 },
  ])(
    'signs in $username, also as a user who exists already, with the rights of the groups in the first request',
    async ({ sub, username, ...expected }) => {
      await mapDemoGroups(service, () => {});
      const cookiesOf = (response: Response) =>
        response.headers
          .getSetCookie()
          .map((cookie) => cookie.replace(/;.*/, ''))
          .join('; ');
      const started = await fetch(`${service.origin}/sign-in/local?to=/app`, { redirect: 'manual' });
      const callback = await openBrowser(service.issuer ?? '').signIn(started.headers.get('location') ?? '', sub);
      const ended = await fetch(callback, { redirect: 'manual', headers: { cookie: cookiesOf(started) } });
      expect(ended.headers.get('location')).toBe(`${service.origin}/app/sign-in?to=%2Fapp`);
      const session = await fetch(`${service.origin}/sign-in/session`, {
        method: 'POST',
        headers: { cookie: cookiesOf(ended), origin: service.origin, 'sec-fetch-site': 'same-origin' },
      });
      const { access_token: token } = (await session.json()) as { access_token: string };
      const get = (path: string) => fetch(service.baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
      const organization = await get('/organizations/demo');
      const { data } = (await organization.json()) as { data?: { attributes: { permissions: object } } };
      expect({ status: organization.status, permissions: data?.attributes.permissions }).toMatchObject({
        status: expected.status,
        ...(expected.isOwner !== undefined && { permissions: { 'can-destroy': expected.isOwner } }),
      });
      expect(await (await get('/account/details')).json()).toMatchObject({ data: { attributes: { username } } });
    },
  );

  it('reports groups that cannot be mapped', async () => {
    const steps: string[] = [];
    await mapDemoGroups({ ...service, token: 'hfu_wrong' }, (step) => steps.push(step));
    expect(steps).toEqual([expect.stringContaining('was rejected with 401')]);
  });

  it.each(['', '[]', '{', 'null'])('rejects claims that are not a JSON object: %j', async (claims) => {
    await expect(localToken('--claims', claims)).rejects.toThrow('The claims must be a JSON object');
  });
});

it('says that sign-in needs another port where the last one is chosen, which has no next one', async () => {
  const start = startService({ dataFolder: join(dataFolder, 'last-port'), port: 65_535, signIn: true });
  await expect(start).rejects.toThrow('65535 is the last: choose another port with PORT');
});

describe('the local service without sign-in', () => {
  it('sends people to an identity provider on this computer that the settings name', async () => {
    const provider = await startForgingProvider();
    const identityProviders = JSON.stringify([{ name: 'own', issuer: provider.url, clientId: 'holdfast' }]);
    const service = await startService({ dataFolder, settings: { identityProviders } });
    try {
      const started = await fetch(`${service.origin}/sign-in/own`, { redirect: 'manual' });
      expect(started.headers.get('location')).toContain(`${provider.url}/authorize?`);
      const other = await startService({
        dataFolder: join(dataFolder, 'behind-a-proxy'),
        settings: { identityProviders },
        publicUrl: 'https://holdfast.example.com',
      });
      const refused = await fetch(`${other.origin}/sign-in/own`, { redirect: 'manual' }).finally(() => other.stop());
      expect(await refused.text()).toContain('The issuer must begin with https://');
    } finally {
      await service.stop();
      await provider.stop();
    }
  });

  it('has no issuer, and rejects issuers on this computer', async () => {
    const service = await startService({ dataFolder });
    try {
      expect(service.issuer).toBeUndefined();
      expect((await createIdentity(service, 'http://localhost:8081')).status).toBe(422);
      await expect(localToken('--claims', '{}')).rejects.toThrow('start it with npm start -- --sign-in');
    } finally {
      await service.stop();
    }
  });
});
