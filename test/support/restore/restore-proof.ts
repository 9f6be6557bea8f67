import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Service, startService } from '../../../infra/local/service/service.ts';
import { restoreTable } from '../engine/engine.ts';
import { openServiceTable } from '../local/running-service.ts';
import { synthesizedOnce } from '../setup/build-once.ts';
import { type Deployment, findReturned, liveAfternoon, liveMorning, type Returned } from './day.ts';

export interface RestoreProof {
  /** Findings about a service on the restored table, before and after the admin command `after-restore`. */
  readonly before: Returned;
  readonly after: Returned;
  /** Response of `after-restore`. */
  readonly report: Readonly<Record<string, unknown>>;
  /** Descriptions of failed checks. */
  readonly findings: readonly string[];
}

const restoredTableName = 'holdfast-restored';
const restoredTableStreamArn = `arn:aws:dynamodb:us-east-1:000000000000:table/${restoredTableName}/stream/restored`;

const deploymentOf = ({ baseUrl, functions }: Service): Deployment => ({
  request: async (method, path, { token, body }) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' };
    const response = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  },
  admin: async (command, parameters = {}) => {
    const outcome = await functions.invoke('holdfast-admin', JSON.stringify({ command, ...parameters }));
    if (outcome.kind !== 'succeeded') throw new Error(`The command ${command} ${outcome.kind}`);
    return JSON.parse(outcome.payload);
  },
});

/** Tells whether asynchronous invocations wait, such as those for uploaded states. */
const hasPendingWork = async ({ origin }: Service): Promise<boolean> => {
  const { pending } = (await (await fetch(`${origin}/_local/functions`)).json()) as { readonly pending: number };
  return pending > 0;
};

/**
 * Runs the runbook for a restore: a service lives a day, its table is copied in the middle of the day, and a service with the
 * setting `restoredTable` starts from the copy, with the bucket and the replaced table as they are at the end of the day.
 */
export const proveRestore = async (): Promise<RestoreProof> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-restore-'));
  const findings: string[] = [];
  const must = (holds: boolean, finding: string): void => {
    if (!holds) findings.push(finding);
  };
  const withService = async <T>(settings: object, work: (service: Service) => Promise<T>): Promise<T> => {
    const assembly = await synthesizedOnce(settings as Readonly<Record<string, unknown>>);
    const service = await startService({ dataFolder: join(folder, 'data'), assembly });
    try {
      return await work(service);
    } finally {
      await service.stop();
    }
  };
  const restored = { restoredTable: { name: restoredTableName, streamArn: restoredTableStreamArn } };

  try {
    const { morning, original } = await withService({}, async (service) => {
      const deployment = deploymentOf(service);
      const lived = await liveMorning(deployment);
      const [tableName = ''] = service.tableNames;
      await restoreTable(service.engineEndpoint, tableName, restoredTableName);
      await liveAfternoon(deployment, lived);
      // The service on the restored table would remove the content of a version that it does not know.
      while (await hasPendingWork(service)) await sleep(100);
      return { morning: lived, original: tableName };
    });
    const inspect = (service: Service) =>
      findReturned(
        deploymentOf(service),
        morning,
        openServiceTable(service.engineEndpoint, restoredTableName),
        openServiceTable(service.engineEndpoint, original),
      );
    const before = await withService(restored, inspect);

    const report = await withService({ ...restored, maintenance: true }, async (service) => {
      const { admin, request } = deploymentOf(service);
      const rejected = await fetch(`${service.baseUrl}/ping`);
      must(
        rejected.status === 503 && rejected.headers.has('retry-after'),
        'maintenance does not reject requests with 503',
      );
      const { status } = await request('GET', '/organizations/acme/workspaces', { token: morning.owner });
      must(status === 503, 'maintenance does not reject requests with a token');
      const compared = { tokens: 'compare', memberships: 'compare', locks: 'compare', destroyRuns: 'compare' };
      const planned = await admin('after-restore', { ...compared, dryRun: true });
      const done = await admin('after-restore', compared);
      must(JSON.stringify(planned) === JSON.stringify(done), 'the dry run reports something else than the command');
      const { findingCount } = await admin('check-table', { restart: true });
      must(findingCount === 0, `check-table has ${findingCount} findings`);
      return done;
    });
    const after = await withService(restored, inspect);
    must(report.raisedSequences > 0, 'no sequence number was raised');
    must(report.statesWithoutVersion?.count === 1, 'the state of the afternoon is not reported');
    return { before, after, report, findings };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
