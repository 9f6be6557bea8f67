import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { base58 } from '../../../shared/lib/random.ts';
import { createState } from '../models/states/state-race.ts';
import type { CrashApi, Scenario } from './crash-run.ts';

/** Operations during which the service is killed, each with the actions of a client that received no response. */

const BASE = '/organizations/demo/workspaces';

const createWorkspace = async ({ call }: CrashApi, name: string): Promise<{ id: string; name: string }> => {
  const { status, body } = await call('POST', BASE, { data: { type: 'workspaces', attributes: { name } } });
  if (status !== 201) throw new Error(`The workspace could not be created: ${JSON.stringify(body)}`);
  return { id: body.data.id, name };
};

const act = ({ call }: CrashApi, id: string, action: string) => call('POST', `/workspaces/${id}/actions/${action}`);

const expectThat = (holds: boolean, expectation: string, found: unknown): void => {
  if (!holds) throw new Error(`Expected that ${expectation}, found ${JSON.stringify(found)}`);
};

const locked = async ({ call }: CrashApi, id: string): Promise<boolean> => {
  const { body } = await call('GET', `/workspaces/${id}`);
  return body.data.attributes.locked;
};

const STATE = { serial: 1, resources: 2 };

/** Uploads a state as the command line does: creates the version, then uploads the content to the bucket. */
const upload = async ({ call, put }: CrashApi, id: string): Promise<void> => {
  const content = createState(STATE.serial, STATE.resources);
  const attributes = { serial: STATE.serial, md5: createHash('md5').update(content).digest('hex'), lineage: 'race' };
  const made = await call('POST', `/workspaces/${id}/state-versions`, { data: { type: 'state-versions', attributes } });
  expectThat(made.status === 201, 'a state version can be created', made);
  const status = await put(made.body.data.attributes['hosted-state-upload-url'], content);
  expectThat(status === 200, 'its content can be uploaded', status);
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
];
