import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliBed, type CliOptions, type CliResult, startCliBed } from '../support/cli/cli-bed.ts';
import { type HcpVariable, hcpState } from '../support/import/hcp-description.ts';
import { type HcpServer, startHcpServer } from '../support/import/hcp-server.ts';

/** Completeness of the report of an import (docs/operate/import.md). */
let target: CliBed;
let hcp: HcpServer;

/** Variables of the workspace at the source, which a test changes. */
const variables: HcpVariable[] = [
  { key: 'region', value: 'eu' },
  { key: 'zone', value: 'a' },
];
const consumers: string[] = ['web'];

beforeAll(async () => {
  target = await startCliBed();
  hcp = await startHcpServer({
    organization: { 'fair-run-queuing-enabled': true },
    workspaces: [
      {
        name: 'network',
        variables,
        consumers,
        runs: ['applied', 'errored', 'applied'],
        runTriggers: ['web'],
        notifications: [{ name: 'chat', triggers: ['run:completed'] }],
        versions: [
          { content: hcpState(1, 'n') },
          { content: hcpState(2, 'n'), status: 'discarded' },
          { content: hcpState(3, 'n') },
        ],
      },
      { name: 'web', versions: [{ content: hcpState(1, 'w') }] },
    ],
    teams: [{ name: 'builders', tokens: 1, notifications: [{ name: 'mail', triggers: [] }] }],
    policySets: ['rules'],
    policies: ['no-public-buckets'],
  });
});
afterAll(async () => {
  expect(hcp.violations).toEqual([]);
  expect((await target.api.admin('check-table')).findings).toEqual([]);
  await hcp.stop();
  await target.stop();
});

/** Waits no time, except for the renewal of a lease, which ends with its release. */
const wait: CliOptions['wait'] = (milliseconds, signal) =>
  milliseconds < 60_000
    ? Promise.resolve()
    : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const phase = (name: string, ...args: readonly string[]): Promise<CliResult> =>
  target.run(['import', name, ...args, '--json'], { wait, env: { HOLDFAST_SOURCE_TOKEN: hcp.token } });

const succeed = async (name: string, ...args: readonly string[]) => {
  const { code, stdout, stderr } = await phase(name, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
};

const readSource = async () => {
  await succeed('init', hcp.address, 'move', '--rate', '1000');
  return succeed('plan', 'move');
};

const read = (file: string): string => readFileSync(join(target.home, 'move', file), 'utf8');

const accept = (): void => {
  const plan = JSON.parse(read('plan.json'));
  for (const problem of plan.problems) problem.accept = true;
  writeFileSync(join(target.home, 'move/plan.json'), JSON.stringify(plan));
};

describe('the report of an import', () => {
  it('names every object that is not carried, and its sums are those of the source', async () => {
    const planned = await readSource();
    accept();
    const result = await succeed('run', 'move');
    const report = await succeed('report', 'move').then(({ report: text }) => text as string);
    for (const line of [
      '| notification-configurations | network/chat | 1 | not-supported |',
      '| run-triggers | network/web | 1 | not-supported |',
      '| runs | network | 3 | not-supported |',
      '| configuration-versions | network | 3 | not-supported |',
      '| state-versions | network/sv-network-2 | 1 | no-content |',
      '| notification-configurations | builders/mail | 1 | not-supported |',
      '| policy-sets | acme/rules | 1 | not-supported |',
      '| policies | acme/no-public-buckets | 1 | not-supported |',
      '| organization-settings | acme/fair-run-queuing-enabled | 1 | not-supported |',
      '| authentication-tokens | teams/builders | 1 | unreadable |',
    ]) {
      expect(report).toContain(line);
    }
    const types = Object.fromEntries(
      [...report.matchAll(/^\| ([a-z-]+) \| (\d+) \| (\d+) \|/gm)].map(([, type, all]) => [type, Number(all)]),
    );
    expect(types).toMatchObject({ workspaces: 2, 'state-versions': 3, variables: 2, 'remote-state-consumers': 1 });
    const [, all, carried, others, notCarried] =
      /has (\d+) objects: (\d+) are carried, (\d+) differ or are not there, and (\d+) are not carried/.exec(report) ??
      [];
    expect(Number(all)).toBe(Number(carried) + Number(others) + Number(notCarried));
    expect(Number(notCarried)).toBe(planned['not-carried']);
    expect(Number(carried)).toBe(result.results.same);
    expect(Number(carried)).toBe(read('proof.jsonl').trim().split('\n').length);
  });

  it('lists what the source has deleted since the run apart from the inventory, until it is accepted', async () => {
    const before = await succeed('verify', 'move');
    expect(before).toMatchObject({ 'deleted-at-source': 0, open: 0 });
    variables.pop();
    consumers.pop();
    const planned = await readSource();
    expect(planned).toMatchObject({ conflict: 0, problems: 2 });
    const refused = await phase('cutover', 'move', '--wave', 'first', '--name', 'network');
    expect(refused.code).toBe(7);
    expect(JSON.parse(refused.stdout)[0].detail).toContain('The source does not have it any more');
    const verified = await phase('verify', 'move');
    expect(verified.code).toBe(7);
    expect(JSON.parse(verified.stderr).meta).toMatchObject({
      ...{ 'deleted-at-source': 2, open: 2 },
      counts: { variables: { same: 1 } },
    });
    expect(read('report.md')).toContain('the target has 2 objects of this import that the source has deleted');
    expect(read('report.md')).toContain('| variables | network/infra/zone | different | deleted-at-source |');
    accept();
    expect(await succeed('run', 'move')).toMatchObject({ records: 0, open: 0, accepted: 2 });
    const kept = await target.json(['var', 'list', 'network']);
    expect(kept.map(({ key }: { key: string }) => key).toSorted()).toEqual(['region', 'zone']);
    expect(await succeed('cutover', 'move', '--wave', 'first', '--name', 'network')).toMatchObject([
      { name: 'network', result: 'cut over' },
    ]);
  });
});
