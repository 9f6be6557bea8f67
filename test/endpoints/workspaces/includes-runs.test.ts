import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { at, configurationEvent, runEvent } from '../../support/events/run-events.ts';
import { configurationId, runId } from '../../support/models/run-model.ts';

/** Runs and configuration versions that are included with their workspace (HTTP-30). */
let fixture: OrganizationFixture;
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
  fixture = await createOrganizationFixture();
  workspace = await fixture.createWorkspace();
  producer = await fixture.createWorkspace();
  const consumers = `/workspaces/${producer.id}/relationships/remote-state-consumers`;
  const body = { data: [{ type: 'workspaces', id: workspace.id }] };
  expect((await fixture.api.request('POST', consumers, { token: fixture.owner, body })).status).toBe(204);

  const configure = (id: string, status: string, more: object) =>
    fixture.api.ingest('configuration-version.updated', configurationEvent(workspace, id, status, more));
  await configure(version, 'uploaded', { 'ingress-attributes': ingress, source: 'github', 'created-at': at(10) });
  await configure(uploaded, 'uploaded', { readme: '# Network\n', 'created-at': at(20) });
  const details = { 'created-at': at(60), 'configuration-version': version, message: 'Widen' };
  await fixture.api.ingest('run.updated', runEvent(workspace, older, 'discarded', 5));
  await fixture.api.ingest('run.updated', runEvent(workspace, run, 'planning', 70, details));
  await fixture.api.ingest('run.updated', runEvent(workspace, run, 'planned', 75, { ...details, 'has-changes': true }));
  expect(fixture.api.deadLetters.received()).toEqual([]);
});
afterAll(() => fixture.api.stop());

const get = async (path: string, token = fixture.owner) => {
  const { status, body } = await fixture.api.request('GET', path, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
const LIST = `/organizations/${ORGANIZATION}/workspaces`;
/** Paths whose responses contain the workspace: by id, by name, in the list, and as a consumer. */
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

describe('include of runs and configuration versions', () => {
  it.each(
    Object.entries(expected).flatMap(([name, all]) => [
      [`current_${name}`, all] as const,
      [`latest_${name}`, all] as const,
    ]),
  )('returns the resources on the path %s, beginning with the run', async (include, all) => {
    for (const path of paths()) {
      expect(named((await get(`${path}?include=${include}`)).included), path).toEqual(all);
    }
  });

  it('returns each resource once, even if several include names lead to it', async () => {
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

  it('shows the run, plan and apply as the runner last reported them', async () => {
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

  it('shows the reported commit attributes and null for the others', async () => {
    const include = 'current_run.configuration_version.ingress_attributes';
    const { included } = await get(`/workspaces/${workspace.id}?include=${include}`);
    const [, theVersion, commit] = included;
    expect(theVersion.attributes).toMatchObject({ status: 'uploaded', source: 'github', speculative: false });
    expect(theVersion.relationships['ingress-attributes'].data).toEqual({ type: 'ingress-attributes', id: ingressId });
    expect(commit.attributes).toMatchObject({ ...ingress, tag: null, 'on-default-branch': false });
  });

  it('returns the run that holds the lock for locked_by', async () => {
    const { data, included } = await get(`/workspaces/${workspace.id}?include=locked_by`);
    expect(data.relationships['locked-by'].data).toEqual({ type: 'runs', id: run });
    expect(named(included)).toEqual([theRun]);
  });

  it('returns the newest README exactly as it was reported', async () => {
    const { data, included } = await get(`/workspaces/${workspace.id}?include=readme`);
    expect(data.relationships.readme.data).toEqual({ type: 'workspace-readme', id: uploaded });
    expect(included[0].attributes).toEqual({ 'raw-markdown': '# Network\n' });
  });

  it('returns the run to a team with the read permission for runs', async () => {
    const given = { organization: ORGANIZATION, team: 'watchers' };
    await fixture.admin('create-team', { organization: ORGANIZATION, name: 'watchers' });
    await fixture.admin('grant-access', { ...given, workspace: workspace.id, access: 'custom', runs: 'read' });
    const { token } = await fixture.admin('create-token', { kind: 'team', ...given });
    const { included } = await get(`/workspaces/${workspace.id}?include=current_run,locked_by,readme`, token);
    expect(named(included)).toEqual([theRun, `workspace-readme ${uploaded}`]);
  });
});

describe('workspace without run reports', () => {
  it('includes no run, configuration version or README', async () => {
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
