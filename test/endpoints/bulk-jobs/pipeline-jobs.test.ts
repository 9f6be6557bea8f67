import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../shared/access/credentials.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { update } from '../../../shared/store/items/item-write.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { startIssuer, type TestIssuer } from '../../support/api/issuer.ts';

/** Bulk jobs of pipelines, whose tokens are limited to some projects or workspaces (JOB-7). */
let api: Api;
let issuer: TestIssuer;
let owner: string;
let team: string;
let teamToken: string;
let project: string;
let count = 0;

const send = (method: string, path: string, token: string, data?: object, headers?: Record<string, string>) =>
  api.request(method, path, { token, ...(data && { body: { data } }), ...(headers && { headers }) });

const create = async (type: string, attributes: object, relationships: object = {}): Promise<string> => {
  const reply = await send('POST', `/organizations/acme/${type}`, owner, { type, attributes, relationships });
  expect(reply.status, JSON.stringify(reply.body)).toBe(201);
  return reply.body.data.id;
};
const toProject = (id: string) => ({ project: { data: { type: 'projects', id } } });
const createInside = () => create('workspaces', { name: `inside-${++count}` }, toProject(project));
const createOutside = () => create('workspaces', { name: `outside-${++count}` });

/** Creates a workload identity with a scope, and exchanges an identity token. @returns its id, and the token of the pipeline. */
const startPipeline = async (scope: object) => {
  const conditions = [{ claim: '/sub', equals: ['repo:acme/network'] }];
  const attributes = { name: `pipeline-${++count}`, issuer: issuer.url, conditions };
  const relationships = { team: { data: { type: 'teams', id: team } }, ...scope };
  const identity = await create('workload-identities', attributes, relationships);
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    client_id: identity,
    subject_token: await issuer.sign(),
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  };
  const reply = await api.request('POST', '/oauth2/token', {
    body: new URLSearchParams(form).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(reply.status, JSON.stringify(reply.body)).toBe(200);
  return { identity, token: String(reply.body.access_token) };
};
const inProject = () => ({ projects: { data: [{ type: 'projects', id: project }] } });

/** Creates a job that sets the description, and waits for its preview. */
const prepare = async (token: string, selection: object): Promise<string> => {
  const attributes = { action: 'update', parameters: { description: 'by a pipeline' }, selection, rate: 200 };
  const created = await send('POST', '/organizations/acme/bulk-jobs', token, { type: 'bulk-jobs', attributes });
  expect(created.status, JSON.stringify(created.body)).toBe(202);
  await api.lambda.runDeferred();
  return created.body.data.id;
};
const show = (id: string, token: string) => send('GET', `/bulk-jobs/${id}`, token);
const start = async (id: string, token: string): Promise<number> => {
  const { headers } = await show(id, token);
  const tag = { 'if-match': String(headers['etag']) };
  return (await send('POST', `/bulk-jobs/${id}/actions/apply`, token, undefined, tag)).status;
};
const attributesOf = async (id: string) => (await show(id, owner)).body.data.attributes;
const itemsOf = async (id: string, token: string) => (await send('GET', `/bulk-jobs/${id}/items`, token)).body.data;
const descriptionOf = async (id: string) =>
  (await send('GET', `/workspaces/${id}`, owner)).body.data.attributes.description;

beforeAll(async () => {
  api = await startApi();
  issuer = await startIssuer('http://holdfast.test');
  owner = (await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' })).token;
  team = await create('teams', { name: 'builders', 'organization-access': { 'manage-workspaces': true } });
  ({ token: teamToken } = await api.admin('create-token', { kind: 'team', organization: 'acme', team: 'builders' }));
  project = await create('projects', { name: 'Network' });
});
afterAll(async () => {
  await issuer.stop();
  await api.stop();
});

describe('a bulk job of a pipeline', () => {
  it.each(['projects', 'workspaces'] as const)(
    'that is limited to %s finds nothing outside by a filter, and refuses an id outside as unknown',
    async (kind) => {
      const [inside, outside] = [await createInside(), await createOutside()];
      const scope = kind === 'projects' ? inProject() : { workspaces: { data: [{ type: 'workspaces', id: inside }] } };
      const { token } = await startPipeline(scope);
      const found = await itemsOf(await prepare(token, { filter: { search: { name: `side-` } } }), token);
      const ids = found.map(
        (item: { relationships: { workspace: { data: { id: string } } } }) => item.relationships.workspace.data.id,
      );
      expect(ids).toContain(inside);
      expect(ids).not.toContain(outside);
      const job = await prepare(token, { ids: [inside, outside] });
      expect((await itemsOf(job, token))[1].attributes).toMatchObject({
        'workspace-name': null,
        error: { status: '404' },
      });
      expect(await start(job, token)).toBe(202);
      await api.lambda.runDeferred();
      expect(await attributesOf(job)).toMatchObject({
        status: 'complete',
        'outcome-counts': { applied: 1, refused: 1 },
      });
      expect([await descriptionOf(inside), await descriptionOf(outside)]).toEqual(['by a pipeline', null]);
    },
  );

  it('stays limited when the team applies it, so a workspace that was moved away is unknown to it', async () => {
    const [kept, moved] = [await createInside(), await createInside()];
    const { token } = await startPipeline(inProject());
    const job = await prepare(token, { ids: [kept, moved] });
    expect((await attributesOf(job))['preview-counts']).toMatchObject({ changed: 2 });
    const elsewhere = await create('projects', { name: `Elsewhere ${++count}` });
    const relationships = toProject(elsewhere);
    await send('PATCH', `/workspaces/${moved}`, owner, { type: 'workspaces', relationships });
    expect(await start(job, teamToken)).toBe(202);
    await api.lambda.runDeferred();
    expect(await attributesOf(job)).toMatchObject({ 'outcome-counts': { applied: 1, refused: 1, conflict: 0 } });
    expect(await descriptionOf(moved)).toBeNull();
    const [, item] = await itemsOf(job, owner);
    expect(item.attributes.error).toMatchObject({ status: '404' });
  });

  it('stays limited after its token has expired, until its workload identity is deleted', async () => {
    const { database } = api.engine;
    for (const isDeleted of [false, true]) {
      const [inside, outside] = [await createInside(), await createOutside()];
      const { identity, token } = await startPipeline(inProject());
      const job = await prepare(token, { ids: [inside, outside] });
      expect(await start(job, token)).toBe(202);
      await database.write(update(keys.token(digestOf(token)), { set: { expiresAt: 1 } }));
      await database.write(update(keys.bulkJob(job), { set: { 'caller.tokenExpiresAt': 1 } }));
      if (isDeleted) await send('DELETE', `/workload-identities/${identity}`, owner);
      await api.lambda.runDeferred();
      expect(await attributesOf(job)).toMatchObject(
        isDeleted
          ? { status: 'failed', 'outcome-counts': { applied: 0 } }
          : { status: 'complete', 'outcome-counts': { applied: 1, refused: 1 } },
      );
      expect(await descriptionOf(outside)).toBeNull();
    }
  });

  it('is unknown to other pipelines of the team, and a retry by its own pipeline is limited, too', async () => {
    const [inside, outside] = [await createInside(), await createOutside()];
    const [own, other] = [await startPipeline(inProject()), await startPipeline(inProject())];
    const job = await prepare(own.token, { ids: [inside, outside] });
    expect((await show(job, other.token)).status).toBe(404);
    expect((await send('POST', `/bulk-jobs/${job}/actions/cancel`, own.token)).status).toBe(202);
    expect((await send('POST', `/bulk-jobs/${job}/actions/retry`, other.token)).status).toBe(404);
    const retried = await send('POST', `/bulk-jobs/${job}/actions/retry`, own.token);
    await api.lambda.runDeferred();
    expect((await attributesOf(retried.body.data.id))['preview-counts']).toMatchObject({ changed: 1, refused: 1 });
  });
});
