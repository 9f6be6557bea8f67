import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { keys } from '../../../shared/store/dynamodb/keys.ts';
import { buildState, inlineStateVersionBody } from '../api/states.ts';

/** A day of a service, with a copy of its table from the middle of the day. */

interface Response {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: documents of every shape.
  readonly body: any;
}

/** A service with its admin function. */
export interface Deployment {
  readonly request: (method: string, path: string, options: { token: string; body?: object }) => Promise<Response>;
  // biome-ignore lint/suspicious/noExplicitAny: the response differs by command.
  readonly admin: (command: string, parameters?: object) => Promise<any>;
}

/** The people, tokens and workspaces of the morning. */
export interface Morning {
  readonly owner: string;
  /** The token of Bob that is revoked in the afternoon, and another one. */
  readonly revoked: { readonly id: string; readonly token: string };
  readonly kept: string;
  /** Token of Carol, who leaves the organization in the afternoon. */
  readonly carol: string;
  readonly network: string;
  /** Workspace that Bob has locked. */
  readonly held: string;
  /** Workspace that Bob has locked and does not unlock. */
  readonly busy: string;
}

const organization = 'acme';
const workspaceBody = (attributes: object) => ({ data: { type: 'workspaces', attributes } });

const expectStatus = (what: string, { status, body }: Response, expected: number): void => {
  if (status !== expected) throw new Error(`${what} has the status ${status}: ${JSON.stringify(body)}`);
};

const storeState = async ({ request }: Deployment, token: string, workspace: string, serial: number) => {
  await request('POST', `/workspaces/${workspace}/actions/lock`, { token });
  const body = inlineStateVersionBody(buildState({ serial, resources: serial }), { serial });
  expectStatus('The state', await request('POST', `/workspaces/${workspace}/state-versions`, { token, body }), 201);
  await request('POST', `/workspaces/${workspace}/actions/unlock`, { token });
};

/** Creates an organization with members, tokens, locks and a state. */
export const liveMorning = async (deployment: Deployment): Promise<Morning> => {
  const { admin, request } = deployment;
  const { token: owner } = await admin('create-organization', { name: organization, email: 'ann@example.com' });
  await admin('create-team', { organization, name: 'devs', permissions: 'manage-workspaces' });
  const join = async (username: string) => {
    await admin('create-user', { username, email: `${username}@example.com` });
    await admin('add-member', { organization, team: 'devs', username });
  };
  await join('bob');
  await join('carol');
  const createToken = (username: string) => admin('create-token', { kind: 'user', username });
  const [revoked, { token: kept }, { token: carol }] = [
    await createToken('bob'),
    await createToken('bob'),
    await createToken('carol'),
  ];
  const create = async (name: string): Promise<string> => {
    const body = workspaceBody({ name });
    return (await request('POST', `/organizations/${organization}/workspaces`, { token: owner, body })).body.data.id;
  };
  const [network, held, busy] = [await create('network'), await create('held'), await create('busy')];
  await storeState(deployment, owner, network, 1);
  for (const workspace of [held, busy])
    expectStatus('The lock', await request('POST', `/workspaces/${workspace}/actions/lock`, { token: kept }), 200);
  return { owner, revoked, kept, carol, network, held, busy };
};

/** Ends what the morning has begun: revokes a token, removes a member, unlocks a workspace, and stores another state. */
export const liveAfternoon = async (deployment: Deployment, morning: Morning): Promise<void> => {
  const { admin, request } = deployment;
  await admin('revoke-token', { id: morning.revoked.id });
  await admin('remove-member', { organization, username: 'carol' });
  const unlocked = await request('POST', `/workspaces/${morning.held}/actions/unlock`, { token: morning.kept });
  expectStatus('The unlock', unlocked, 200);
  await storeState(deployment, morning.owner, morning.network, 2);
};

/** Findings about a service on the restored table. */
export interface Returned {
  readonly revokedToken: boolean;
  readonly removedMember: boolean;
  readonly oldLock: boolean;
  /** Whether the next change of a workspace has a sequence number that the replaced table has used. */
  readonly repeatedSequence: boolean;
  /** Whether the next lock has a fencing token that the replaced table has used. */
  readonly repeatedFence: boolean;
  readonly serial: number;
}

/** Finds out what a service brings back, by requests of the people of the morning. */
export const findReturned = async (
  { request }: Deployment,
  { owner, revoked, carol, network, held }: Morning,
  restored: Database,
  replaced: Database,
): Promise<Returned> => {
  const statusOf = async (path: string, token: string) => (await request('GET', path, { token })).status;
  const lock = (await request('GET', `/workspaces/${held}`, { token: owner })).body.data.attributes.locked;
  const current = await request('GET', `/workspaces/${network}/current-state-version`, { token: owner });
  await request('POST', `/workspaces/${network}/actions/lock`, { token: owner });
  const [next, last] = [
    await restored.get(keys.workspace(network), true),
    await replaced.get(keys.workspace(network), true),
  ];
  await request('POST', `/workspaces/${network}/actions/unlock`, { token: owner });
  return {
    revokedToken: (await statusOf('/account/details', revoked.token)) === 200,
    removedMember: (await statusOf(`/organizations/${organization}/workspaces`, carol)) === 200,
    oldLock: lock === true,
    repeatedSequence: Number(next?.['seq']) <= Number(last?.['seq']),
    repeatedFence: Number(next?.['fence']) <= Number(last?.['fence']),
    serial: current.body.data.attributes.serial,
  };
};
