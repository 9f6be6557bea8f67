import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Item } from '../../infra/cli/import/evaluate.ts';
import { inlineStateVersionBody } from '../support/api/states.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { describeMany, type HcpDescription, hcpState } from '../support/import/hcp-description.ts';
import { type HcpServer, startHcpServer } from '../support/import/hcp-server.ts';
import { createImportTarget, type ImportTarget, readStored } from '../support/import/import-bed.ts';
import { createSeededRandom } from '../support/models/seeded-random.ts';

let bed: CliBed;
const servers: HcpServer[] = [];

beforeAll(async () => {
  bed = await startCliBed();
});
afterAll(async () => {
  for (const server of servers) {
    expect(server.violations).toEqual([]);
    await server.stop();
  }
  expect((await bed.api.admin('check-table')).findings).toEqual([]);
  await bed.stop();
});

/** Starts a source, and plans its import into an empty organization. Everything is accepted. */
const start = async (description: HcpDescription, flags: readonly string[] = []) => {
  const hcp = await startHcpServer(description);
  servers.push(hcp);
  const target = await createImportTarget(bed, { HOLDFAST_SOURCE_TOKEN: hcp.token });
  await target.plan(hcp.address, ['--rate', '1000', ...flags]);
  target.accept();
  return { hcp, target };
};

/** Requires that a target has exactly the state versions of a description, in order and byte for byte. */
const requireStates = async (target: ImportTarget, { workspaces }: HcpDescription): Promise<void> => {
  for (const { name, versions = [] } of workspaces) {
    const stored = await readStored(bed, target, name);
    expect(stored.map(({ content }) => content)).toEqual(versions.map(({ content }) => String(content)));
    for (const { content, serial, lineage } of stored) expect(JSON.parse(content)).toMatchObject({ serial, lineage });
    expect(stored.map(({ isCurrent }) => isCurrent)).toEqual(stored.map((_, place) => place === stored.length - 1));
  }
};

const problemsOf = ({ path }: ImportTarget) => JSON.parse(readFileSync(path('plan.json'), 'utf8')).problems;

describe('an import of state versions', () => {
  it('carries every version in order, byte for byte, and afterwards writes only what is new', async () => {
    const description = describeMany(3, 12, 12);
    const { hcp, target } = await start(description);
    await target.json('run');
    await requireStates(target, description);
    target.writes.length = 0;
    await target.json('run');
    expect(target.writes).toEqual([]);
    for (const index of [1, 1, 3, 5, 7]) {
      const { versions } = hcp.workspace(`workspace-0000${index}`);
      hcp.addVersion(`workspace-0000${index}`, hcpState(versions.length + 1, `lineage-${index}`));
    }
    await target.plan(hcp.address, ['--rate', '1000']);
    await target.json('run');
    expect(target.writes.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).toEqual(
      Array.from({ length: 5 }, () => 'POST state-versions'),
    );
  });

  it('carries both versions of a serial that occurs twice, and the later one is current', async () => {
    const contents = [hcpState(1, 'a'), hcpState(2, 'a'), hcpState(1, 'a'), hcpState(2, 'b')];
    const description = { workspaces: [{ name: 'network', versions: contents.map((content) => ({ content })) }] };
    const { target } = await start(description);
    await target.json('run');
    await requireStates(target, description);
  });

  it('names the version of which a byte is changed on the wire', async () => {
    const { hcp, target } = await start({
      workspaces: [{ name: 'network', versions: [1, 2, 3].map((serial) => ({ content: hcpState(serial, 'a', 500) })) }],
    });
    hcp.setFaults({ seed: 5, altered: ['network/2'] });
    const run = await target.phase('run');
    const verify = run.code === 0 ? await target.phase('verify', ['--deep']) : run;
    expect(verify.code).toBe(7);
    const different = target.lines('proof.jsonl').filter(({ result }) => result !== 'same');
    expect(different.map(({ name }) => name)).toContain('network/sv-network-2');
    expect(different.filter(({ result }) => result === 'conflict').length).toBeLessThanOrEqual(1);
    hcp.setFaults({ seed: 5 });
  });

  it('names the version of which a byte is changed in the bucket', async () => {
    const description = {
      workspaces: [{ name: 'network', versions: [1, 2, 3].map((serial) => ({ content: hcpState(serial, 'a', 500) })) }],
    };
    const { target } = await start(description);
    await target.json('run');
    const [, second] = await readStored(bed, target, 'network');
    const verify = await target.phase('verify', ['--deep'], {
      fetch: async (input, init) => {
        const response = await target.fetch(input, init);
        if (!String(input).endsWith(`${second?.id}/download`)) return response;
        const content = Buffer.from(await response.arrayBuffer());
        content[content.length - 5] = (content[content.length - 5] ?? 0) ^ 1;
        return new Response(content);
      },
    });
    expect(verify.code).toBe(7);
    const different = target.lines('proof.jsonl').filter(({ result }) => result !== 'same');
    expect(different.map(({ name }) => name)).toEqual(['network/sv-network-2']);
  });

  it('completes while both sides throttle, fail in bursts, and cut downloads', async () => {
    const description = describeMany(9, 8, 6);
    const { hcp, target } = await start(description);
    hcp.setFaults({ seed: 11, throttleEvery: 10, bursts: 0.03, truncated: 0.1 });
    const draw = createSeededRandom(12);
    let requests = 0;
    let burst = 0;
    const fetch: typeof globalThis.fetch = async (input, init) => {
      if (!String(input).startsWith('https://holdfast.test')) return target.fetch(input, init);
      requests += 1;
      if (burst === 0 && draw() < 0.03) burst = 1 + Math.floor(draw() * 2);
      if (requests % 10 === 0) return new Response(null, { status: 429, headers: { 'retry-after': '1' } });
      if (burst === 0) return target.fetch(input, init);
      burst -= 1;
      return new Response(null, { status: 503 });
    };
    const run = await target.phase('run', [], { fetch });
    hcp.setFaults({ seed: 0 });
    expect(run.code, run.stderr.slice(-500)).toBe(0);
    await requireStates(target, description);
  });
});

describe('secrets of an import', () => {
  const VALUE = 'value-that-nobody-may-see';
  const description: HcpDescription = {
    workspaces: [
      {
        name: 'network',
        variables: [
          { key: 'region', value: 'eu' },
          { key: 'PASSWORD', value: 'unreadable', category: 'env', sensitive: true },
        ],
        versions: [{ content: hcpState(1, 'a') }],
      },
    ],
  };

  it('waits for the value of a sensitive variable, and shows it nowhere', async () => {
    const { target } = await start(description);
    const plan = JSON.parse(readFileSync(target.path('plan.json'), 'utf8'));
    for (const problem of plan.problems) if (problem.result === 'waiting') problem.accept = false;
    writeFileSync(target.path('plan.json'), JSON.stringify(plan));
    const waiting = await target.phase('run');
    expect(waiting.code).toBe(7);
    const { data } = await target.get(`/organizations/${target.organization}/workspaces/network`);
    const keys = async () => (await target.list(`/workspaces/${data.id}/vars`)).map(({ attributes }) => attributes.key);
    expect(await keys()).toEqual(['region']);
    target.enterSecrets({ 'variables/network/env/PASSWORD': { value: VALUE } });
    const before = readFileSync(target.path('secrets.json'), 'utf8');
    const outputs: string[] = [];
    for (const [phase, ...flags] of [['plan'], ['run'], ['verify', '--deep'], ['report']] as const) {
      const { code, stdout, stderr } = await target.phase(phase ?? '', flags);
      expect(code, stderr).toBe(0);
      outputs.push(stdout, stderr);
    }
    expect((await keys()).toSorted()).toEqual(['PASSWORD', 'region']);
    expect(readFileSync(target.path('secrets.json'), 'utf8')).toBe(before);
    expect(outputs.join('')).not.toContain(VALUE);
    const files = readdirSync(target.path(''), { recursive: true }) as string[];
    for (const name of files) {
      const path = join(target.path(''), name);
      const { mode } = statSync(path);
      const isFolder = statSync(path).isDirectory();
      expect((mode & 0o777).toString(8), name).toBe(isFolder ? '700' : '600');
      if (!isFolder && name !== 'secrets.json') expect(readFileSync(path, 'utf8'), name).not.toContain(VALUE);
    }
    expect(readFileSync(target.path('SHA256SUMS'), 'utf8')).not.toContain('secrets.json');
  });
});

describe('a plan of what the target does not accept', () => {
  const tags = (count: number) => Array.from({ length: count }, (_, index) => `tag-${index}`);

  it('names each object over a limit, and a run leaves out these objects with everything that belongs to them', async () => {
    const description: HcpDescription = {
      workspaces: [
        {
          name: 'tagged',
          tags: tags(41),
          variables: [{ key: 'a', value: 'b' }],
          versions: [{ content: hcpState(1, 'a') }],
        },
        { name: 'n'.repeat(200), versions: [{ content: hcpState(1, 'a') }] },
        { name: 'small', tags: tags(40), versions: [{ content: hcpState(1, 'a') }] },
      ],
    };
    const { target } = await start(description);
    const found = problemsOf(target).map(({ name, reason }: { name: string; reason: string }) => [name, reason]);
    expect(found).toContainEqual(['tagged', 'limit']);
    expect(found).toContainEqual(['n'.repeat(200), 'limit']);
    expect(found).toHaveLength(2);
    const result = await target.json('run');
    expect(result).toMatchObject({ open: 0 });
    const workspaces = await target.list(`/organizations/${target.organization}/workspaces`);
    expect(workspaces.map(({ attributes }) => attributes.name)).toEqual(['small']);
  });

  it('names a state of 101 MiB, which a run neither downloads nor creates', async () => {
    const versions = [hcpState(1, 'a'), Buffer.alloc(101 * 2 ** 20), hcpState(3, 'a')];
    const { hcp, target } = await start({
      workspaces: [{ name: 'network', versions: versions.map((content, index) => ({ content, serial: index + 1 })) }],
    });
    expect(problemsOf(target)).toMatchObject([
      { name: 'network/sv-network-2', result: 'cannot', reason: 'limit', detail: expect.stringContaining('105906176') },
    ]);
    const result = await target.json('run');
    expect(result).toMatchObject({ states: 2, refused: 0, open: 0, accepted: 1 });
    expect(hcp.requests.filter(({ isDownload }) => isDownload)).toHaveLength(2);
    expect((await readStored(bed, target, 'network')).map(({ content }) => content)).toEqual(
      [versions[0], versions[2]].map(String),
    );
    expect(readFileSync(target.path('report.md'), 'utf8')).toMatch(
      /\| state-versions \| network\/sv-network-2 \| refused \| limit \| The state has 105906176 bytes/,
    );
  });
});

describe('a name of the source that another workspace of the target has', () => {
  const description: HcpDescription = {
    workspaces: [
      {
        name: 'network',
        variables: [{ key: 'region', value: 'eu' }],
        versions: [1, 2].map((serial) => ({ content: hcpState(serial, 'a') })),
      },
      { name: 'web', versions: [{ content: hcpState(1, 'w') }] },
    ],
  };
  const own = hcpState(9, 'own');

  /** Creates the other workspace, with a variable and a state of its own. */
  const createOther = async ({ organization, token }: ImportTarget) => {
    const send = async (path: string, body?: object) => {
      const { status, body: document } = await bed.api.request('POST', path, { token, ...(body && { body }) });
      expect(status, path).toBeLessThan(300);
      return document?.data;
    };
    const attributes = { name: 'network', description: 'of another team' };
    const { id } = await send(`/organizations/${organization}/workspaces`, {
      data: { type: 'workspaces', attributes },
    });
    const variable = { key: 'region', value: 'elsewhere', category: 'terraform' };
    await send(`/workspaces/${id}/vars`, { data: { type: 'vars', attributes: variable } });
    await send(`/workspaces/${id}/actions/lock`, { reason: 'own' });
    await send(`/workspaces/${id}/state-versions`, inlineStateVersionBody(own, { serial: 9, lineage: 'own' }));
    await send(`/workspaces/${id}/actions/unlock`);
    return id;
  };

  /** Requires that the other workspace has what it had, and that the import has carried the rest. */
  const requireUntouched = async (target: ImportTarget, id: string) => {
    const { data } = await target.get(`/organizations/${target.organization}/workspaces/network`);
    expect(data).toMatchObject({ id, attributes: { description: 'of another team', locked: false } });
    expect(await target.list(`/workspaces/${id}/vars`)).toMatchObject([{ attributes: { value: 'elsewhere' } }]);
    expect((await readStored(bed, target, 'network')).map(({ content }) => content)).toEqual([String(own)]);
  };

  it('a taken name of a workspace is a conflict in the plan, and a run is refused before its first write', async () => {
    const hcp = await startHcpServer(description);
    servers.push(hcp);
    const target = await createImportTarget(bed, { HOLDFAST_SOURCE_TOKEN: hcp.token });
    const id = await createOther(target);
    await target.plan(hcp.address, ['--rate', '1000']);
    expect(problemsOf(target).map(({ name, result, reason }: Item) => [name, result, reason])).toEqual([
      ['network/sv-network-1', 'conflict', 'states'],
      ['network/sv-network-2', 'conflict', 'states'],
      ['network/infra/region', 'conflict', 'exists'],
      ['network', 'conflict', 'exists'],
    ]);
    const { code, stderr } = await target.phase('run');
    expect(code).toBe(7);
    expect(stderr).toContain('4 problems of the plan are not accepted');
    expect(target.writes).toEqual([]);
    await requireUntouched(target, id);
  });

  it('keeps its states, and everything else is carried, when it was taken since the plan', async () => {
    const { target } = await start(description);
    const id = await createOther(target);
    const { code, stderr } = await target.phase('run');
    expect(code, stderr).toBe(7);
    await requireUntouched(target, id);
    expect(await readStored(bed, target, 'web')).toHaveLength(1);
  });

  it('a name that is taken while the run creates the workspace is refused by the service, and named', async () => {
    const { target } = await start(description);
    let id: string | undefined;
    const { code, stderr } = await target.phase('run', [], {
      fetch: async (input, init) => {
        const isCreation = init?.method === 'POST' && String(input).endsWith('/workspaces');
        if (isCreation && id === undefined && String(init.body).includes('"network"')) id = await createOther(target);
        return target.fetch(input, init);
      },
    });
    expect(code).toBe(7);
    expect(stderr).toContain('workspaces network: ');
    await requireUntouched(target, id ?? '');
    expect(await readStored(bed, target, 'web')).toHaveLength(1);
  });
});
