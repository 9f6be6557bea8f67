import type { Variable } from '../../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { keys, prefixes, variablePartition } from '../../../shared/store/dynamodb/keys.ts';
import { variableOf } from '../../../shared/store/items/variable-items.ts';
import { workspaceOf } from '../../../shared/store/items/workspace-items.ts';
import { buildState, inlineStateVersionBody, stateVersionBody } from '../api/states.ts';
import type { StoredWorkspace } from './replay.ts';

/** Sends a request to a service. @throws Error if there is no response. */
export type Send = (
  method: string,
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
) => Promise<{ readonly status: number; readonly body: any }>;

/** A workspace that clients change at the same time, and what they use for it. */
export interface ChangedWorkspace {
  readonly id: string;
  readonly organization: string;
  readonly projects: readonly string[];
  readonly team: string;
  readonly sshKey: string;
  /** Ids of other workspaces of the organization, which become its remote state consumers. */
  readonly neighbors: readonly string[];
}

const resource = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships && { relationships }) },
});

/** Creates a workspace with everything that its clients need. */
export const createChangedWorkspace = async (send: Send, organization: string): Promise<ChangedWorkspace> => {
  const base = `/organizations/${organization}`;
  const create = async (path: string, type: string, attributes: object): Promise<string> => {
    const { status, body } = await send('POST', path, resource(type, attributes));
    if (status !== 201) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    return body.data.id;
  };
  const workspace = (name: string) => create(`${base}/workspaces`, 'workspaces', { name });
  return {
    organization,
    projects: [
      await create(`${base}/projects`, 'projects', { name: 'project-0' }),
      await create(`${base}/projects`, 'projects', { name: 'project-1' }),
    ],
    team: await create(`${base}/teams`, 'teams', { name: 'pipelines' }),
    sshKey: await create(`${base}/ssh-keys`, 'ssh-keys', { name: 'replayed', value: 'k' }),
    neighbors: [await workspace('neighbor-0'), await workspace('neighbor-1')],
    id: await workspace('replayed'),
  };
};

/** A client that changes a workspace. Each step sends one request or a few; some are rejected because of other clients. */
export const openHistoryClient = (
  { id, organization, projects, team, sshKey, neighbors }: ChangedWorkspace,
  { send, tell }: { readonly send: Send; readonly tell: (type: string, detail: object) => Promise<unknown> },
  client: number,
): ((step: number) => Promise<void>) => {
  const path = `/workspaces/${id}`;
  const update = (attributes: object, relationships?: object) =>
    send('PATCH', path, resource('workspaces', attributes, relationships));
  const act = (action: string, body?: object) => send('POST', `${path}/actions/${action}`, body);
  const tags = { data: [{ type: 'tags', attributes: { name: `tag-${client}` } }] };
  const bindings = (step: number) => ({
    data: [{ type: 'tag-bindings', attributes: { key: `binding-${client % 4}`, value: `v${step % 5}` } }],
  });
  const consumers = (step: number) => ({ data: [{ type: 'workspaces', id: neighbors[step % neighbors.length] }] });
  const consumersPath = `${path}/relationships/remote-state-consumers`;
  const policyPath = `${path}/relationships/data-retention-policy`;
  const variable = (step: number, attributes: object = {}) =>
    resource('vars', {
      ...{ key: `key-${client}`, category: 'env', value: `v${step}`.repeat(step % 7 === 0 ? 1_500 : 1), ...attributes },
    });
  const ownVariable = async (): Promise<string | undefined> => {
    const { body } = await send('GET', `${path}/vars`);
    const variables: readonly { id: string; attributes: { key: string } }[] = body.data ?? [];
    return variables.find(({ attributes }) => attributes.key === `key-${client}`)?.id;
  };
  const report = (run: string, status: string, step: number, minute: number) => {
    const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, client, 2 * step + minutes)).toISOString();
    const about = { id: run, status, at: at(minute), 'created-at': at(0), 'plan-only': false };
    return tell('run.updated', { organization, workspace: id, run: about });
  };

  const steps: readonly ((step: number) => Promise<unknown>)[] = [
    (step) => update({ 'auto-apply': step % 2 === 0, 'working-directory': `folder-${client}-${step}` }),
    (step) => send('POST', `${path}/vars`, variable(step)),
    (step) => update({ description: `${step} `.repeat(step % 2 === 0 ? 3 : 150) }),
    (step) => act('lock', { reason: `client ${client}`.repeat(step % 3 === 0 ? 20 : 1) }),
    () => send('POST', `${path}/relationships/tags`, tags),
    async (step) =>
      send('PATCH', `${path}/vars/${await ownVariable()}`, variable(step, { sensitive: client % 4 === 1 })),
    () => act('unlock'),
    (step) => send('PATCH', `${path}/tag-bindings`, bindings(step)),
    (step) => update({ name: `replayed-${client}-${step}` }),
    (step) => send('POST', consumersPath, consumers(step + client)),
    async (step) => {
      const run = `run-${base58(16)}`;
      await report(run, 'planning', step, 0);
      await report(run, step % 4 === 0 ? 'errored' : 'applied', step, 1);
    },
    (step) => update({ 'execution-mode': step % 2 === 0 ? 'local' : 'remote', 'deletion-protection': step % 3 === 0 }),
    () => act('force-unlock', { reason: `client ${client} needs it` }),
    (step) => update({}, { project: { data: { type: 'projects', id: projects[step % projects.length] } } }),
    () => send('PATCH', `${path}/relationships/ssh-key`, resource('workspaces', { id: sshKey })),
    (step) =>
      send(
        'POST',
        '/team-workspaces',
        resource(
          'team-workspaces',
          { access: step % 2 === 0 ? 'read' : 'write' },
          { team: { data: { type: 'teams', id: team } }, workspace: { data: { type: 'workspaces', id } } },
        ),
      ),
    async () => {
      await act('lock', { 'lease-seconds': 60 });
      await send('POST', `${path}/state-versions`, inlineStateVersionBody(buildState(), { force: true }));
      await act('unlock');
    },
    (step) =>
      update({ 'infra-version': `1.${step % 9}.0`, 'trigger-patterns': step % 2 === 0 ? [] : [`/p${step}/**`] }),
    () => send('DELETE', `${path}/relationships/tags`, tags),
    (step) => send('DELETE', consumersPath, consumers(step)),
    () => send('PATCH', `${path}/relationships/ssh-key`, resource('workspaces', { id: null })),
    (step) =>
      send('POST', policyPath, {
        data: {
          type: 'data-retention-policy-delete-olders',
          attributes: { 'delete-older-than-n-days': 1 + (step % 50) },
        },
      }),
    async (step) => send('POST', `${path}/vars/${await ownVariable()}/actions/verify`, { value: `v${step}` }),
    async () => {
      const filter = `filter[workspace][id]=${id}`;
      const { body } = await send('GET', `/team-workspaces?${filter}`);
      const [access] = body.data ?? [];
      if (access !== undefined) await send('DELETE', `/team-workspaces/${access.id}`);
    },
    () => send('DELETE', policyPath),
    async () => (client % 2 === 0 ? send('DELETE', `${path}/vars/${await ownVariable()}`) : undefined),
  ];
  return async (step) => {
    await steps[(3 * client + step) % steps.length]?.(step);
  };
};

/** Sets what the clients may have removed last, so that a replay without it is wrong. @throws Error for a rejected request. */
export const setEverything = async (
  { id, team, sshKey, neighbors: [neighbor] }: ChangedWorkspace,
  send: Send,
): Promise<void> => {
  const path = `/workspaces/${id}`;
  const related = { team: { data: { type: 'teams', id: team } }, workspace: { data: { type: 'workspaces', id } } };
  const accesses = await send('GET', `/team-workspaces?filter[workspace][id]=${id}`);
  for (const access of accesses.body.data) await send('DELETE', `/team-workspaces/${access.id}`);
  await send('POST', `${path}/actions/force-unlock`);
  const requests: readonly (readonly [method: string, path: string, body: object])[] = [
    ['POST', '/team-workspaces', resource('team-workspaces', { access: 'plan' }, related)],
    ['POST', `${path}/actions/lock`, { reason: 'the end' }],
    // Its content is never uploaded.
    ['POST', `${path}/state-versions`, stateVersionBody(buildState(), { force: true })],
    ['POST', `${path}/relationships/tags`, { data: [{ type: 'tags', attributes: { name: 'the-end' } }] }],
    ['PATCH', `${path}/relationships/ssh-key`, resource('workspaces', { id: sshKey })],
    ['POST', `${path}/relationships/remote-state-consumers`, { data: [{ type: 'workspaces', id: neighbor }] }],
    ['POST', `${path}/relationships/data-retention-policy`, { data: { type: 'data-retention-policy-dont-deletes' } }],
    [
      'PATCH',
      path,
      resource('workspaces', { 'trigger-patterns': ['/the-end/**'], 'deletion-protection': true, 'auto-apply': true }),
    ],
  ];
  for (const [method, to, body] of requests) {
    const { status, body: response } = await send(method, to, body);
    if (status >= 300) throw new Error(`${method} ${to}: ${status} ${JSON.stringify(response)}`);
  }
};

/** Reads a workspace from the table, with its variables, and its remote state consumers over HTTP. */
export const readStoredWorkspace = async (database: Database, send: Send, id: string): Promise<StoredWorkspace> => {
  const [item, text] = await Promise.all([
    database.get(keys.workspace(id), true),
    database.get(keys.workspaceText(id), true),
  ]);
  const partition = variablePartition(id);
  const variables = await database.query({ partition, beginsWith: prefixes.variables, consistent: true });
  const consumers = await send('GET', `/workspaces/${id}/relationships/remote-state-consumers?page[size]=100`);
  return {
    workspace: workspaceOf(item ?? {}, text) as Workspace,
    variables: variables.map((one): Variable => variableOf(one)),
    consumers: (consumers.body.data as readonly { readonly id: string }[]).map((one) => one.id),
  };
};
