import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RetentionPolicy } from '../../../shared/domain/state-versions/retention-policy.ts';
import { lock } from '../../../shared/domain/transitions/locks/lock.ts';
import { assignSshKey } from '../../../shared/domain/transitions/relationships/assign-ssh-key.ts';
import {
  removeRetentionPolicy,
  setRetentionPolicy,
} from '../../../shared/domain/transitions/relationships/change-retention-policy.ts';
import type { RequestContext, Transition } from '../../../shared/domain/transitions/transition.ts';
import { update } from '../../../shared/domain/transitions/workspaces/update-workspace.ts';
import type { Workspace } from '../../../shared/domain/workspace/workspace-record.ts';
import { base58 } from '../../../shared/lib/random.ts';
import { openDefaultPolicies } from '../../../shared/store/directory/organizations/default-policies.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import type { Write } from '../../../shared/store/dynamodb/requests.ts';
import { openWorkspaces } from '../../../shared/store/workspaces/workspace-store.ts';
import {
  type ConsumersFixture,
  createConsumersFixture,
  createRequestContext,
} from '../../support/api/consumers-fixture.ts';
import { configurationContext } from '../../support/api/new-workspace.ts';

/** SSH key and retention policy changes over a database that loses responses or reports conflicts. */
let fixture: ConsumersFixture;
beforeAll(async () => {
  fixture = await createConsumersFixture();
});
afterAll(() => fixture.engine.stop());

const KEY = `sshkey-${'1'.repeat(16)}`;
const POLICY = `drp-${'1'.repeat(16)}`;
const RULE = { type: 'data-retention-policy-delete-olders', deleteOlderThanDays: 7 } as const;

/** Applies one fate to each write in turn. Further writes pass through. */
const withFates = (
  ...fates: readonly ((send: () => Promise<unknown>, write: Write) => Promise<unknown>)[]
): Database => {
  let count = 0;
  return {
    ...fixture.engine.database,
    write: async (write, remaining) => {
      const send = () => fixture.engine.database.write(write, remaining);
      const fate = fates[count++];
      if (fate === undefined) return send();
      await fate(send, write);
      throw new NoResponse('no response');
    },
  };
};
const lost = (send: () => Promise<unknown>) => send();
const rejected = async (): Promise<never> => {
  throw new NoResponse('conflict', { mayBeApplied: false });
};

const apply = async (
  { id }: Workspace,
  transition: (by: RequestContext) => Transition,
  database: Database = fixture.engine.database,
): Promise<Workspace> => {
  const workspaces = openWorkspaces(database, Date.now);
  const by = createRequestContext();
  return workspaces.apply((await workspaces.find(id)) as Workspace, transition(by), by);
};
const find = async ({ id }: Workspace) => (await fixture.workspaces.find(id)) as Workspace;

const changes: readonly [
  name: string,
  begin: (workspace: Workspace) => Promise<unknown>,
  transition: (by: RequestContext) => Transition,
  result: (workspace: Workspace) => unknown,
  expected: unknown,
][] = [
  [
    'assigning an SSH key',
    async () => undefined,
    (by) => assignSshKey(by, KEY, Date.now()),
    ({ sshKey }) => sshKey,
    KEY,
  ],
  [
    'setting a retention policy',
    async () => undefined,
    (by) => setRetentionPolicy(by, RULE, POLICY),
    ({ retentionPolicy }) => retentionPolicy,
    { id: POLICY, ...RULE },
  ],
  [
    'removing a retention policy',
    (workspace) => apply(workspace, (by) => setRetentionPolicy(by, RULE, POLICY)),
    () => removeRetentionPolicy(),
    ({ retentionPolicy }) => retentionPolicy,
    undefined,
  ],
];

describe.each(changes)('%s', (_, begin, transition, result, expected) => {
  it('is applied once and reported as applied when the response of the database is lost', async () => {
    const workspace = await fixture.aWorkspace();
    await begin(workspace);
    const { sequence } = await find(workspace);
    expect(result(await apply(workspace, transition, withFates(lost)))).toEqual(expected);
    expect((await find(workspace)).sequence).toBe(sequence + 1);
  });

  it('is retried after a transient conflict in the database', async () => {
    const workspace = await fixture.aWorkspace();
    await begin(workspace);
    expect(result(await apply(workspace, transition, withFates(rejected, rejected)))).toEqual(expected);
    expect(result(await find(workspace))).toEqual(expected);
  });

  it('is kept together with a concurrent lock, whether its own response is lost or not', async () => {
    const workspace = await fixture.aWorkspace();
    await begin(workspace);
    const between = async (send: () => Promise<unknown>) => {
      await send();
      await apply(workspace, (by) => lock(by, { id: `lock-${base58(16)}`, reason: '', at: Date.now() }));
    };
    expect(result(await apply(workspace, transition, withFates(between)))).toEqual(expected);
    expect((await find(workspace)).lock).toBeDefined();
  });

  it('is not reported as applied when a later change may have undone it', async () => {
    const workspace = await fixture.aWorkspace();
    await begin(workspace);
    const undone = async (send: () => Promise<unknown>) => {
      await send();
      await apply(workspace, (by) => assignSshKey(by, null, Date.now()));
      await apply(workspace, (by) => setRetentionPolicy(by, { ...RULE, deleteOlderThanDays: 9 }, 'drp-other'));
    };
    await expect(apply(workspace, transition, withFates(undone))).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('changes nothing when its write arrives after a later change', async () => {
    const workspace = await fixture.aWorkspace();
    await begin(workspace);
    let late: (() => Promise<unknown>) | undefined;
    await apply(
      workspace,
      transition,
      withFates(async (send) => {
        late = send;
      }),
    );
    await apply(workspace, (by) => assignSshKey(by, null, Date.now()));
    await apply(workspace, (by) => setRetentionPolicy(by, { ...RULE, deleteOlderThanDays: 9 }, 'drp-other'));
    const before = await find(workspace);
    await expect(late?.()).rejects.toThrow();
    expect(await find(workspace)).toEqual(before);
  });
});

describe("an organization's default policy", () => {
  const change = async (
    database: Database,
    plan: (policy: RetentionPolicy | undefined) => RetentionPolicy | undefined,
  ): Promise<RetentionPolicy | undefined> =>
    openDefaultPolicies(database, Date.now).changeDefaultPolicy(
      await fixture.organization(),
      plan,
      createRequestContext(),
    );
  const current = async () => (await fixture.organization()).retentionPolicy;

  it('is set once and removed once when the response of the database is lost', async () => {
    const made = { id: POLICY, ...RULE };
    const plan = (known?: RetentionPolicy) => ({ ...made, id: known?.id ?? POLICY });
    expect(await change(withFates(rejected, lost), plan)).toEqual(made);
    expect(await current()).toEqual(made);
    expect(await change(withFates(lost), () => undefined)).toBeUndefined();
    expect(await current()).toBeUndefined();
  });
});

describe('an update of a workspace', () => {
  const describeAs =
    (description: string | null, { project: from }: Workspace) =>
    (by: RequestContext) =>
      update(by, { configuration: { description }, from, to: from }, configurationContext);

  it('that changes nothing writes nothing', async () => {
    const workspace = await fixture.aWorkspace();
    const before = await apply(workspace, describeAs('x', workspace));
    const unused: Database = {
      ...fixture.engine.database,
      write: async () => {
        throw new Error('A write was sent.');
      },
    };
    expect(await apply(workspace, describeAs('x', workspace), unused)).toEqual(before);
    await expect(apply(workspace, describeAs(null, workspace), unused)).rejects.toThrow('A write was sent.');
  });
});
