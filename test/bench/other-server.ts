import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { startService } from '../../infra/local/service/service.ts';
import { BASE_PATH, MEDIA_TYPE } from '../../shared/routes/api.ts';
import { markdownTable } from '../support/docs/generated-tables.ts';
import { folderInMemory } from '../support/engine/engine.ts';
import { generateLoad } from './load.ts';
import { requestOf } from './measure-operations.ts';
import type { BenchOperation } from './operations.ts';
import { descendantsOf, startCpuMeter } from './process-cpu.ts';
import { mean } from './statistics.ts';
import { furnishProbe, type Organization } from './testbed.ts';

/** Server of this API, with an organization in which the benchmark may create workspaces. */
export interface Server {
  /** `https://example.com`, without the path of the API. */
  readonly origin: string;
  readonly token: string;
  readonly organization: string;
  /** Lists the ids of the processes whose CPU time counts. Without any, only durations are compared. */
  readonly pids: () => readonly number[];
}

/** One side of an operation: means over all turns. */
interface Side {
  /** Median duration of a request, in milliseconds. */
  readonly p50: number;
  /** CPU time of a request, in milliseconds; NaN where it was not measured. */
  readonly computing: number;
}

/** Operation on this server and on the other one; an operation that the other one rejects has only the reason. */
export type ServerMeasure =
  | { readonly operation: string; readonly here: Side; readonly there: Side }
  | { readonly operation: string; readonly rejected: string };

/** Workspaces that the benchmark creates on each server. */
const WORKSPACES = 100;

/** Time for which a server gets requests before each turn. */
const WARM_UP_MILLISECONDS = 100;

/** Creates the same workspaces on a server, with the same requests. */
const furnish = async ({ origin, token, organization: name }: Server): Promise<Organization> => {
  const post = async (path: string, body: unknown) => {
    const response = await fetch(`${origin}${BASE_PATH}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': MEDIA_TYPE },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`POST ${path} at ${origin} returned ${response.status}: ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  const workspaces = [];
  for (let index = 0; index < WORKSPACES; index++) {
    const attributes = {
      name: `bench-${index}-${index % 2 === 0 ? 'prod' : 'test'}-app`,
      description: 'd'.repeat(400),
    };
    const tags = { data: [{ type: 'tags', attributes: { name: index % 10 === 0 ? 'legacy' : 'env' } }] };
    const body = { data: { type: 'workspaces', attributes, relationships: { tags } } };
    const { data } = await post(`/organizations/${name}/workspaces`, body);
    workspaces.push({ id: data.id, name: attributes.name, project: data.relationships.project?.data?.id });
  }
  const [probe, ...others] = workspaces as unknown as [Organization['probe'], ...Organization['others']];
  await furnishProbe(post, probe, others);
  return { name, size: WORKSPACES, projects: [], teams: [], defaultProject: probe.project, probe, others };
};

/** Starts the local service in this process, with an organization. */
const startHere = async () => {
  const folder = folderInMemory();
  const dataFolder = join(folder, 'data');
  await mkdir(dataFolder);
  const service = await startService({ dataFolder });
  const command = { command: 'create-organization', name: 'bench', email: 'owner@example.com' };
  const outcome = await service.functions.invoke('holdfast-admin', JSON.stringify(command));
  if (outcome.kind !== 'succeeded')
    throw new Error(`The organization could not be created: ${JSON.stringify(outcome)}`);
  const { token } = JSON.parse(outcome.payload) as { token: string };
  const server: Server = {
    origin: service.origin,
    token,
    organization: 'bench',
    pids: () => [process.pid, ...descendantsOf(process.pid)],
  };
  return {
    server,
    stop: async () => {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

interface Options {
  readonly other: Server;
  readonly chosen: readonly BenchOperation[];
  /** Turns of each server in each operation, and their duration in milliseconds. */
  readonly turns: number;
  readonly milliseconds: number;
}

/** Sends requests to a server for a while. @returns the failures as text, empty without any. */
const load = async (
  server: Server,
  organization: Organization,
  operation: BenchOperation,
  milliseconds: number,
): Promise<{ readonly side: Side; readonly failures: string }> => {
  const requests = [0, 1].map((turn) => requestOf(operation.request({ organization, turn })));
  const job = { origin: server.origin, token: server.token, clients: [requests] };
  // Starts the workers of this service if they have ended since its last turn.
  await generateLoad({ ...job, milliseconds: WARM_UP_MILLISECONDS });
  const pids = server.pids();
  const readCpuTime = startCpuMeter(pids);
  const result = await generateLoad({ ...job, milliseconds });
  const computed = pids.length === 0 ? Number.NaN : readCpuTime();
  const failures = Object.entries(result.failures).map(([status, count]) => `${count} times ${status}`);
  return { side: { p50: result.p50, computing: computed / result.requests }, failures: failures.join(', ') };
};

const meanOf = (sides: readonly Side[]): Side => ({
  p50: mean(sides.map(({ p50 }) => p50)),
  computing: mean(sides.map(({ computing }) => computing)),
});

/** Measures the same requests on this service and on another server, one client, in alternating turns. */
export const measureWithOtherServer = async (
  { other, chosen, turns, milliseconds }: Options,
  progress: (line: string) => void,
): Promise<ServerMeasure[]> => {
  const here = await startHere();
  try {
    const sides = [
      { server: here.server, organization: await furnish(here.server) },
      { server: other, organization: await furnish(other) },
    ];
    progress(`Created ${WORKSPACES} workspaces on both servers`);
    const measures: ServerMeasure[] = [];
    for (const operation of chosen) {
      const measured: Side[][] = sides.map(() => []);
      let rejected = '';
      for (let turn = -1; turn < turns && rejected === ''; turn++) {
        for (const [index, { server, organization }] of sides.entries()) {
          const { side, failures } = await load(server, organization, operation, milliseconds);
          if (failures !== '') rejected = `${server.origin}: ${failures}`;
          // The first turn fills caches and compiles code.
          if (turn >= 0) measured[index]?.push(side);
        }
      }
      measures.push(
        rejected === ''
          ? { operation: operation.name, here: meanOf(measured[0] ?? []), there: meanOf(measured[1] ?? []) }
          : { operation: operation.name, rejected },
      );
      progress(operation.name);
    }
    return measures;
  } finally {
    await here.stop();
  }
};

/** Renders the measures as a Markdown table. Ratios below 1 are in favor of this service. */
export const renderWithOtherServer = (measures: readonly ServerMeasure[]): string[] =>
  markdownTable(
    ['Operation', 'CPU ms here', 'CPU ms there', 'Ratio', 'p50 ms here', 'p50 ms there', 'Ratio'],
    measures.map((measure) => {
      if ('rejected' in measure) return [measure.operation, `rejected by ${measure.rejected}`, '', '', '', '', ''];
      const { operation, here, there } = measure;
      const values = (['computing', 'p50'] as const).flatMap((one) => [here[one], there[one], here[one] / there[one]]);
      return [operation, ...values.map((value) => (Number.isNaN(value) ? '' : value.toFixed(2)))];
    }),
  );
