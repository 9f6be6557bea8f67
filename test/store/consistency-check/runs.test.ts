import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import type { Item } from '../../../shared/store/dynamodb/item.ts';
import { type Key, keys } from '../../../shared/store/dynamodb/keys.ts';
import { openRunReports } from '../../../shared/store/runs/run-reports.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
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
  for await (const item of engine.database.scan()) items.set(spell(item as unknown as Key), item);
  healthy = items;
});
afterAll(() => engine.stop());

const check = (items: ReadonlyMap<string, Item>) => {
  const scan = async function* () {
    yield* items.values();
  };
  return checkTable({ ...engine.database, scan } as Database);
};

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
const run = () => keys.run(workspace.id, going);
const runWindow = () => keys.runWindow(workspace.id);
const configuration = () => keys.configurationVersion(workspace.id, version);
const readme = () => keys.readme(workspace.id);
const token = () => keys.token(digest);

type Damage = readonly [string, () => Key, Item | undefined, RegExp];
const cases: readonly Damage[] = [
  ['a run without a timeline', run, { timeline: {} }, /timeline is empty/],
  ['a run with a status that there is not', run, { timeline: { exploded: 1 } }, /timeline is empty, or has a status/],
  ['a run that does not count its writes', run, { n: undefined }, /does not count its writes/],
  ['a run without a description', run, { description: undefined }, /no description/],
  ['a run without tokens', run, { tokens: undefined }, /which tokens/],
  ['a run under another id', run, { id: ended }, /key is not what its content spells/],
  ['a run that is lost', run, undefined, /current run is not there/],
  ['a run whose id is lost', () => keys.pointer(going), undefined, /leads nowhere/],
  ["a run whose id is another's", () => keys.pointer(going), { workspace: 'ws-1' }, /leads nowhere/],
  ['an id of nobody', () => keys.pointer(version), { organization: undefined }, /does not say whose/],
  ['another status than the run has', own, { rs: 'applied' }, /current run is not there, or another/],
  ['another creation than the run has', own, { ra: 7 }, /current run is not there, or another/],
  ['a status of no run', own, { run: undefined }, /status of no run/],
  ['figures of no runs', runWindow, undefined, /figures of no runs/],
  ['other figures', own, { kpi: { runs: 7 } }, /figures of its workspace are others/],
  ['a window that is no window', runWindow, { runs: new Uint8Array([1]) }, /cannot be unpacked/],
  ['a configuration that is lost', configuration, undefined, /configuration is not there/],
  ['a configuration that the workspace knows nothing of', own, { hc: undefined }, /knows of no configuration/],
  ['a readme that is lost', readme, undefined, /README.md is not there/],
  ["another configuration's readme", readme, { of: configurationId(9) }, /README.md is not there, or another/],
  ['a readme that cannot be read', readme, { text: new Uint8Array([1]) }, /cannot be unpacked/],
  ['a token of no run', token, { subject: runId(9) }, /its run is not there/],
  ['a token of another run', token, { subject: ended }, /does not know of it, or has ended/],
  ['a token of a run that has ended', run, { timeline: { applied: 10 } }, /does not know of it, or has ended/],
  ['what hangs on nothing', own, undefined, /its workspace is not there/],
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
