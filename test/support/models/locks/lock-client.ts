/** Lock client in its own process: sends calls over HTTP and reports the observed history. */
import { Agent, request } from 'node:http';
import { createSeededRandom } from '../seeded-random.ts';
import { createRecorder, type LockAction, type LockCall } from './history.ts';

export interface LockClientJob {
  readonly origin: string;
  /** The user's name and bearer token. */
  readonly name: string;
  readonly token: string;
  readonly workspaces: readonly string[];
  /** Workspaces that the clients lock with leases. */
  readonly leased: readonly string[];
  readonly calls: number;
  /** Number of concurrent calls. */
  readonly lanes: number;
  /** Number of workspaces that the clients use at the same time. */
  readonly crowd: number;
  /** Fraction of calls that the client aborts before the response. */
  readonly impatience: number;
  readonly seed: number;
}

/** Length of leases, in seconds: the shortest that the API accepts. */
const LEASE_SECONDS = 60;

type LockResponse = Pick<LockCall, 'status' | 'detail' | 'shown'>;

/** Reads a clock that all processes of a computer share, in milliseconds. */
export const now = (): number => Number(process.hrtime.bigint()) / 1e6;

const agent = new Agent({ keepAlive: true });

const post = (
  url: string,
  token: string,
  body: object | undefined,
  patience: number | undefined,
): Promise<LockResponse> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? '' : JSON.stringify(body);
    const sent = request(
      url,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${token}`,
          'content-length': Buffer.byteLength(text),
          ...(text && { 'content-type': 'application/vnd.api+json' }),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => resolve(parseResponse(response.statusCode ?? 0, Buffer.concat(chunks).toString())));
      },
    );
    sent.on('error', reject).end(text);
    if (patience !== undefined) setTimeout(() => sent.destroy(), patience);
  });

/** Parses a response of the API. @throws SyntaxError when the body is not JSON. */
export const parseResponse = (status: number, text: string): LockResponse => {
  const { data, errors } = JSON.parse(text) as {
    data?: { attributes: Record<string, unknown>; relationships: Record<string, { data: { id: string } | null }> };
    errors?: { detail?: string }[];
  };
  if (data === undefined) return { status, detail: errors?.[0]?.detail ?? text };
  const holder = data.relationships['locked-by']?.data?.id;
  const isLocked = data.attributes['locked'] === true;
  if (isLocked !== (holder !== undefined)) return { status: 0, detail: 'locked, and by nobody' };
  return isLocked
    ? { status, shown: { holder: holder ?? '', token: String(data.attributes['locked-reason']) } }
    : { status };
};

const work = async (job: LockClientJob): Promise<LockCall[]> => {
  const { origin, name, token, workspaces, leased, calls, lanes, crowd, impatience, seed } = job;
  const random = createSeededRandom(seed);
  const { calls: made, record } = createRecorder(now);
  /** Workspaces whose lock the client assumes to hold. */
  const held = new Set<string>();
  let next = 0;

  const choose = (workspace: string): LockAction => {
    const chance = random();
    if (held.has(workspace) && leased.includes(workspace) && random() < 0.6) return 'renew';
    if (held.has(workspace)) return chance < 0.85 ? 'unlock' : chance < 0.95 ? 'lock' : 'force-unlock';
    return chance < 0.75 ? 'lock' : chance < 0.87 ? 'unlock' : 'force-unlock';
  };

  const lane = async (): Promise<void> => {
    for (let index = next++; index < calls; index = next++) {
      // All clients pass through the workspaces at about the same pace, so that their calls conflict.
      const place = Math.floor((index / calls) * workspaces.length) + Math.floor(random() * crowd);
      const [mine] = held;
      const returns = mine !== undefined && random() < 0.5;
      const workspace = returns ? mine : (workspaces[place % workspaces.length] as string);
      const action = choose(workspace);
      const hasLease = leased.includes(workspace) && (action === 'lock' || action === 'renew');
      const reason = action === 'lock' ? { reason: `${name}-${index}` } : undefined;
      const body = reason && { ...reason, ...(hasLease && { 'lease-seconds': LEASE_SECONDS }) };
      const patience = random() < impatience ? 5 + random() * 40 : undefined;
      const call = {
        client: name,
        workspace,
        action,
        ...(reason && { token: reason.reason }),
        ...(hasLease && { lease: LEASE_SECONDS * 1_000 }),
      };
      const path = action === 'renew' ? 'renew-lock' : action;
      const { status } = await record(call, () =>
        post(`${origin}/api/v2/workspaces/${workspace}/actions/${path}`, token, body, patience),
      );
      if (status === 200 && (action === 'lock' || action === 'renew')) held.add(workspace);
      else held.delete(workspace);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return made;
};

/** Receives the job, reports readiness, waits for the start, and sends the recorded calls. */
if (process.send !== undefined && import.meta.main) {
  let job: LockClientJob | undefined;
  process.on('message', async (message: LockClientJob | 'go') => {
    if (message !== 'go') {
      job = message;
      process.send?.('ready');
    } else if (job !== undefined) {
      const made = await work(job);
      process.send?.(made, () => process.disconnect());
      agent.destroy();
    }
  });
}
