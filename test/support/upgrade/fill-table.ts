import { recordBatch } from '../../../functions/record-history/record.ts';
import { digestOf } from '../../../shared/access/credentials.ts';
import { NAMED_CONSUMERS } from '../../../shared/domain/changes/change-records.ts';
import type { Principal } from '../../../shared/domain/directory/records.ts';
import { prefixes } from '../../../shared/domain/ids.ts';
import { dayOf } from '../../../shared/domain/timestamps.ts';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { forceUnlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import { update } from '../../../shared/domain/transitions/workspaces/update-workspace.ts';
import { type Content, newVariable } from '../../../shared/domain/workspace/variable.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58, newId, versionId } from '../../../shared/lib/random.ts';
import { createLogger } from '../../../shared/logging/log.ts';
import { openCommandStore } from '../../../shared/store/automation/command-records.ts';
import type { StoredJob } from '../../../shared/store/bulk-jobs/bulk-job-items.ts';
import { openBulkJobs } from '../../../shared/store/bulk-jobs/bulk-job-store.ts';
import { openJobWork } from '../../../shared/store/bulk-jobs/job-work.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { setProviderDisabled } from '../../../shared/store/directory/sign-in/disabled-providers.ts';
import { openSessions } from '../../../shared/store/directory/sign-in/sessions.ts';
import { openFirstUses, openFirstUseWriter } from '../../../shared/store/directory/tokens/first-uses.ts';
import { openRejections } from '../../../shared/store/directory/tokens/rejections.ts';
import { type Item, keys } from '../../../shared/store/dynamodb/keys.ts';
import { historyFilters } from '../../../shared/store/dynamodb/table-definition.ts';
import { openActivityCounter } from '../../../shared/store/history/activity-counter.ts';
import { hourOf, markWrite } from '../../../shared/store/history/activity-marks.ts';
import { openHistoryWriter } from '../../../shared/store/history/history-writer.ts';
import { openConsumers } from '../../../shared/store/remote-state-consumers/consumer-store.ts';
import { openRunReports } from '../../../shared/store/runs/run-reports.ts';
import { openDeviceLogins } from '../../../shared/store/sign-in/device-logins.ts';
import { openDeviceTries } from '../../../shared/store/sign-in/device-tries.ts';
import { openOneTimeSecrets } from '../../../shared/store/sign-in/one-time-secrets.ts';
import { openStateRetention } from '../../../shared/store/state-versions/state-retention.ts';
import { openStateVersionChanges } from '../../../shared/store/state-versions/state-version-changes.ts';
import { openStateVersions } from '../../../shared/store/state-versions/state-version-reader.ts';
import { openVariableSets } from '../../../shared/store/variable-sets/variable-set-store.ts';
import { openVariables } from '../../../shared/store/variables/variable-store.ts';
import { openVerificationLimit } from '../../../shared/store/variables/verification-limit.ts';
import { serviceRequest } from '../../../shared/store/workspaces/service-request.ts';
import { openAdmin } from '../api/admin.ts';
import { storeSshKey } from '../api/create-ssh-key.ts';
import { configurationContext, newWorkspace } from '../api/new-workspace.ts';
import type { TestEngine } from '../engine/engine.ts';
import { deliver } from '../engine/stream-mapping.ts';
import { followStream } from '../engine/table-stream.ts';
import { configurationId, configurationReport, runId, runReport } from '../models/run-model.ts';
import { identityProvider } from '../sign-in/people.ts';

const organization = 'acme';

/** Previews and applies a bulk job, as a worker does that changes nothing, and leaves it active. */
const executeJob = async ({ database }: TestEngine, id: string): Promise<void> => {
  const jobs = openBulkJobs(database, Date.now);
  const work = openJobWork(database, Date.now);
  const held = async () => (await jobs.find(id)) as StoredJob;
  const item = { id: prefixes.workspace + base58(16), name: 'network', outcome: 'changed' } as const;
  await work.acquire(id, 'worker');
  await work.resolve(await held(), [item]);
  await work.recordPreviews(await held(), [item]);
  await work.becomeReady(await held());
  await jobs.start(id, serviceRequest('test'), { caller: (await held()).caller, skipWarned: false });
  await work.acquire(id, 'worker');
  await work.recordResults(await held(), [{ outcome: 'skipped' }]);
};
const day = 24 * 60 * 60_000;

/** Fills an empty table with at least one item of every type, by commands, transitions, reports and the stream. */
export const fillTable = async (engine: TestEngine): Promise<void> => {
  const { database } = engine;
  const stream = await followStream(engine);
  const { admin, directory, workspaces } = openAdmin(database);
  const created = await admin('create-organization', { name: organization, email: 'ann@example.com' });
  const project = created['organization'].defaultProject;
  await admin('create-project', { organization, name: 'Platform' });
  await admin('create-project', { organization, name: 'Closed' });
  await admin('delete-project', { organization, name: 'Closed' });
  await admin('create-team', { organization, name: 'devs', permissions: 'read-workspaces' });
  await admin('add-member', { organization, team: 'devs', username: 'ann' });
  const used = await admin('create-token', { kind: 'team', organization, team: 'devs' });
  const { agentPool } = await admin('create-agent-pool', { organization, name: 'pool' });
  const connection = { serviceProvider: 'github', httpUrl: 'https://github.com' };
  await admin('create-vcs-connection', { organization, name: 'hub', ...connection });
  await admin('create-app-installation', { organization, name: 'app' });
  await storeSshKey(directory, organization, 'key');
  await admin('create-release', { version: '99.0.0' });
  await directory.reservedTagKeys.create(serviceRequest('test'), organization, {
    key: 'cost-center',
    disableOverrides: true,
  });
  const { token } = await admin('create-token', { kind: 'team', organization, team: 'devs' });
  await admin('revoke-token', { token });

  let requests = 0;
  const request = (id = `request-${++requests}`): RequestContext => ({
    id,
    principal: { kind: 'user', id: created['user'].id, name: 'ann' },
  });
  const find = async (id: string) => (await workspaces.find(id)) as Workspace;
  const create = async (name: string, configuration: object = {}, known: object = {}): Promise<Workspace> => {
    const workspace = newWorkspace({ organization, project }, { name, ...configuration }, known);
    await workspaces.create(workspace, 4);
    return workspace;
  };
  const { id } = await create('network', { executionMode: 'agent', agentPool: agentPool.id }, { agentPool });
  const reader = await create('reader', { description: 'x'.repeat(900) });
  await admin('grant-access', { organization, team: 'devs', workspace: 'network', access: 'write' });
  await admin('grant-access', { organization, team: 'devs', project: 'Platform', access: 'admin' });
  const change = update(
    request(),
    { configuration: { name: 'network-1' }, from: project, to: project },
    configurationContext,
  );
  await workspaces.apply(await find(id), change, request());

  const job = await openBulkJobs(database, Date.now).create(request(), {
    id: prefixes.bulkJob + base58(16),
    organization,
    externalId: created['organization'].externalId,
    action: 'update',
    parameters: { description: 'x' },
    selection: { ids: [id] },
    rate: 50,
    maxFailures: null,
    note: null,
    caller: { principal: request().principal as Principal, digest: digestOf(used['token']) },
  });
  await executeJob(engine, job.id);

  const variables = openVariables(database, workspaces, Date.now);
  const variable = async (key: string, content: Content) => {
    const origin = { id: prefixes.variable + base58(16), workspace: id, createdAt: 1, version: versionId() };
    const whole = { ...newVariable(origin, { key, category: 'env' }), content };
    await variables.create(await find(id), whole, request(origin.id));
    return whole;
  };
  await variable('plain', { value: 'v' });
  await variable('secret', { encryptedValue: new Uint8Array([1]) });
  const hidden = await variable('hidden', { value: 'v' });
  const encrypted = { ...hidden, content: { encryptedValue: new Uint8Array([2]) }, version: versionId() };
  await variables.update(await find(id), hidden, encrypted, request());
  await variables.delete(await find(id), await variable('deleted', { value: 'v' }), request());
  await openConsumers(database, workspaces, Date.now).add(await find(id), [reader.id], request());
  // More than a change record names.
  const readers = Array.from({ length: NAMED_CONSUMERS + 1 }, () => prefixes.workspace + base58(16));
  await openConsumers(database, workspaces, Date.now).add(await find(reader.id), readers, request());

  const variableSets = openVariableSets(database, Date.now);
  const variableSet = async (name: string, settings: { global?: boolean; project?: string } = {}) => {
    const setId = prefixes.variableSet + base58(16);
    const given = {
      id: setId,
      organization,
      project: undefined,
      name,
      description: '',
      global: false,
      priority: false,
    };
    await variableSets.create(request(), { ...given, ...settings });
    return setId;
  };
  const globalSet = await variableSet('everywhere', { global: true });
  const inSet = { id: prefixes.variable + base58(16), variableSet: globalSet, createdAt: 1, version: versionId() };
  const whole = { ...newVariable(inSet, { key: 'shared', category: 'env' }), content: { value: 'v' } };
  await variableSets.createVariable(globalSet, whole, request());
  const ofProject = await variableSet('project', { project });
  await variableSets.changeAssignments(ofProject, request(), 'workspaces', () => ({ added: [id], removed: [] }));
  const digest = digestOf(used['token']);
  const item = (await database.get(keys.token(digest), true)) as Item;
  const principal = { kind: 'user', id: created['user'].id, name: 'ann' } as const;
  const { unused: _, ...usedItem } = item;
  // The first use ever, and the first one of a later day.
  for (const reported of [item, { ...usedItem, usedAt: Date.now() - 86_400_000 }]) {
    const { note, reportFirstUse } = openFirstUses(database, Date.now);
    note(digest, { item: reported, principal });
    await reportFirstUse(digest, request());
  }
  const findToken = async () => ({ principal: request().principal as Principal });
  await openRejections(database, Date.now, { findToken })(digest, {
    ...{
      isAccessDenied: true,
      request: request().id,
      organization,
      operation: 'workspaces.show',
      status: 404,
      path: '/api/v2/workspaces/ws-x',
    },
  });
  const { record: mapped } = await directory.teams.create(request(), {
    ...{ organization, name: 'builders', service: false, permissions: [], ssoTeamId: 'builders' },
  });
  const rule = {
    issuer: 'https://idp.example',
    audience: 'holdfast',
    conditions: [{ claim: '/sub', equals: ['job'] }],
  };
  await directory.records.create(
    request(),
    'workloadIdentity',
    { organization, name: 'pipeline', ...rule, team: mapped.id, lifetimeMinutes: 60, enabled: true },
    { id: newId('workloadIdentity', request()) },
  );
  const provider = identityProvider({ name: 'corporate', issuer: 'https://idp.example' });
  const person = { subject: 'grace', username: 'grace', email: 'grace@example.com', emailVerified: true };
  const session = { id: newId('session', request()), digest: digestOf('secret') };
  await openSessions(directory).signIn(
    request(),
    { provider, ...person, groups: ['builders'], sid: 'sid', limits: { hours: 12, idleMinutes: 60 } },
    session,
  );
  await setProviderDisabled(directory.table, request(), 'former', true);
  const code = { user: created['user'].id, name: 'ann', port: 10_000, challenge: 'c', token: 'at-1' };
  await openOneTimeSecrets(database, Date.now).put('authorization-code', 'code', code, 60_000);
  await openDeviceLogins(database, Date.now).begin('203.0.113.7');
  await openDeviceTries(database, Date.now)(created['user'].id);
  await openVerificationLimit(database, Date.now)(whole.id, request().principal as Principal);

  const { reportRun, reportConfiguration } = openRunReports(database, workspaces, Date.now);
  const [going, ended] = [runId(1), runId(2)];
  const byRun = { id: 'r2', principal: { kind: 'run', id: going, name: going, organization, workspace: id } } as const;
  await reportRun(organization, runReport(ended, 'applied', 5, { workspace: id, createdAt: 1 }), byRun);
  const report = { workspace: id, createdAt: 2, token: 'ab'.repeat(32) };
  await reportRun(organization, runReport(going, 'pending', 9, report), byRun);
  const configuration = configurationReport(configurationId(3), 'uploaded', 3, { workspace: id, readme: 'text' });
  await reportConfiguration(organization, configuration, byRun);

  const changes = openStateVersionChanges(database, workspaces, openStateVersions(database), Date.now);
  const outputs = Array.from({ length: 100 }, (_, n) => ({
    name: `o${n}`,
    sensitive: false,
    type: null,
    value: Math.sin(n),
  }));
  const content = { size: 1, object: '1', resources: 1, format: 4, terraformVersion: null };
  const state = async (serial: number, values: typeof outputs) => {
    const draft = {
      ...{ workspace: id, createdAt: Date.now() - 30 * day + serial, serial, lineage: null, md5: '0'.repeat(32) },
      ...({ status: 'pending', intermediate: false, until: Date.now() + 60_000, run: null } as const),
      createdBy: { kind: 'user', id: created['user'].id } as const,
    };
    const version = await changes.createStateVersion(await find(id), draft, request(), { force: false });
    await changes.finalizeStateVersion(await find(id), version, { ...content, outputs: values }, request());
  };
  await workspaces.apply(await find(id), lock(request(), { id: 'lock-1', reason: '', at: 1 }), request());
  await state(1, []);
  await state(2, outputs);
  await workspaces.apply(await find(id), forceUnlock(request()), request());
  const retention = openStateRetention(database, workspaces, Date.now, request);
  const byDefault = { id: 'drp-1', type: 'data-retention-policy-delete-olders', deleteOlderThanDays: 1 } as const;
  for await (const version of retention.expired({ workspace: await find(id), byDefault })) {
    if (version.serial === 1) await retention.remove({ workspace: await find(id), byDefault }, version);
  }

  const command = { principal: 'devs', id: 'command-1', fingerprint: 'f' };
  await openCommandStore(database, Date.now).begin(command, { workspace: id, request: 'request-1' });
  await checkTable(database, { pageSize: 1, remaining: () => 0 });

  const logger = createLogger('record-history');
  logger.setLogLevel('SILENT');
  const recorder = recordBatch({
    history: openHistoryWriter(database, Date.now, 400),
    recordFirstUse: openFirstUseWriter(database, Date.now),
    fingerprints: { compute: async () => 'fingerprint' },
    deadLetters: () => Promise.reject(new Error('An entry of the history could not be written')),
    clock: Date.now,
    logger,
  });
  await deliver(recorder, await stream.sinceLast(), { filters: historyFilters });

  // A day that has been counted, and one that has yet to be.
  const later = Date.now() + 2 * 60 * 60_000;
  const counter = openActivityCounter(database, () => later, 400);
  for await (const key of counter.due(later)) await counter.count(key, () => true);
  await database.write(markWrite(organization, dayOf(later), hourOf(later)));
};
