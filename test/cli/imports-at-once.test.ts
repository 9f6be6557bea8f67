import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { waitForReleases } from '../support/cli/wait.ts';
import { type HcpDescription, hcpState } from '../support/import/hcp-description.ts';
import { type HcpServer, startHcpServer } from '../support/import/hcp-server.ts';
import { createImportTarget, type ImportTarget, readStored } from '../support/import/import-bed.ts';

let bed: CliBed;
const servers: HcpServer[] = [];

beforeAll(async () => {
  bed = await startCliBed({ cacheReads: false });
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  expect((await bed.api.admin('check-table')).findings).toEqual([]);
  await bed.stop();
});

const openSource = async (description: HcpDescription) => {
  const hcp = await startHcpServer(description);
  servers.push(hcp);
  return { hcp, env: { HOLDFAST_SOURCE_TOKEN: hcp.token } };
};

/** Adds a second import into the organization of a target, with a folder of its own and the same patterns. */
const addSecond = async (target: ImportTarget, { address, token }: HcpServer, folder: string) => {
  const env = {
    ...{ HOLDFAST_ORG: target.organization, HOLDFAST_TOKEN: target.token, HOLDFAST_SOURCE_TOKEN: token },
  };
  const run = (...argv: readonly string[]) => bed.run(['import', ...argv, '--json'], { env, wait: waitForReleases });
  const init = await run('init', address, folder, '--rate', '1000', '--name', 'core-*');
  expect(init.code, init.stderr).toBe(0);
  return run;
};

const contentsOf = async (target: ImportTarget, workspace: string): Promise<readonly string[]> =>
  (await readStored(bed, target, workspace)).map(({ content }) => content);

describe('two imports of the same workspaces at once', () => {
  const versions = [hcpState(1, 'a'), hcpState(2, 'a')].map((content) => ({ content }));
  const description: HcpDescription = {
    workspaces: ['core-a', 'core-b', 'core-c', 'web'].map((name) => ({
      ...{ name, versions },
      variables: [{ key: 'region', value: 'eu' }],
    })),
  };

  it('create everything once, and the next run of each finds it', async () => {
    const { hcp, env } = await openSource(description);
    const target = await createImportTarget(bed, env);
    const second = await addSecond(target, hcp, 'second');
    await target.json('init', [hcp.address, target.folder, '--rate', '1000', '--name', 'core-*']);
    const plans = await Promise.all([target.phase('plan'), second('plan', 'second')]);
    expect(plans.map(({ code }) => code)).toEqual([0, 0]);
    const runs = await Promise.all([target.phase('run'), second('run', 'second')]);
    for (const { code, stderr } of runs) expect([0, 7], stderr).toContain(code);
    for (const run of [() => target.phase('run'), () => second('run', 'second')]) {
      const { code, stdout, stderr } = await run();
      expect(code, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ states: 0, open: 0 });
    }
    const workspaces = await target.list(`/organizations/${target.organization}/workspaces`);
    expect(workspaces.map(({ attributes }) => attributes.name).toSorted()).toEqual(['core-a', 'core-b', 'core-c']);
    for (const { id, attributes } of workspaces) {
      expect(await contentsOf(target, attributes.name)).toEqual(versions.map(({ content }) => String(content)));
      expect(await target.list(`/workspaces/${id}/vars`)).toHaveLength(1);
      expect(attributes.locked).toBe(false);
    }
  });

  it('never repeat a state version that the other one has written between the comparison and the lock', async () => {
    const { hcp, env } = await openSource({ workspaces: [{ name: 'core-a', versions }] });
    const target = await createImportTarget(bed, env);
    await target.plan(hcp.address, ['--rate', '1000']);
    await target.json('run');
    const second = await addSecond(target, hcp, 'third');
    hcp.addVersion('core-a', hcpState(3, 'a'));
    await target.plan(hcp.address, ['--rate', '1000']);
    await second('init', hcp.address, 'third', '--rate', '1000', '--name', 'core-*');
    await second('plan', 'third');
    let other: Awaited<ReturnType<typeof second>> | undefined;
    const run = await target.phase('run', [], {
      fetch: async (input, init) => {
        if (other === undefined && String(input).endsWith('/actions/lock')) other = await second('run', 'third');
        return target.fetch(input, init);
      },
    });
    expect(other?.code, other?.stderr).toBe(0);
    expect(run.stderr).toContain('core-a has another state version than before it was locked');
    expect(JSON.parse(run.stdout)).toMatchObject({ states: 0, refused: 1, open: 0 });
    expect(await contentsOf(target, 'core-a')).toEqual([1, 2, 3].map((serial) => String(hcpState(serial, 'a'))));
    expect(await target.json('run')).toMatchObject({ states: 0, refused: 0 });
  });
});

describe('an import whose lock somebody takes away', () => {
  it('reports this workspace, carries the others, and completes with the next run', async () => {
    const versions = [1, 2, 3].map((serial) => ({ content: hcpState(serial, 'a') }));
    const names = ['dns', 'network', 'web'];
    const { hcp, env } = await openSource({ workspaces: names.map((name) => ({ name, versions })) });
    const target = await createImportTarget(bed, env);
    await target.plan(hcp.address, ['--rate', '1000']);
    const isDue = Promise.withResolvers<void>();
    const isRenewed = Promise.withResolvers<void>();
    const renewed = new Set<AbortSignal>();
    let taken: string | undefined;
    const { code, stderr } = await target.phase('run', [], {
      // Each lease is renewed once, after one of them was taken away.
      wait: (milliseconds, signal) => {
        if (milliseconds < 60_000 || renewed.has(signal)) return waitForReleases(milliseconds, signal);
        renewed.add(signal);
        return Promise.race([isDue.promise, waitForReleases(milliseconds, signal)]);
      },
      fetch: async (input, init) => {
        const response = await target.fetch(input, init);
        const [, id] = /workspaces\/(ws-\w+)\/state-versions$/.exec(String(input)) ?? [];
        if (String(input).includes(`${taken}/actions/renew-lock`)) isRenewed.resolve();
        if (init?.method !== 'POST' || id === undefined || taken !== undefined) return response;
        taken = id;
        await bed.api.request('POST', `/workspaces/${id}/actions/force-unlock`, { token: target.token });
        isDue.resolve();
        await isRenewed.promise;
        return response;
      },
    });
    expect(code, stderr).toBe(7);
    const stored = await Promise.all(names.map((name) => contentsOf(target, name)));
    expect(stored.map(({ length }) => length).toSorted()).toEqual([1, 3, 3]);
    await target.json('run');
    for (const name of names)
      expect(await contentsOf(target, name)).toEqual(versions.map(({ content }) => String(content)));
  });
});
