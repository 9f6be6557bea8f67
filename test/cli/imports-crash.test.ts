import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { createCrash, type Moment } from '../support/import/crash.ts';
import { hcpState } from '../support/import/hcp-description.ts';
import { type HcpServer, startHcpServer } from '../support/import/hcp-server.ts';
import { createImportTarget, type ImportTarget, readStored } from '../support/import/import-bed.ts';
import { usualOrThorough } from '../support/setup/run-budget.ts';

let bed: CliBed;
let hcp: HcpServer;

const versions = {
  network: [hcpState(1, 'n'), hcpState(2, 'n'), hcpState(1, 'n', 5)],
  web: [hcpState(7, 'w')],
};

beforeAll(async () => {
  bed = await startCliBed();
  hcp = await startHcpServer({
    projects: [{ name: 'Platform', access: { readers: 'read' } }],
    teams: [{ name: 'readers' }],
    variableSets: [{ name: 'shared', workspaces: ['network'], variables: [{ key: 'zone', value: 'a' }] }],
    workspaces: [
      {
        name: 'network',
        project: 'Platform',
        tags: ['core'],
        consumers: ['web'],
        access: { readers: 'read' },
        variables: [
          { key: 'region', value: 'eu' },
          { key: 'PASSWORD', value: 'unreadable', category: 'env', sensitive: true },
        ],
        versions: versions.network.map((content) => ({ content })),
      },
      { name: 'web', versions: versions.web.map((content) => ({ content })) },
    ],
  });
});
afterAll(async () => {
  expect(hcp.violations).toEqual([]);
  expect((await bed.api.admin('check-table')).findings).toEqual([]);
  await hcp.stop();
  await bed.stop();
});

const prepare = async (): Promise<ImportTarget> => {
  const target = await createImportTarget(bed, { HOLDFAST_SOURCE_TOKEN: hcp.token });
  await target.plan(hcp.address, ['--rate', '1000']);
  target.enterSecrets({ 'variables/network/env/PASSWORD': { value: 'a-new-password' } });
  target.accept();
  return target;
};

/** Runs the import until it ends with a write. */
const crashAt = async (target: ImportTarget, number: number, moment: Moment) => {
  const crash = createCrash(target.fetch, number, moment);
  const result = await target.phase('run', [], { signal: crash.signal, fetch: crash.fetch });
  await crash.settle();
  return { crash, result };
};

/** Leaves half of the last line of the journal, as a crash does while it is written. */
const tear = ({ path, writes }: ImportTarget): void => {
  const text = readFileSync(path('journal.jsonl'), 'utf8');
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  const { key } = JSON.parse(text.slice(start)) as { readonly key?: string };
  // An intention is on the disk before its request is sent.
  if (writes.some((write) => write.key === `"${key}"`)) return;
  writeFileSync(path('journal.jsonl'), text.slice(0, start + Math.floor((text.length - start) / 2)));
};

/** Requires that everything is there once, that nothing is locked, and that a further run writes nothing. */
const requireWhole = async (target: ImportTarget, what: string): Promise<void> => {
  const { organization, list, lines } = target;
  const workspaces = await list(`/organizations/${organization}/workspaces`);
  expect(workspaces.map(({ attributes }) => attributes.name).toSorted(), what).toEqual(['network', 'web']);
  for (const { id, attributes } of workspaces) {
    // A lock that a crash has left ends with its lease.
    if (attributes.locked) expect(attributes['locked-reason'], what).toMatch(/^import /);
    const name = attributes.name as keyof typeof versions;
    const stored = await readStored(bed, target, name);
    expect(
      stored.map(({ content }) => content),
      `${what}: states of ${name}`,
    ).toEqual(versions[name].map(String));
    expect(stored.map(({ isCurrent }) => isCurrent)).toEqual(stored.map((_, index) => index === stored.length - 1));
    const variables = await list(`/workspaces/${id}/vars`);
    expect(variables.map((variable) => variable.attributes.key).toSorted(), what).toEqual(
      name === 'network' ? ['PASSWORD', 'region'] : [],
    );
  }
  expect((await list(`/organizations/${organization}/projects`)).length, what).toBe(2);
  expect((await list(`/organizations/${organization}/teams`)).length, what).toBe(2);
  expect((await list(`/organizations/${organization}/varsets`)).length, what).toBe(1);
  // Each version has the digests of its bytes, also where a crash came between its creation and the journal.
  const proofs = lines('proof.jsonl').filter(({ type }) => type === 'state-versions');
  expect(proofs, what).toHaveLength(4);
  for (const { version } of proofs) {
    expect(version, what).toMatchObject({ bytes: { md5: version.target.md5, serial: version.target.serial } });
  }
};

describe('an import that is killed', () => {
  it('completes with the next run after a kill at each write, and writes nothing twice', async () => {
    const whole = await prepare();
    const undisturbed = createCrash(bed.fetch, Number.POSITIVE_INFINITY, 'before');
    expect((await whole.phase('run', [], { fetch: undisturbed.fetch })).code).toBe(0);
    await requireWhole(whole, 'without a crash');
    const step = usualOrThorough(6, 1);
    let kills = 0;
    for (const [place, moment] of (['before', 'lost', 'torn'] as const).entries()) {
      for (let number = 1 + place; number <= undisturbed.writes(); number += step) {
        const what = `${moment} write ${number}`;
        const target = await prepare();
        const { crash, result } = await crashAt(target, number, moment === 'torn' ? 'before' : moment);
        expect(crash.hasHappened(), what).toBe(true);
        expect(result.code, what).not.toBe(0);
        kills += 1;
        if (moment === 'torn') tear(target);
        const second = await target.phase('run');
        expect(second.stderr, what).toBe('');
        expect(second.code, what).toBe(0);
        await requireWhole(target, what);
        const intents = new Set(target.lines('journal.jsonl').flatMap(({ key }) => (key ? [`"${key}"`] : [])));
        for (const { key, method, path } of target.writes) expect(intents, `${what}: ${method} ${path}`).toContain(key);
        target.writes.length = 0;
        expect((await target.phase('run')).code, what).toBe(0);
        expect(target.writes, what).toEqual([]);
      }
    }
    console.log(`${kills} kills at ${undisturbed.writes()} writes`);
  });
});
