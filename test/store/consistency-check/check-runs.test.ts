import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { type Item, type Key, keys } from '../../../shared/store/dynamodb/keys.ts';
import { openRunReports } from '../../../shared/store/runs/run-reports.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { storedIn } from '../../support/engine/stored-in.ts';
import { configurationId, configurationReport, runId, runReport } from '../../support/models/run-model.ts';

/** A table with runs and configuration versions. Each test damages a copy of it in memory and expects a finding. */
let engine: TestEngine;
let healthy: ReadonlyMap<string, Item>;
let workspace: Workspace;

const [going, ended] = [runId(1), runId(2)];
const version = configurationId(3);
const digest = 'ab'.repeat(32);
const spell = ({ pk, sk }: Key): string => `${pk} ${sk}`;

beforeAll(async () => {
  engine = await startEngine();
  const { admin, workspaces } = openAdmin(engine.database);
  const made = await admin('create-organization', { name: 'acme', email: 'ann@example.com' });
  workspace = newWorkspace({ organization: 'acme', project: made['organization'].defaultProject }, { name: 'one' });
  await workspaces.create(workspace, 4);
  const { reportRun, reportConfiguration } = openRunReports(engine.database, workspaces, Date.now);
  const principal = { kind: 'run', id: going, name: going, organization: 'acme', workspace: workspace.id } as const;
  const request = { id: 'r', principal };
  const whose = { workspace: workspace.id };
  await reportRun('acme', runReport(ended, 'applied', 5, { ...whose, createdAt: 1, token: 'cd'.repeat(32) }), request);
  await reportRun('acme', runReport(going, 'planning', 9, { ...whose, createdAt: 2, token: digest }), request);
  const configured = configurationReport(version, 'uploaded', 3, { ...whose, readme: 'text' });
  await reportConfiguration('acme', configured, request);
  const items = new Map<string, Item>();
  for await (const item of scanItems(engine.database)) items.set(spell(item as unknown as Key), item);
  healthy = items;
});
afterAll(() => engine.stop());

const check = (items: ReadonlyMap<string, Item>) => checkTable(engine.database, { stored: storedIn(items), pause: 0 });

test('reports no findings in a healthy table with runs', async () => {
  const { findings, byType } = await check(healthy);
  expect(findings).toEqual([]);
  expect(byType).toMatchObject({
    run: 2,
    'run-id': 2,
    'run-token': 1,
    'run-window': 1,
    configurationVersion: 1,
    'configuration-version-id': 1,
    readme: 1,
  });
});

const own = () => keys.workspace(workspace.id);
const run = () => keys.run(workspace.id, 2, going);
const runWindow = () => keys.runWindow(workspace.id);
const configuration = () => keys.configurationVersion(workspace.id, version);
const readme = () => keys.readme(workspace.id);
const token = () => keys.token(digest);

type Damage = readonly [string, () => Key, Item | undefined, RegExp];
const cases: readonly Damage[] = [
  ['a run without a timeline', run, { timeline: {} }, /timeline is empty/],
  ['a run with an unknown status', run, { timeline: { exploded: 1 } }, /timeline is empty or has an unknown status/],
  ['a run without a write count', run, { n: undefined }, /write count or its creation time is missing/],
  ['a run without a description', run, { description: undefined }, /description is missing/],
  ['a run without tokens', run, { tokens: undefined }, /list of tokens is missing/],
  ['a run under another id', run, { id: ended }, /key does not match its content/],
  ['a run with another key than its pointer has', () => keys.pointer(going), { at: 3 }, /leads to another key/],
  ['a run count that does not match the runs', own, { rn: 3 }, /run count does not match its runs/],
  ['a missing current run', run, undefined, /current run does not exist/],
  ['a run without an id pointer', () => keys.pointer(going), undefined, /its id pointer does not exist/],
  [
    'a run whose id pointer leads to another workspace',
    () => keys.pointer(going),
    { workspace: 'ws-1' },
    /its id pointer does not exist/,
  ],
  [
    'an id pointer without an organization',
    () => keys.pointer(version),
    { organization: undefined },
    /no organization, workspace or project/,
  ],
  [
    'a run status that does not match the current run',
    own,
    { rs: 'applied' },
    /current run does not exist or does not match/,
  ],
  [
    'a run creation time that does not match the current run',
    own,
    { ra: 7 },
    /current run does not exist or does not match/,
  ],
  ['a run status without a current run', own, { run: undefined }, /run status, but no current run/],
  ['run metrics without a run window', runWindow, undefined, /both run metrics and a run window, or neither/],
  [
    'run metrics that do not match the run window',
    own,
    { kpi: { runs: 7 } },
    /does not match the run metrics of its workspace/,
  ],
  ['a run window that cannot be decoded', runWindow, { runs: new Uint8Array([1]) }, /cannot be decoded/],
  ['a missing configuration version', configuration, undefined, /configuration version does not exist/],
  [
    'a configuration version that its workspace does not list',
    own,
    { hc: undefined },
    /has no current configuration version/,
  ],
  ['a missing README.md', readme, undefined, /README.md does not exist/],
  [
    'a README.md of another configuration version',
    readme,
    { of: configurationId(9) },
    /README.md does not exist or is of another configuration version/,
  ],
  ['a README.md that cannot be decoded', readme, { text: new Uint8Array([1]) }, /cannot be decoded/],
  ['a token of a missing run', token, { subject: runId(9) }, /its run does not exist/],
  ['a token of another run', token, { subject: ended }, /its run has ended or does not list it/],
  ['a token of a run that has ended', run, { timeline: { applied: 10 } }, /its run has ended or does not list it/],
  ['items of a missing workspace', own, undefined, /its workspace does not exist/],
];

test.each(cases)('reports %s', async (_, key, by, problem) => {
  const items = new Map(healthy);
  if (by === undefined) items.delete(spell(key()));
  else {
    const whole = { ...items.get(spell(key())), ...by };
    items.set(spell(key()), Object.fromEntries(Object.entries(whole).filter(([, value]) => value !== undefined)));
  }
  const { findings } = await check(items);
  expect(findings.map((finding) => finding.problem).join('\n')).toMatch(problem);
});
