import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { exists } from '../../../shared/domain/changes/conditions.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { keys, sortableTime, WORKSPACE } from '../../../shared/store/dynamodb/keys.ts';
import { update } from '../../../shared/store/items/item-write.ts';
import { tokenSubjectKey } from '../../../shared/store/items/record-items.ts';
import { startIssuer, type TestIssuer } from '../api/issuer.ts';
import { createState } from '../models/states/state-race.ts';
import type { CrashApi, Scenario } from './crash-run.ts';

/** Operations during which the service is killed, each with the actions of a client that received no response. */

const BASE = '/organizations/demo/workspaces';

const createWorkspace = async ({ call }: CrashApi, name: string): Promise<{ id: string; name: string }> => {
  const { status, body } = await call('POST', BASE, { data: { type: 'workspaces', attributes: { name } } });
  if (status !== 201) throw new Error(`The workspace could not be created: ${JSON.stringify(body)}`);
  return { id: body.data.id, name };
};

const act = ({ call }: CrashApi, id: string, action: string, body?: object) =>
  call('POST', `/workspaces/${id}/actions/${action}`, body);

const expectThat = (holds: boolean, expectation: string, found: unknown): void => {
  if (!holds) throw new Error(`Expected that ${expectation}, found ${JSON.stringify(found)}`);
};

const locked = async ({ call }: CrashApi, id: string): Promise<boolean> => {
  const { body } = await call('GET', `/workspaces/${id}`);
  return body.data.attributes.locked;
};

const STATE = { serial: 1, resources: 2 };

/** Uploads a state as the command line does: creates the version, then uploads the content to the bucket. */
const upload = async ({ call, put }: CrashApi, id: string, intermediate = false): Promise<string> => {
  const content = createState(STATE.serial, STATE.resources);
  const md5 = createHash('md5').update(content).digest('hex');
  const attributes = { serial: STATE.serial, md5, lineage: 'race', intermediate };
  const made = await call('POST', `/workspaces/${id}/state-versions`, { data: { type: 'state-versions', attributes } });
  expectThat(made.status === 201, 'a state version can be created', made);
  const status = await put(made.body.data.attributes['hosted-state-upload-url'], content);
  expectThat(status === 200, 'its content can be uploaded', status);
  return made.body.data.id;
};

const LEASE = { 'lease-seconds': 60 };

/** Moves the end of the lease of the lock into the past. */
const expireLease = async ({ table }: CrashApi, id: string): Promise<void> => {
  const change = { set: { 'lock.expiresAt': Date.now() - 1_000 } };
  await table.write(update(keys.workspace(id), change, exists('lock.expiresAt')));
};

/** Moves the end of the time in which the workspace can be restored into the past. */
const endRestorableTime = async ({ table }: CrashApi, id: string): Promise<void> => {
  const end = Date.now() - 1_000;
  await table.write(update(keys.workspace(id), { set: { pa: end, dk: sortableTime(end) } }, exists('pa')));
};

/** Creates a workspace with a sensitive variable, and deletes it. */
const createDeletedWorkspace = async (api: CrashApi, name: string): Promise<{ id: string; name: string }> => {
  const made = await createWorkspace(api, name);
  const attributes = { key: 'k', value: 's3cret', category: 'env', sensitive: true };
  await api.call('POST', `/workspaces/${made.id}/vars`, { data: { type: 'vars', attributes } });
  const { status } = await api.call('DELETE', `/workspaces/${made.id}`);
  expectThat(status === 204, 'the workspace can be deleted', status);
  return made;
};

const cleanUp = ({ invoke }: CrashApi): Promise<unknown> => invoke('cleanup', {});

/** Runs the cleanup again, without waiting for 15 minutes if the function survived the kill and postponed the workspace. */
const cleanUpAgain = async (api: CrashApi, id: string): Promise<void> => {
  const item = await api.table.get(keys.workspace(id), true);
  const change = { set: { dk: sortableTime(Date.now() - 1_000) } };
  if (item?.['d'] !== undefined) await api.table.write(update(keys.workspace(id), change, exists('d')));
  await cleanUp(api);
};

const expectPurged = async ({ call, table }: CrashApi, id: string): Promise<void> => {
  expectThat((await call('GET', `/deleted-workspaces/${id}`)).status === 404, 'the workspace is purged', id);
  const items = await table.query({ partition: keys.workspace(id).pk, consistent: true });
  const sortKeys = items.map(({ sk }) => sk);
  expectThat(sortKeys.length === 1 && sortKeys[0] === WORKSPACE, 'only its tombstone is left', sortKeys);
};

interface RunContext {
  readonly id: string;
  readonly run: string;
  readonly began: number;
}

const reportRun = ({ tell }: CrashApi, { id, run, began }: RunContext, status: string, minute: number) => {
  const at = (minutes: number) => new Date(began + 60_000 * minutes).toISOString();
  const report = { id: run, status, at: at(minute), 'created-at': at(0), 'plan-only': false };
  return tell('run.updated', { organization: 'demo', workspace: id, run: report });
};

/** Creates a workload identity of an issuer that survives the service, and exchanges a first identity token. */
const createPipeline = async (api: CrashApi, name: string) => {
  const issuer = await startIssuer('crash');
  const team = await api.call('POST', '/organizations/demo/teams', { data: { type: 'teams', attributes: { name } } });
  const conditions = [{ claim: '/sub', equals: ['repo:acme/network'] }];
  const { body } = await api.call('POST', '/organizations/demo/workload-identities', {
    data: {
      type: 'workload-identities',
      attributes: { name, issuer: issuer.url, audience: 'crash', conditions },
      relationships: { team: { data: { type: 'teams', id: team.body.data.id } } },
    },
  });
  const pipeline = { id: String(body.data.id), issuer };
  const { access_token: token } = (await exchange(api, pipeline)).body;
  expectThat((await api.statusOf(token, '/organizations/demo')) === 200, 'the token of the pipeline works', body);
  return { ...pipeline, token: String(token) };
};

const exchange = async ({ post }: CrashApi, { id, issuer }: { id: string; issuer: TestIssuer }) =>
  post('/oauth2/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    client_id: id,
    subject_token: await issuer.sign(),
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  });

const VERIFIER = 'verifier-0123456789-0123456789-0123456789-0123';

/** Allows the login of a command line. @returns the parameters with which it redeems the code. */
const allowLogin = async ({ call }: CrashApi): Promise<Record<string, string>> => {
  const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
  const { body } = await call('POST', '/oauth2/consent', { port: 10_000, state: 'state', code_challenge: challenge });
  return {
    grant_type: 'authorization_code',
    client_id: 'terraform-cli',
    code: new URL(body.redirect_to).searchParams.get('code') ?? '',
    redirect_uri: 'http://localhost:10000/login',
    code_verifier: VERIFIER,
  };
};

export const scenarios: readonly Scenario[] = [
  {
    name: 'create',
    prepare: async (_, name) => ({ name }),
    act: ({ call }, { name }) => call('POST', BASE, { data: { type: 'workspaces', attributes: { name } } }),
    recover: async ({ call }, { name }) => {
      const again = await call('POST', BASE, { data: { type: 'workspaces', attributes: { name } } });
      expectThat(
        [201, 422].includes(again.status),
        'the workspace is created, or exists after the first attempt',
        again,
      );
      expectThat((await call('GET', `${BASE}/${name}`)).status === 200, 'the workspace exists', name);
    },
  },
  {
    name: 'lock and unlock',
    prepare: createWorkspace,
    act: async (api, { id }) => {
      await act(api, id, 'lock');
      await act(api, id, 'unlock');
    },
    recover: async (api, { id }) => {
      if (await locked(api, id)) await act(api, id, 'unlock');
      expectThat((await act(api, id, 'lock')).status === 200, 'the workspace can be locked', id);
      expectThat((await act(api, id, 'unlock')).status === 200, 'the workspace can be unlocked', id);
    },
  },
  {
    name: 'a variable, and deletion',
    prepare: createWorkspace,
    act: async ({ call }, { id }) => {
      const attributes = { key: 'k', value: 's3cret', category: 'env', sensitive: true };
      await call('POST', `/workspaces/${id}/vars`, { data: { type: 'vars', attributes } });
      await call('POST', `/workspaces/${id}/actions/safe-delete`);
    },
    recover: async ({ call }, { id }) => {
      const again = await call('POST', `/workspaces/${id}/actions/safe-delete`);
      expectThat([204, 404].includes(again.status), 'the workspace is deleted', again);
      expectThat((await call('GET', `/workspaces/${id}`)).status === 404, 'the workspace does not exist', id);
    },
  },
  {
    name: 'a command',
    prepare: async (api, name) => {
      await api.invoke('admin', {
        command: 'create-team',
        organization: 'demo',
        name: 'robot',
        permissions: 'manage-workspaces',
        service: true,
      });
      return { command: 'create', id: name, organization: 'demo', principal: 'robot', attributes: { name } };
    },
    act: ({ invoke }, command) => invoke('automation', command),
    recover: async ({ invoke, call }, command) => {
      const made = await invoke('automation', command);
      expectThat(
        made.data?.attributes?.name === command.id,
        'the command is executed once, and returns the same result',
        made,
      );
      const shown = await call('GET', `${BASE}/${command.id}`);
      expectThat(shown.body.data?.id === made.data.id, 'the workspace of the result exists', shown);
    },
  },
  {
    name: 'a run',
    prepare: async (api, name) => ({
      ...(await createWorkspace(api, name)),
      run: `run-${base58(16)}`,
      began: Date.now(),
    }),
    act: async (api, context) => {
      await reportRun(api, context, 'planning', 1);
      // Waiting for the lock with requests would add calls to the scenario.
      await sleep(500);
      await reportRun(api, context, 'applied', 2);
    },
    recover: async (api, context) => {
      // Repeated reports have no effect.
      await reportRun(api, context, 'applied', 2);
      await reportRun(api, context, 'planning', 1);
      const { body } = await api.call('GET', `/workspaces/${context.id}?include=current_run`);
      const { locked: isLocked } = body.data.attributes;
      expectThat(!isLocked && body.included?.[0]?.attributes.status === 'applied', 'the run has ended', body.included);
    },
  },
  {
    name: 'a state',
    prepare: async (api, name) => {
      const made = await createWorkspace(api, name);
      await act(api, made.id, 'lock');
      return made;
    },
    act: async (api, { id }) => {
      await upload(api, id);
      await act(api, id, 'unlock');
    },
    recover: async (api, { id }) => {
      // A client whose connection was lost uploads the same state again, and unlocks.
      if (await locked(api, id)) {
        await upload(api, id);
        expectThat((await act(api, id, 'unlock')).status === 200, 'the workspace can be unlocked', id);
      }
      const current = await api.call('GET', `/workspaces/${id}/current-state-version`);
      expectThat(
        current.body.data?.attributes.serial === STATE.serial,
        'the current state is the uploaded one',
        current,
      );
      expectThat((await act(api, id, 'safe-delete')).status === 409, 'the workspace manages resources', id);
    },
  },
  {
    name: 'a lease and its renewal',
    prepare: createWorkspace,
    act: async (api, { id }) => {
      await act(api, id, 'lock', LEASE);
      await act(api, id, 'renew-lock');
    },
    recover: async (api, { id }) => {
      if (!(await locked(api, id))) await act(api, id, 'lock', LEASE);
      expectThat((await act(api, id, 'renew-lock')).status === 200, 'the holder can renew the lease', id);
      expectThat((await act(api, id, 'unlock')).status === 200, 'the workspace can be unlocked', id);
    },
  },
  {
    name: 'a lock after an expired lease',
    prepare: async (api, name) => {
      const made = await createWorkspace(api, name);
      await act(api, made.id, 'lock', LEASE);
      const version = await upload(api, made.id, true);
      const statusOf = async () => (await api.call('GET', `/state-versions/${version}`)).body.data.attributes.status;
      while ((await statusOf()) !== 'finalized') await sleep(50);
      await expireLease(api, made.id);
      return made;
    },
    act: (api, { id }) => act(api, id, 'lock'),
    recover: async (api, { id }) => {
      const current = await api.call('GET', `/workspaces/${id}/current-state-version`);
      expectThat(current.body.data?.attributes.serial === STATE.serial, 'the waiting state is current', current);
      if (!(await locked(api, id))) await act(api, id, 'lock');
      expectThat((await act(api, id, 'unlock')).status === 200, 'the workspace can be unlocked', id);
    },
  },
  {
    name: 'a restoration',
    prepare: createDeletedWorkspace,
    act: ({ call }, { id }) => call('POST', `/deleted-workspaces/${id}/actions/restore`),
    recover: async ({ call }, { id, name }) => {
      const again = await call('POST', `/deleted-workspaces/${id}/actions/restore`);
      expectThat([200, 404].includes(again.status), 'the workspace is restored, once', again);
      const shown = await call('GET', `${BASE}/${name}`);
      expectThat(shown.body.data?.id === id, 'the workspace has its name', shown);
      const variables = await call('GET', `/workspaces/${id}/vars`);
      expectThat(variables.body.data?.[0]?.attributes.key === 'k', 'the workspace has its variable', variables);
    },
  },
  {
    name: 'a permanent deletion',
    prepare: createDeletedWorkspace,
    act: async (api, { id }) => {
      await api.call('DELETE', `/deleted-workspaces/${id}`);
      await cleanUp(api);
    },
    recover: async (api, { id }) => {
      const again = await api.call('DELETE', `/deleted-workspaces/${id}`);
      expectThat([204, 404].includes(again.status), 'the workspace is purged, once', again);
      await cleanUpAgain(api, id);
      await expectPurged(api, id);
    },
  },
  {
    name: 'the end of the time to restore',
    prepare: async (api, name) => {
      const made = await createDeletedWorkspace(api, name);
      await endRestorableTime(api, made.id);
      return made;
    },
    act: (api) => cleanUp(api),
    recover: async (api, { id }) => {
      const late = await api.call('POST', `/deleted-workspaces/${id}/actions/restore`);
      expectThat(late.status === 404, 'the workspace can no longer be restored', late);
      await cleanUpAgain(api, id);
      await expectPurged(api, id);
    },
  },
  {
    name: 'an exchange, and the end of its workload identity',
    prepare: createPipeline,
    act: async (api, context) => {
      await exchange(api, context);
      await api.call('DELETE', `/workload-identities/${context.id}`);
    },
    recover: async (api, { token, ...pipeline }) => {
      const again = await api.call('DELETE', `/workload-identities/${pipeline.id}`);
      expectThat([204, 404].includes(again.status), 'the workload identity is deleted, once', again);
      const refused = await exchange(api, pipeline);
      expectThat(refused.status === 400, 'it gives no token any more', refused);
      const status = await api.statusOf(token, '/organizations/demo');
      expectThat(status === 401, 'the token that it gave before is revoked', status);
      const ofIdentity = await api.table.query({
        partition: tokenSubjectKey({ kind: 'workloadIdentity', id: pipeline.id })?.pk ?? '',
        consistent: true,
      });
      const tokens = ofIdentity.filter(({ ty }) => ty === 'token-of');
      expectThat(tokens.length === 0, 'no token of it is left', tokens);
      await pipeline.issuer.stop();
    },
  },
  {
    name: 'a login of a command line',
    prepare: async (api) => ({ form: await allowLogin(api) }),
    act: ({ post }, { form }) => post('/oauth2/token', form),
    recover: async (api, { form }) => {
      // The code is used up unless the service was killed before that. Its second use leaves no token.
      const again = await api.post('/oauth2/token', form);
      expectThat([200, 400].includes(again.status), 'the code brings a token once at most', again);
      expectThat((await api.post('/oauth2/token', form)).status === 400, 'the code is used up', again);
      const fresh = await api.post('/oauth2/token', await allowLogin(api));
      const status = await api.statusOf(String(fresh.body.access_token), '/account/details');
      expectThat(status === 200, 'another login brings a token', fresh);
      if (again.status !== 200) return;
      const late = await api.statusOf(String(again.body.access_token), '/account/details');
      expectThat(late === 401, 'the second use of the code has revoked its token', late);
    },
  },
];
