import { afterAll, beforeAll, expect, test } from 'vitest';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { openStateVersionChanges } from '../../../shared/store/state-versions/state-version-changes.ts';
import { openStateVersions } from '../../../shared/store/state-versions/state-version-reader.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

let engine: TestEngine;
let fixture: Awaited<ReturnType<typeof createOrganizationFixture>>;

const someone = (): RequestContext => ({ id: base58(8), principal: { kind: 'user', id: 'user-1', name: 'ann' } });

const createOrganizationFixture = async () => {
  const { admin, workspaces } = openAdmin(engine.database);
  const { organization } = await admin('create-organization', { name: 'acme', email: 'ann@example.com' });
  const versions = openStateVersions(engine.database);
  const changes = openStateVersionChanges(engine.database, workspaces, versions, Date.now);
  let made = 0;
  /** A locked workspace with a pending state version. */
  const pending = async () => {
    const whose = { organization: 'acme', project: organization.defaultProject };
    const workspace = newWorkspace(whose, { name: `w-${++made}` });
    await workspaces.create(workspace, 4);
    const image = async () => (await workspaces.find(workspace.id)) as Workspace;
    const request = someone();
    await workspaces.apply(await image(), lock(request, { id: base58(8), reason: '', at: 1 }), request);
    const draft = {
      workspace: workspace.id,
      createdAt: made,
      serial: 1,
      lineage: null,
      md5: '0'.repeat(32),
      status: 'pending',
      intermediate: true,
      until: Date.now() + 60_000,
      createdBy: { kind: 'user', id: 'user-1' },
      run: null,
    } as const;
    const version = await changes.createStateVersion(await image(), draft, someone(), { force: false });
    return { image, version };
  };
  return { ...versions, ...changes, pending };
};

beforeAll(async () => {
  engine = await startEngine();
  fixture = await createOrganizationFixture();
});
afterAll(() => engine.stop());

const contentIn = (object: string) => ({
  size: 1,
  object,
  resources: 0,
  format: 4,
  terraformVersion: null,
  outputs: [{ name: 'one', sensitive: false, type: 'number', value: 1 }],
});

test('returns the same accepted upload to two concurrent finalizations with the same content', async () => {
  const { image, version } = await fixture.pending();
  const before = await image();
  const read = await Promise.all(
    ['first', 'second'].map((object) => fixture.finalizeStateVersion(before, version, contentIn(object), someone())),
  );
  const kept = await fixture.find({ ...version, at: version.createdAt });
  expect(kept?.status).toBe('finalized');
  expect(read.map((it) => it?.content?.object)).toEqual([kept?.content?.object, kept?.content?.object]);
});

test('returns outputs as they were written, including numbers that a double cannot represent', async () => {
  const { image, version } = await fixture.pending();
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => object };
  const value = { large: rawJSON('123456789012345678901234567890'), exact: rawJSON('0.10'), text: 'é\u0000' };
  const many = Array.from({ length: 2_000 }, (_, n) => ({ name: `o${n}`, sensitive: n % 2 === 0, type: null, value }));
  await fixture.finalizeStateVersion(await image(), version, { ...contentIn('1'), outputs: many }, someone());
  const kept = await fixture.find({ ...version, at: version.createdAt });
  const outputs = kept ? await fixture.readOutputs(kept) : [];
  expect(JSON.stringify(outputs)).toBe(JSON.stringify(many));
});
