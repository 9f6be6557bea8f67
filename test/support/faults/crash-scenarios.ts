import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { base58 } from '../../../shared/lib/random.ts';
import { stateOf } from '../models/state-race.ts';
import type { CrashApi, Scenario } from './crash-run.ts';

/** The operations during which the service is killed, each with what a client does who never got an answer. */

const BASE = '/organizations/demo/workspaces';

const make = async ({ call }: CrashApi, name: string): Promise<{ id: string; name: string }> => {
  const { status, body } = await call('POST', BASE, { data: { type: 'workspaces', attributes: { name } } });
  if (status !== 201) throw new Error(`The workspace could not be made: ${JSON.stringify(body)}`);
  return { id: body.data.id, name };
};

const act = ({ call }: CrashApi, id: string, action: string) => call('POST', `/workspaces/${id}/actions/${action}`);

const expectThat = (holds: boolean, what: string, found: unknown): void => {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(found)}`);
};

const locked = async ({ call }: CrashApi, id: string): Promise<boolean> => {
  const { body } = await call('GET', `/workspaces/${id}`);
  return body.data.attributes.locked;
};

const STATE = { serial: 1, resources: 2 };

/** As the command line does it: made, then sent to the bucket. */
const upload = async ({ call, put }: CrashApi, id: string): Promise<void> => {
  const content = stateOf(STATE.serial, STATE.resources);
  const attributes = { serial: STATE.serial, md5: createHash('md5').update(content).digest('hex'), lineage: 'race' };
  const made = await call('POST', `/workspaces/${id}/state-versions`, { data: { type: 'state-versions', attributes } });
  expectThat(made.status === 201, 'a state version can be made', made);
  const status = await put(made.body.data.attributes['hosted-state-upload-url'], content);
  expectThat(status === 200, 'its content can be sent', status);
};

interface RunContext {
  readonly id: string;
  readonly run: string;
  readonly began: number;
}

const reportRun = ({ tell }: CrashApi, { id, run, began }: RunContext, status: string, minute: number) => {
  const at = (minutes: number) => new Date(began + 60_000 * minutes).toISOString();
  const told = { id: run, status, at: at(minute), 'created-at': at(0), 'plan-only': false };
  return tell('run.updated', { organization: 'demo', workspace: id, run: told });
};

export const scenarios: readonly Scenario[] = [
  {
    name: 'create',
    prepare: async (_, name) => ({ name }),
    act: ({ call }, { name }) => call('POST', BASE, { data: { type: 'workspaces', attributes: { name } } }),
    recover: async ({ call }, { name }) => {
      const again = await call('POST', BASE, { data: { type: 'workspaces', attributes: { name } } });
      expectThat([201, 422].includes(again.status), 'made, or taken by its own first try', again);
      expectThat((await call('GET', `${BASE}/${name}`)).status === 200, 'it is there', name);
    },
  },
  {
    name: 'lock and unlock',
    prepare: make,
    act: async (api, { id }) => {
      await act(api, id, 'lock');
      await act(api, id, 'unlock');
    },
    recover: async (api, { id }) => {
      if (await locked(api, id)) await act(api, id, 'unlock');
      expectThat((await act(api, id, 'lock')).status === 200, 'it can be locked', id);
      expectThat((await act(api, id, 'unlock')).status === 200, 'and unlocked', id);
    },
  },
  {
    name: 'a variable, and deletion',
    prepare: make,
    act: async ({ call }, { id }) => {
      const attributes = { key: 'k', value: 's3cret', category: 'env', sensitive: true };
      await call('POST', `/workspaces/${id}/vars`, { data: { type: 'vars', attributes } });
      await call('POST', `/workspaces/${id}/actions/safe-delete`);
    },
    recover: async ({ call }, { id }) => {
      const again = await call('POST', `/workspaces/${id}/actions/safe-delete`);
      expectThat([204, 404].includes(again.status), 'deleted', again);
      expectThat((await call('GET', `/workspaces/${id}`)).status === 404, 'it is gone', id);
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
      expectThat(made.data?.attributes?.name === command.id, 'made once, and answered as made', made);
      const shown = await call('GET', `${BASE}/${command.id}`);
      expectThat(shown.body.data?.id === made.data.id, 'it is the one that is there', shown);
    },
  },
  {
    name: 'a run',
    prepare: async (api, name) => ({ ...(await make(api, name)), run: `run-${base58(16)}`, began: Date.now() }),
    act: async (api, context) => {
      await reportRun(api, context, 'planning', 1);
      // Looking whether it is locked would make more calls than the reports.
      await sleep(500);
      await reportRun(api, context, 'applied', 2);
    },
    recover: async (api, context) => {
      // Whether they were told before or not makes no difference.
      await reportRun(api, context, 'applied', 2);
      await reportRun(api, context, 'planning', 1);
      const { body } = await api.call('GET', `/workspaces/${context.id}?include=current_run`);
      const { locked: isLocked } = body.data.attributes;
      expectThat(!isLocked && body.included?.[0]?.attributes.status === 'applied', 'it has ended', body.included);
    },
  },
  {
    name: 'a state',
    prepare: async (api, name) => {
      const made = await make(api, name);
      await act(api, made.id, 'lock');
      return made;
    },
    act: async (api, { id }) => {
      await upload(api, id);
      await act(api, id, 'unlock');
    },
    recover: async (api, { id }) => {
      // Like a client that was cut off: it writes the same state again, and lets go.
      if (await locked(api, id)) {
        await upload(api, id);
        expectThat((await act(api, id, 'unlock')).status === 200, 'it can be unlocked', id);
      }
      const current = await api.call('GET', `/workspaces/${id}/current-state-version`);
      expectThat(current.body.data?.attributes.serial === STATE.serial, 'its state is what was uploaded', current);
      expectThat((await act(api, id, 'safe-delete')).status === 409, 'it manages something', id);
    },
  },
];
