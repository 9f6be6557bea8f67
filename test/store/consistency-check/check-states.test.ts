import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { forceUnlock } from '../../../shared/domain/transitions/locks/unlock.ts';
import type { RequestContext } from '../../../shared/domain/transitions/transition.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { checkTable } from '../../../shared/store/consistency-check/check-table.ts';
import { type Item, type Key, keys } from '../../../shared/store/dynamodb/keys.ts';
import { openStateVersionChanges } from '../../../shared/store/state-versions/state-version-changes.ts';
import { openStateVersions } from '../../../shared/store/state-versions/state-version-reader.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { storedIn } from '../../support/engine/stored-in.ts';

/** State versions of every kind, created by transitions. Each test damages a copy of the table in memory. */
let engine: TestEngine;
let healthy: ReadonlyMap<string, Item>;
let workspace: string;
/** Keys of the current, the intermediate and the pending version. */
let versions: Key[];
let chunk: Key;

const spell = ({ pk, sk }: Key): string => `${pk} ${sk}`;

beforeAll(async () => {
  engine = await startEngine();
  const { admin, workspaces } = openAdmin(engine.database);
  const { organization } = await admin('create-organization', { name: 'acme', email: 'ann@example.com' });
  const made = newWorkspace({ organization: 'acme', project: organization.defaultProject }, { name: 'one' });
  await workspaces.create(made, 4);
  workspace = made.id;

  const request: RequestContext = { id: 'request', principal: { kind: 'user', id: 'user-1', name: 'ann' } };
  const image = async () => (await workspaces.find(made.id)) as Workspace;
  const changes = openStateVersionChanges(engine.database, workspaces, openStateVersions(engine.database), Date.now);
  let at = 1_000;
  const create = (serial: number) =>
    image().then((it) =>
      changes.createStateVersion(
        it,
        {
          workspace: made.id,
          createdAt: ++at,
          serial,
          lineage: null,
          md5: '0'.repeat(32),
          status: 'pending',
          intermediate: true,
          until: Date.now() + 60_000,
          createdBy: { kind: 'user', id: 'user-1' },
          run: null,
        },
        request,
        { force: false },
      ),
    );
  const large = Array.from({ length: 100 }, (_, n) => ({
    name: `o${n}`,
    sensitive: false,
    type: null,
    value: Math.sin(n),
  }));
  const content = { size: 1, object: '1', resources: 1, format: 4, terraformVersion: null, outputs: large };
  const hold = (id: string) => ({ id, reason: '', at: 1 });

  await workspaces.apply(await image(), lock(request, hold('lock-1')), request);
  const current = await create(1);
  await changes.finalizeStateVersion(await image(), current, content, request);
  await workspaces.apply(await image(), forceUnlock(request), request);
  await workspaces.apply(await image(), lock(request, hold('lock-2')), request);
  const intermediate = await create(2);
  await changes.finalizeStateVersion(await image(), intermediate, { ...content, outputs: [] }, request);
  const pending = await create(3);
  versions = [current, intermediate, pending].map(({ id, createdAt }) => keys.stateVersion(made.id, createdAt, id));
  chunk = keys.stateOutputs(made.id, current.id, 0);

  const items = new Map<string, Item>();
  for await (const item of scanItems(engine.database)) items.set(spell(item as unknown as Key), item);
  healthy = items;
});
afterAll(() => engine.stop());

const version = (index: number) => versions[index] as Key;

test('reports no findings in a healthy table with state versions', async () => {
  expect(await checkTable(engine.database)).toMatchObject({
    findings: [],
    byType: { 'state-version': 3, 'state-version-id': 3, 'state-outputs': 1 },
  });
});

describe('the consistency check of state versions', () => {
  type Damage = (items: Map<string, Item>) => void;
  const change =
    (key: () => Key, by: Item): Damage =>
    (items) => {
      const kept = Object.entries({ ...items.get(spell(key())), ...by }).filter(([, value]) => value !== undefined);
      items.set(spell(key()), Object.fromEntries(kept));
    };
  const drop =
    (key: () => Key): Damage =>
    (items) => {
      if (!items.delete(spell(key()))) throw new Error(`There is no ${spell(key())}`);
    };
  const own = () => keys.workspace(workspace);
  const idOf = (index: number) => keys.stateVersionId(version(index).sk.split('#')[2] ?? '');

  test.each<[string, Damage, RegExp]>([
    ['a state version count that does not match', change(own, { sn: 2 }), /state version count does not match/],
    [
      'a current state version with deleted content',
      change(() => version(0), { backingData: 'soft-deleted' }),
      /the content of its state version is deleted/,
    ],
    [
      'an unknown status of the content',
      change(() => version(1), { backingData: 'lost' }),
      /the status of its backing data is unknown/,
    ],
    ['a missing current state version', drop(() => version(0)), /its state version does not exist/],
    [
      'a current state version that is not finalized',
      change(() => version(0), { status: 'discarded', content: undefined }),
      /not finalized/,
    ],
    [
      'a resource count that does not match',
      change(own, { cur: { id: 'x', at: 1, resources: 0 } }),
      /another resource count/,
    ],
    [
      'a pending state version that its workspace does not list',
      change(own, { pend: undefined }),
      /not the pending state version of its workspace/,
    ],
    [
      'a pending state version of the workspace that is discarded',
      change(() => version(2), { status: 'discarded' }),
      /its pending state version/,
    ],
    [
      'an intermediate state version without a lock',
      change(own, { lock: undefined }),
      /intermediate state version, but no lock/,
    ],
    ['a state version without an id pointer', drop(() => idOf(1)), /its id pointer does not exist/],
    ['an id pointer to a missing state version', change(() => idOf(2), { at: 5 }), /that it leads to does not exist/],
    [
      'an id pointer without an organization',
      change(() => idOf(2), { organization: undefined }),
      /no organization, workspace or project/,
    ],
    ['an invalid digest', change(() => version(1), { md5: 'x' }), /MD5 digest is invalid/],
    [
      'content of a state version that is not finalized',
      change(() => version(1), { status: 'pending' }),
      /only if, it is finalized/,
    ],
    [
      'outputs stored in two places',
      change(() => version(0), {
        content: { size: 1, object: '1', resources: 1, outputs: { count: 1, chunks: 1, packed: new Uint8Array([1]) } },
      }),
      /stored in exactly one place/,
    ],
    ['an invalid chunk of outputs', change(() => chunk, { packed: 'x' }), /not a valid chunk of outputs/],
    ['outputs of a missing state version', drop(() => idOf(0)), /its state version does not exist/],
  ])('reports %s', async (_, damage, problem) => {
    const items = new Map(healthy);
    damage(items);
    const { findings } = await checkTable(engine.database, { stored: storedIn(items), pause: 0 });
    expect(findings.map((finding) => finding.problem)).toContainEqual(expect.stringMatching(problem));
  });
});
