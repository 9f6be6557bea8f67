import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCommandHandlers } from '../../../functions/admin/command-handlers.ts';
import { openAdminDependencies } from '../../../functions/admin/dependencies.ts';
import { createHandler } from '../../../functions/admin/handler.ts';
import { type Api, CACHED, startApi } from '../../support/api/api.ts';
import { followHistory } from '../../support/history/history-follower.ts';

interface Line {
  readonly id: string;
  readonly attributes: { readonly action: string; readonly 'created-at': string };
}

let api: Api;
let token: string;
let workspace: string;
let history: Awaited<ReturnType<typeof followHistory>>;

beforeAll(async () => {
  api = await startApi(CACHED);
  history = await followHistory(api);
  ({ token } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  const created = await send('POST', '/organizations/acme/workspaces', 'workspaces', { name: 'network' });
  workspace = created.id;
  await send('POST', `/workspaces/${workspace}/vars`, 'vars', { key: 'one', category: 'env', value: 'plain' });
  const secret = { key: 'two', category: 'env', value: 's3cret', sensitive: true };
  await send('POST', `/workspaces/${workspace}/vars`, 'vars', secret);
  await send('POST', '/organizations/acme/workspaces', 'workspaces', { name: 'other' });
  await history.record();
});
afterAll(() => api.stop());

const send = async (method: string, path: string, type: string, attributes: object) =>
  (await api.request(method, path, { token, body: { data: { type, attributes } } })).body.data;

const linesIn = (content: Buffer | string | undefined): Line[] =>
  (content?.toString() ?? '').split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
const exported = async (parameters: object): Promise<readonly Line[]> => {
  const { objects } = await api.admin('export-history', { organization: 'acme', ...parameters });
  return objects.flatMap((key: string) => linesIn(api.bucket.objects().get(key)));
};

describe('admin command export-history', () => {
  it('writes what owners see in the audit trail of an organization, in the same order', async () => {
    const { body } = await api.request('GET', '/organizations/acme/audit-trail?page[size]=100', { token });
    expect(body.links.next).toBeNull();
    expect(await exported({})).toEqual(body.data);
  });

  it('writes the history of a workspace that is given by its name or id, without sensitive values', async () => {
    const entries = await history.read(workspace, token);
    for (const nameOrId of ['network', workspace]) expect(await exported({ workspace: nameOrId })).toEqual(entries);
    const [key = ''] = [...api.bucket.objects().keys()].filter((one) => one.includes(workspace));
    expect(key).toMatch(new RegExp(`^history-exports/acme/${workspace}/.*\\.jsonl$`));
    const content = api.bucket.objects().get(key)?.toString() ?? '';
    expect(content).toContain('plain');
    expect(content).not.toContain('s3cret');
  });

  it('selects entries by the time of the change', async () => {
    const entries = await exported({});
    const since = entries[1]?.attributes['created-at'];
    const newer = entries.filter(({ attributes }) => attributes['created-at'] >= (since ?? ''));
    expect(await exported({ since })).toEqual(newer);
    expect(await exported({ until: '2020-01-01T00:00:00Z' })).toEqual([]);
  });

  it.each([[{}], [{ workspace: 'network' }]])(
    'continues %j from the cursor after the time has run out',
    async (what) => {
      const stored: Line[][] = [];
      const dependencies = openAdminDependencies(api.engine.database, Date.now, {
        storeExport: async (_, content) => stored.push(linesIn(content)),
        exportPart: 2,
      });
      const admin = createHandler(createCommandHandlers(dependencies), () => undefined);
      const command = { command: 'export-history', organization: 'acme', ...what };
      let cursor: string | undefined;
      do {
        const event = { ...command, ...(cursor !== undefined && { cursor }) };
        ({ cursor } = (await admin(event, { getRemainingTimeInMillis: () => 0 })) as { cursor?: string });
      } while (cursor !== undefined);
      expect(stored.length).toBeGreaterThan(1);
      expect(stored.every(({ length }) => length <= 2)).toBe(true);
      expect(stored.flat()).toEqual(await exported(what));
    },
  );

  it.each([
    [{ organization: 'nobody' }, '404'],
    [{ organization: 'acme', workspace: 'nowhere' }, '404'],
    [{ organization: 'acme', since: '2026-02-30T00:00:00Z' }, '422'],
    [{ organization: 'acme', cursor: '1-2' }, '422'],
  ])('rejects %j with %s', async (parameters, status) => {
    expect((await api.admin('export-history', parameters)).errors[0].status).toBe(status);
  });
});
