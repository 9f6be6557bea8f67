import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { type Bench, ORGANIZATION, openBench, type Workspace } from '../../support/matrix/matrix-bench.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';

/** What has been told of runs and configurations, answered with the workspaces that they are of (HTTP-30). */
let bench: Bench;
let workspace: Workspace;
let producer: Workspace;
const [run, older, version, uploaded] = [runId(1), runId(2), configurationId(3), configurationId(4)];
const ingressId = version.replace('cv-', 'ia-');

const ingress = {
  branch: 'main',
  'commit-sha': '0123456789abcdef',
  'commit-message': 'Widen the network\n\nAs asked.',
  'is-pull-request': true,
  'pull-request-number': 7,
  'sender-username': 'ada',
};

beforeAll(async () => {
  bench = await openBench();
  workspace = await bench.make();
  producer = await bench.make();
  const consumers = `/workspaces/${producer.id}/relationships/remote-state-consumers`;
  const body = { data: [{ type: 'workspaces', id: workspace.id }] };
  expect((await bench.api.request('POST', consumers, { token: bench.owner, body })).status).toBe(204);

  const configure = (id: string, status: string, more: object) =>
    bench.api.ingest('configuration-version.updated', configurationEvent(workspace, id, status, more));
  await configure(version, 'uploaded', { 'ingress-attributes': ingress, source: 'github', 'created-at': at(10) });
  await configure(uploaded, 'uploaded', { readme: '# Network\n', 'created-at': at(20) });
  const made = { 'created-at': at(60), 'configuration-version': version, message: 'Widen' };
  await bench.api.ingest('run.updated', runEvent(workspace, older, 'discarded', 5));
  await bench.api.ingest('run.updated', runEvent(workspace, run, 'planning', 70, made));
  await bench.api.ingest('run.updated', runEvent(workspace, run, 'planned', 75, { ...made, 'has-changes': true }));
  expect(bench.api.deadLetters.received()).toEqual([]);
});
afterAll(() => bench.api.stop());

const get = async (path: string, token = bench.owner) => {
  const { status, body } = await bench.api.request('GET', path, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const LIST = `/organizations/${ORGANIZATION}/workspaces`;
/** Shown by id and by name, listed, and as a consumer. */
const paths = () => [
  `/workspaces/${workspace.id}`,
  `${LIST}/${workspace.name}`,
  LIST,
  `/workspaces/${producer.id}/relationships/remote-state-consumers`,
];
const named = (resources: readonly { type: string; id: string }[]) => resources.map(({ type, id }) => `${type} ${id}`);

const theRun = `runs ${run}`;
const theVersion = `configuration-versions ${version}`;
const theIngress = `ingress-attributes ${ingressId}`;
const expected: Readonly<Record<string, readonly string[]>> = {
  run: [theRun],
  'run.plan': [theRun, `plans ${run.replace('run-', 'plan-')}`],
  'run.apply': [theRun, `applies ${run.replace('run-', 'apply-')}`],
  'run.configuration_version': [theRun, theVersion],
  'run.configuration_version.ingress_attributes': [theRun, theVersion, theIngress],
};

describe('what is included', () => {
  it.each(
    Object.entries(expected).flatMap(([name, all]) => [
      [`current_${name}`, all] as const,
      [`latest_${name}`, all] as const,
    ]),
  )('for %s is the run, and the way to what is asked for', async (include, all) => {
    for (const path of paths()) {
      expect(named((await get(`${path}?include=${include}`)).included), path).toEqual(all);
    }
  });

  it('is everything once, however often and by however many names it is asked for', async () => {
    const include = [
      ...Object.keys(expected).flatMap((name) => [`current_${name}`, `latest_${name}`]),
      'current_configuration_version',
      'current_configuration_version.ingress_attributes',
      'locked_by',
      'readme',
    ].join();
    for (const path of paths()) {
      const { included } = await get(`${path}?include=${include}`);
      expect(named(included).sort(), path).toEqual(
        [
          ...new Set(Object.values(expected).flat()),
          `configuration-versions ${uploaded}`,
          `workspace-readme ${uploaded}`,
        ].sort(),
      );
    }
  });

  it('says of the run what its runner told last', async () => {
    const { data, included } = await get(`/workspaces/${workspace.id}?include=current_run.plan,current_run.apply`);
    const [theRun, plan, apply] = included;
    expect(data.relationships['current-run']).toEqual({
      data: { type: 'runs', id: run },
      links: { related: `/api/v2/runs/${run}` },
    });
    expect(data.relationships['latest-run']).toEqual(data.relationships['current-run']);
    expect(theRun.attributes).toMatchObject({
      status: 'planned',
      'status-timestamps': { 'planning-at': at(70), 'planned-at': at(75) },
      'created-at': at(60),
      message: 'Widen',
      'has-changes': true,
      'plan-only': false,
    });
    expect(theRun.relationships.workspace.data).toEqual({ type: 'workspaces', id: workspace.id });
    expect(plan.attributes).toEqual({
      status: 'finished',
      'status-timestamps': { 'started-at': at(70), 'finished-at': at(75) },
      'has-changes': true,
    });
    expect(apply.attributes).toEqual({ status: 'pending', 'status-timestamps': {} });
  });

  it('says of the commit what was told of it, and null of the rest', async () => {
    const include = 'current_run.configuration_version.ingress_attributes';
    const { included } = await get(`/workspaces/${workspace.id}?include=${include}`);
    const [, theVersion, commit] = included;
    expect(theVersion.attributes).toMatchObject({ status: 'uploaded', source: 'github', speculative: false });
    expect(theVersion.relationships['ingress-attributes'].data).toEqual({ type: 'ingress-attributes', id: ingressId });
    expect(commit.attributes).toMatchObject({ ...ingress, tag: null, 'on-default-branch': false });
  });

  it('is the run that holds the lock', async () => {
    const { data, included } = await get(`/workspaces/${workspace.id}?include=locked_by`);
    expect(data.relationships['locked-by'].data).toEqual({ type: 'runs', id: run });
    expect(named(included)).toEqual([theRun]);
  });

  it('is the newest README.md as it was told, whatever is in it', async () => {
    const { data, included } = await get(`/workspaces/${workspace.id}?include=readme`);
    expect(data.relationships.readme.data).toEqual({ type: 'workspace-readme', id: uploaded });
    expect(included[0].attributes).toEqual({ 'raw-markdown': '# Network\n' });
  });

  it('is shown to who may read runs', async () => {
    const given = { organization: ORGANIZATION, team: 'watchers' };
    await bench.admin('create-team', { organization: ORGANIZATION, name: 'watchers' });
    await bench.admin('grant-access', { ...given, workspace: workspace.id, access: 'custom', runs: 'read' });
    const { token } = await bench.admin('create-token', { kind: 'team', ...given });
    const { included } = await get(`/workspaces/${workspace.id}?include=current_run,locked_by,readme`, token);
    expect(named(included)).toEqual([theRun, `workspace-readme ${uploaded}`]);
  });
});

describe('a workspace of which nothing was told', () => {
  it('has no run, no configuration and no readme to include', async () => {
    const include = ['current_run.plan', 'current_configuration_version.ingress_attributes', 'readme', 'locked_by'];
    const { data, included } = await get(`/workspaces/${producer.id}?include=${include}`);
    expect(included).toEqual([]);
    for (const name of ['current-run', 'latest-run', 'current-configuration-version', 'readme']) {
      expect(data.relationships[name], name).toEqual({ data: null });
    }
    for (const name of ['apply-duration-average', 'run-failures', 'workspace-kpis-runs-count']) {
      expect(data.attributes[name], name).toBeNull();
    }
  });
});
