import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildRunner } from '../../../infra/build/runner.ts';
import { type ReadableSecrets, readSecretsStatements } from '../../../infra/constructs/secrets-policy.ts';
import * as library from '../../../shared/runner/index.ts';
import type { EffectiveVariable, ReadVariables, RunnerOptions } from '../../../shared/runner/types.ts';
import { type Api, CACHED, startApi } from '../../support/api/api.ts';
import { keyArnFromName } from '../../support/api/key-service.ts';
import { laterThanNode20 } from '../../support/package/later-than-node-20.ts';
import { isAllowed, type PolicyStatement } from '../../support/runner/iam-policy.ts';
import {
  type PolicyProxy,
  type RecordedRequest,
  startPolicyProxy,
  tableArn,
} from '../../support/runner/policy-proxy.ts';

/** The library for runners against the table and the key service, under the policy of `grantReadSecrets` (RUNNER-5). */
let api: Api;
let proxy: PolicyProxy;
let owner: string;
let project: string;
let workspace: string;
let other: string;
/** Variable sets that apply to the workspace: a global one, one of its project, and one with priority that is assigned to it. */
let global: string;
let ofProject: string;
let priority: string;
let reads: string[];

const resource = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships && { relationships }) },
});
const send = async (method: string, path: string, body?: unknown): Promise<string> => {
  const response = await api.request(method, path, { token: owner, ...(body !== undefined && { body }) });
  expect(response.status, JSON.stringify(response.body)).toBeLessThan(300);
  return response.body?.data.id;
};
const toMany = (type: string, id: string) => ({ data: [{ type, id }] });
const variablesOf = (target: string) =>
  target.startsWith('ws-') ? `/workspaces/${target}/vars` : `/varsets/${target}/relationships/vars`;
const setVariable = (target: string, key: string, attributes: object = {}) =>
  send('POST', variablesOf(target), resource('vars', { key, category: 'env', ...attributes }));
const deleteVariable = (target: string, id: string) => send('DELETE', `${variablesOf(target)}/${id}`);

const open = (options: Partial<RunnerOptions> = {}, { openVariables } = library): ReadVariables =>
  openVariables({
    tableName: api.engine.tableName,
    secretsKeyArn: api.keyService.keyArn,
    aws: {
      region: 'eu-central-1',
      endpoints: { dynamodb: proxy.endpoint, kms: proxy.endpoint },
      credentials: async () => ({ accessKeyId: 'local', secretAccessKey: 'local' }),
    },
    ...options,
  });
const read = async (id = workspace, options: Partial<RunnerOptions> = {}) => (await open(options)(id)).variables;
const valuesIn = (variables: readonly EffectiveVariable[]) =>
  Object.fromEntries(variables.map(({ category, key, value }) => [`${category}.${key}`, value]));
const policy = (scope: ReadableSecrets): PolicyStatement[] =>
  readSecretsStatements(
    {
      table: { arn: tableArn(api.engine.tableName), keyArn: 'arn:aws:kms:eu-central-1:000000000000:key/table' },
      secretsKeyArn: api.keyService.keyArn,
    },
    scope,
    'eu-central-1',
  ).map(({ actions, resourceArns, conditions }) => ({
    Effect: 'Allow',
    Action: actions,
    Resource: resourceArns,
    Condition: conditions,
  }));
const secret = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:db/password-AbCdEf';
const allow = (prefixes: readonly string[]) =>
  send('PATCH', '/organizations/acme', resource('organizations', { 'allowed-value-references': prefixes }));
const decryptions = () => proxy.requests().filter(({ action }) => action === 'kms:Decrypt');

beforeAll(async () => {
  api = await startApi({ cacheSeconds: CACHED.cacheSeconds });
  proxy = await startPolicyProxy(api.engine.endpoint, api.keyService.endpoint);
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));
  await allow(['ssm:/acme', secret]);
  project = await send(
    'POST',
    '/organizations/acme/projects',
    resource('projects', { name: 'Network', 'allowed-value-references': ['ssm:/network/'] }),
  );
  const parent = { project: { data: { type: 'projects', id: project } } };
  workspace = await send('POST', '/organizations/acme/workspaces', resource('workspaces', { name: 'web' }, parent));
  other = await send('POST', '/organizations/acme/workspaces', resource('workspaces', { name: 'other' }, parent));
  const createSet = (attributes: object, relationships?: object) =>
    send('POST', '/organizations/acme/varsets', resource('varsets', attributes, relationships));
  global = await createSet({ name: 'all', global: true });
  ofProject = await createSet({ name: 'network' }, { projects: toMany('projects', project) });
  priority = await createSet({ name: 'enforced', priority: true }, { workspaces: toMany('workspaces', workspace) });
  await setVariable(global, 'LEVEL', { value: 'global' });
  await setVariable(global, 'GLOBAL', { value: 'from everywhere', sensitive: true });
  await setVariable(ofProject, 'LEVEL', { value: 'project' });
  await setVariable(workspace, 'LEVEL', { value: 'workspace' });
  await setVariable(workspace, 'FORCED', { value: 'own', sensitive: true });
  await setVariable(priority, 'FORCED', { value: 'forced', sensitive: true });
  await setVariable(workspace, 'list', { value: '[1]', category: 'infra', hcl: true });
  await setVariable(other, 'OTHER', { value: 'hidden', sensitive: true });
});
beforeEach(() => {
  proxy.enforce(undefined);
  proxy.intercept(undefined);
  proxy.requests();
  reads = [];
});
afterAll(async () => {
  await proxy.stop();
  await api.stop();
});

describe('the variables that a runner reads', () => {
  it('a runner reads the variables in force, in the order of category and key, with decrypted values', async () => {
    const { workspace: found, variables } = await open()(workspace);
    expect(found).toEqual({ id: workspace, name: 'web', organization: 'acme', project });
    expect(variables.map(({ id: _, ...rest }) => rest)).toEqual([
      { category: 'env', key: 'FORCED', value: 'forced', hcl: false, sensitive: true, variableSet: priority },
      { category: 'env', key: 'GLOBAL', value: 'from everywhere', hcl: false, sensitive: true, variableSet: global },
      { category: 'env', key: 'LEVEL', value: 'workspace', hcl: false, sensitive: false },
      { category: 'infra', key: 'list', value: '[1]', hcl: true, sensitive: false },
    ]);
  });

  it('a runner reads the same variables in force as the list of the API has', async () => {
    const { body } = await api.request('GET', `/workspaces/${workspace}/all-vars`, { token: owner });
    expect((await read()).map(({ id }) => id)).toEqual(body.data.map(({ id }: { id: string }) => id));
  });

  it('cost one decryption for each secret in force, in the context of its variable', async () => {
    const variables = await read();
    const secrets = variables.filter(({ sensitive }) => sensitive);
    const contexts = decryptions().map(({ context }) => [
      context['kms:EncryptionContext:variableSet']?.[0],
      context['kms:EncryptionContext:variable']?.[0],
    ]);
    expect(contexts.sort()).toEqual(secrets.map(({ variableSet, id }) => [variableSet, id]).sort());
  });

  it('are those of a workspace without variable sets and variables', async () => {
    const alone = await send('POST', '/organizations/acme/workspaces', resource('workspaces', { name: 'alone' }));
    expect(valuesIn(await read(alone))).toEqual({ 'env.GLOBAL': 'from everywhere', 'env.LEVEL': 'global' });
  });

  it('do not exist if the workspace does not exist or is deleted', async () => {
    const deleted = await send('POST', '/organizations/acme/workspaces', resource('workspaces', { name: 'deleted' }));
    await api.request('POST', `/workspaces/${deleted}/actions/safe-delete`, { token: owner });
    for (const id of [deleted, 'ws-1111111111111111'])
      await expect(read(id)).rejects.toMatchObject({ name: 'RunnerError', code: 'workspace-not-found' });
  });

  it('are the same with the built package, which requires exact versions of the packages that it imports', async () => {
    const directory = new URL('../../../node_modules/.cache/runner-package/', import.meta.url);
    await buildRunner(fileURLToPath(directory));
    const built = (await import(new URL('index.js', directory).href)) as typeof library;
    expect((await open({}, built)(workspace)).variables).toEqual(await read());
    expect(await readFile(new URL('index.js', directory), 'utf8')).not.toMatch(laterThanNode20);
    const { dependencies } = JSON.parse(await readFile(new URL('package.json', directory), 'utf8'));
    expect(Object.keys(dependencies)).toContain('@aws-sdk/client-kms');
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(await readFile(new URL('index.d.ts', directory), 'utf8')).toContain(
      'openVariables: (options: RunnerOptions) => ReadVariables',
    );
  });

  it('cannot be decrypted with another key', async () => {
    await expect(read(workspace, { secretsKeyArn: keyArnFromName('other') })).rejects.toMatchObject({
      code: 'decryption-failed',
      message: expect.not.stringContaining('forced'),
    });
  });
});

describe('under the policy of grantReadSecrets, a runner', () => {
  it('reads its workspace with the variable sets that apply to it', async () => {
    proxy.enforce(policy({ workspaces: [workspace], variableSets: [global, ofProject, priority] }));
    expect(valuesIn(await read())).toMatchObject({ 'env.FORCED': 'forced', 'env.LEVEL': 'workspace' });
  });

  it('cannot read another workspace', async () => {
    proxy.enforce(policy({ workspaces: [workspace], variableSets: [global, ofProject, priority] }));
    await expect(read(other)).rejects.toMatchObject({ code: 'access-denied', message: expect.stringContaining(other) });
    expect(decryptions()).toEqual([]);
  });

  it('learns which variable set is missing, and decrypts nothing', async () => {
    proxy.enforce(policy({ workspaces: [workspace], variableSets: [global, ofProject] }));
    const message = expect.stringContaining(priority);
    await expect(read()).rejects.toMatchObject({ code: 'access-denied', message });
    expect(decryptions()).toEqual([]);
  });

  it('reads every workspace if all are granted', async () => {
    proxy.enforce(policy({ workspaces: 'all', variableSets: 'all' }));
    expect(valuesIn(await read(other))).toMatchObject({ 'env.OTHER': 'hidden' });
    expect(valuesIn(await read())).toMatchObject({ 'env.FORCED': 'forced' });
  });

  it('cannot decrypt the secrets of a workspace of which it may only read the items', async () => {
    const own = policy({ workspaces: [workspace], variableSets: [global, ofProject, priority] });
    const both = policy({ workspaces: [workspace, other], variableSets: [global, ofProject, priority] });
    proxy.enforce([
      ...both.filter(({ Action }) => !String(Action).includes('kms')),
      ...own.filter(({ Action }) => String(Action).includes('kms')),
    ]);
    await expect(read(other)).rejects.toMatchObject({ code: 'decryption-failed' });
  });

  it('sends 18 strongly consistent reads for three variable sets, each of named attributes of one partition', async () => {
    await read();
    const table = proxy.requests().filter(({ action }) => action.startsWith('dynamodb:'));
    expect(table).toHaveLength(18);
    expect(new Set(table.map(({ action }) => action))).toEqual(new Set(['dynamodb:GetItem', 'dynamodb:Query']));
    for (const { context, isConsistent } of table) {
      expect(isConsistent).toBe(true);
      expect(context['dynamodb:LeadingKeys']).toHaveLength(1);
      expect(context['dynamodb:Select']).toEqual(['SPECIFIC_ATTRIBUTES']);
    }
  });

  it('may not read other attributes, items of organizations by a query, or anything by a scan', () => {
    const statements = policy({ workspaces: [workspace], variableSets: 'all' });
    const resource = tableArn(api.engine.tableName);
    const allows = (action: string, key: string, attributes: readonly string[], select = 'SPECIFIC_ATTRIBUTES') =>
      isAllowed(statements, {
        action: `dynamodb:${action}`,
        resource,
        context: {
          'dynamodb:LeadingKeys': [key],
          'dynamodb:Attributes': attributes,
          'dynamodb:Select': [select],
        },
      });
    expect(allows('GetItem', `WS#${workspace}`, ['pk', 'sk', 'org'])).toBe(true);
    expect(allows('GetItem', `WS#${workspace}`, ['pk', 'sk', 'cur'])).toBe(false);
    expect(allows('GetItem', `WS#${workspace}`, ['pk', 'sk'], 'ALL_ATTRIBUTES')).toBe(false);
    expect(allows('GetItem', 'ORG#acme', ['pk', 'sk', 'sets'])).toBe(true);
    expect(allows('Query', 'ORG#acme', ['pk', 'sk', 'sets'])).toBe(false);
    expect(allows('GetItem', 'ORG#acme', ['pk', 'sk', 'value'])).toBe(false);
    expect(allows('Scan', `WS#${workspace}`, ['pk', 'sk'])).toBe(false);
    expect(allows('PutItem', `WS#${workspace}`, ['pk', 'sk'])).toBe(false);
    expect(allows('GetItem', 'TOK#0', ['pk', 'sk'])).toBe(false);
  });
});

describe('a value reference that is in force', () => {
  const clients: Partial<RunnerOptions> = {
    parameters: (region) => ({
      getParameter: async ({ Name, WithDecryption }) => {
        reads.push(`${region} ${Name} ${WithDecryption}`);
        return { Parameter: { Value: `value of ${Name}` } };
      },
    }),
    secrets: (region) => ({
      getSecretValue: async ({ SecretId }) => {
        reads.push(`${region} ${SecretId}`);
        return { SecretString: 'from Secrets Manager' };
      },
    }),
  };
  const withReference = async (target: string, reference: string, work: () => Promise<unknown>) => {
    const id = await setVariable(target, 'REFERENCE', { 'value-reference': reference });
    try {
      await work();
    } finally {
      await deleteVariable(target, id);
    }
  };

  it('is read as a decrypted parameter, in the region of the runner for a path', () =>
    withReference(workspace, 'ssm:/acme/password', async () => {
      const found = (await read(workspace, clients)).find(({ key }) => key === 'REFERENCE');
      expect(found).toMatchObject({
        value: 'value of /acme/password',
        sensitive: true,
        reference: 'ssm:/acme/password',
      });
      expect(reads).toEqual(['undefined /acme/password true']);
    }));

  it('is read as a secret in the region of its ARN', () =>
    withReference(global, secret, async () => {
      expect(valuesIn(await read(workspace, clients))).toMatchObject({ 'env.REFERENCE': 'from Secrets Manager' });
      expect(reads).toEqual([`eu-west-1 ${secret}`]);
    }));

  it('is allowed by the prefixes of the project for its workspaces, and not for a variable set of the organization', async () => {
    await withReference(workspace, 'ssm:/network/key', async () => {
      expect(valuesIn(await read(workspace, clients))).toMatchObject({ 'env.REFERENCE': 'value of /network/key' });
    });
    await allow(['ssm:/network/']);
    await withReference(ofProject, 'ssm:/network/key', async () => {
      await allow(['ssm:/acme', secret]);
      await expect(read(workspace, clients)).rejects.toMatchObject({ code: 'reference-not-allowed' });
    });
    expect(reads).toEqual(['undefined /network/key true']);
  });

  it('is not read once its prefix is removed, whatever the role of the runner may read', () =>
    withReference(workspace, 'ssm:/network/key', async () => {
      const prefixes = (list: readonly string[]) =>
        send('PATCH', `/projects/${project}`, resource('projects', { 'allowed-value-references': list }));
      await prefixes(['ssm:/networks/']);
      await expect(read(workspace, clients)).rejects.toMatchObject({
        code: 'reference-not-allowed',
        message: expect.stringContaining('ssm:/network/key'),
      });
      expect(reads).toEqual([]);
      await prefixes(['ssm:/network/']);
    }));

  it.each([
    ['ssm:/acme/password', /parameters/],
    [secret, /secrets/],
  ])('needs the client of its service: %s', (reference, message) =>
    withReference(workspace, reference, async () => {
      await expect(read()).rejects.toMatchObject({
        code: 'reference-not-readable',
        message: expect.stringMatching(message),
      });
    }),
  );

  it('that AWS does not return is an error that names it', () =>
    withReference(workspace, 'ssm:/acme/password', async () => {
      const fails = async () => {
        throw new Error('ParameterNotFound');
      };
      const broken = { parameters: () => ({ getParameter: fails }) };
      const empty = { parameters: () => ({ getParameter: async () => ({}) }) };
      for (const options of [broken, empty])
        await expect(read(workspace, options)).rejects.toMatchObject({
          code: 'reference-not-readable',
          message: expect.stringContaining('ssm:/acme/password'),
        });
    }));
});

describe('changes while a runner reads', () => {
  const partition = ({ context }: RecordedRequest) => context['dynamodb:LeadingKeys']?.[0];
  const isVariables = ({ prefix }: RecordedRequest) => prefix === 'V#';

  it('are seen completely or not at all: a variable that moves from a variable set to the workspace is not missed', async () => {
    const inSet = await setVariable(priority, 'MOVED', { value: 'set' });
    const ownRead = Promise.withResolvers<void>();
    let inWorkspace: string | undefined;
    proxy.intercept(async (request, forward) => {
      if (!isVariables(request)) return forward();
      if (partition(request) === `WS#${workspace}`) return forward().finally(() => ownRead.resolve());
      // The variables of the workspace have been read, and those of the variable set have not.
      if (partition(request) === `VARSET#${priority}` && inWorkspace === undefined) {
        await ownRead.promise;
        inWorkspace = await setVariable(workspace, 'MOVED', { value: 'workspace' });
        await deleteVariable(priority, inSet);
      }
      return forward();
    });
    expect(valuesIn(await read())).toMatchObject({ 'env.MOVED': 'workspace' });
    await deleteVariable(workspace, String(inWorkspace));
  });

  it('that do not end are reported as unavailable', async () => {
    const id = await setVariable(workspace, 'BUSY', { value: '' });
    let changes = 0;
    proxy.intercept(async (request, forward) => {
      if (isVariables(request) && partition(request) === `WS#${workspace}`) {
        const attributes = { value: String(++changes) };
        await send('PATCH', `${variablesOf(workspace)}/${id}`, { data: { type: 'vars', id, attributes } });
      }
      return forward();
    });
    await expect(read()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('keep changing'),
    });
    expect(changes).toBeGreaterThan(1);
    await deleteVariable(workspace, id);
  });
});
