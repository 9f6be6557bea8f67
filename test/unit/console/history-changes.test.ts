import { describe, expect, it } from 'vitest';
import {
  describeAction,
  describeChanges,
  describeDetails,
  summarizeChanges,
} from '../../../functions/console/app/lib/history-changes.ts';
import { signInRefusals } from '../../../functions/console/app/lib/refusal-words.ts';
import { signInRefusalReasons } from '../../../shared/domain/changes/change-records.ts';

const names = new Map([
  ['team-1', 'platform'],
  ['ws-1', 'network'],
  ['prj-1', 'core'],
]);

/** A value that names the workspace `ws-1`, and can link to it. */
const network = { label: 'network', id: 'ws-1' };

describe('the changes of an entry of the history', () => {
  it('show a lock by its holder, without ids', () => {
    const lock = {
      id: 'lock-1',
      kind: 'User',
      holder: 'user-1',
      name: 'ada',
      reason: 'maintenance',
      at: '2026-11-22T08:00:00.000Z',
    };
    expect(describeChanges([{ attribute: 'lock', old: null, new: lock }], names, 'workspaces')).toEqual([
      {
        isWithheld: false,
        changes: [
          { name: 'Lock holder', old: null, new: [{ label: 'ada', id: 'user-1' }] },
          { name: 'Reason', old: null, new: 'maintenance' },
        ],
      },
    ]);
  });

  it('name a variable once, and leave out what a new variable does not have', () => {
    const variable = { key: 'REGION', category: 'env', description: '', hcl: false, sensitive: true, value: null };
    expect(
      describeChanges([{ attribute: 'variables', member: 'var-1', old: null, new: variable }], names, 'workspaces'),
    ).toEqual([
      {
        heading: 'Variable REGION',
        name: 'REGION',
        isWithheld: false,
        changes: [
          { name: 'Category', old: null, new: 'environment' },
          { name: 'Sensitive', old: null, new: 'yes' },
        ],
      },
    ]);
  });

  it.each([
    [false, 'replaced'],
    [true, 'unchanged'],
  ])('say of a sensitive variable with "value-unchanged" %s that its secret is %s', (isUnchanged, shown) => {
    const variable = { key: 'TOKEN', sensitive: true, value: null };
    const change = { attribute: 'variables', member: 'var-1', old: variable, new: variable };
    const [group] = describeChanges([{ ...change, 'value-unchanged': isUnchanged }], names, 'workspaces');
    expect(group?.changes).toEqual([{ name: 'Secret', old: null, new: shown }]);
  });

  it('leave out what a deleted variable did not have', () => {
    const variable = { key: 'REGION', description: null, hcl: false };
    const [group] = describeChanges(
      [{ attribute: 'variables', member: 'var-1', old: variable, new: null }],
      names,
      'workspaces',
    );
    expect(group).toEqual({ heading: 'Variable REGION', name: 'REGION', isWithheld: false, changes: [] });
  });

  it('start with the name, and show the statuses of two runs apart, in the words of the other pages', () => {
    const changes = [
      { attribute: 'current-state-version', old: null, new: { id: 'sv-1', serial: 3 } },
      { attribute: 'current-run', old: { id: 'run-1', status: 'errored' }, new: { id: 'run-2', status: 'planning' } },
      { attribute: 'deleted-at', old: null, new: '2026-11-22T08:00:00.000Z' },
      { attribute: 'name', old: null, new: 'network' },
    ];
    expect(describeChanges(changes, names, 'workspaces').flatMap((group) => group.changes)).toEqual([
      { name: 'Name', old: null, new: 'network' },
      { name: 'Current run', old: 'run-1 (failed)', new: 'run-2 (planning)' },
      { name: 'Current state version', old: null, new: '3' },
    ]);
  });

  it('name resources by their ids, and leave out settings that a new resource does not have', () => {
    const changes = [
      { attribute: 'team-access', member: 'team-1', old: null, new: { stateVersions: 'read' } },
      { attribute: 'owner', old: null, new: { kind: 'team', id: 'team-1' } },
      { attribute: 'agent-pool-id', old: 'apool-1', new: null },
      { attribute: 'project', old: null, new: 'prj-1' },
      { attribute: 'auto-apply', old: null, new: false },
    ];
    expect(describeChanges(changes, names, 'workspaces')).toEqual([
      { isWithheld: false, changes: [{ name: 'Project', old: null, new: [{ label: 'core', id: 'prj-1' }] }] },
      { isWithheld: false, changes: [{ name: 'Agent pool', old: 'apool-1', new: 'none' }] },
      {
        isWithheld: false,
        changes: [{ name: 'Owner', old: null, new: [{ label: 'team platform', id: 'team-1' }] }],
      },
      {
        heading: 'Team platform',
        name: 'platform',
        id: 'team-1',
        isWithheld: false,
        changes: [{ name: 'State versions', old: null, new: 'read' }],
      },
    ]);
  });

  it('say that a value is inherited, in place of none, and that a protection was turned off explicitly', () => {
    const protection = (old: boolean | null, current: boolean | null, type: string) => {
      const changes = [{ attribute: 'deletion-protection', old, new: current }];
      return describeChanges(changes, names, type).flatMap((group) => group.changes);
    };
    const change = { name: 'Deletion protection' };
    expect(protection(null, true, 'workspaces')).toEqual([{ ...change, old: 'inherited', new: 'on' }]);
    expect(protection(null, false, 'workspaces')).toEqual([{ ...change, old: 'inherited', new: 'off' }]);
    expect(protection(true, null, 'workspaces')).toEqual([{ ...change, old: 'on', new: 'inherited' }]);
    const ofOrganization = [{ attribute: 'default-deletion-protection', old: null, new: true }];
    expect(describeChanges(ofOrganization, names, 'organizations').flatMap((group) => group.changes)).toEqual([
      { name: 'Default deletion protection', old: 'off', new: 'on' },
    ]);
    const creation = [
      { attribute: 'name', old: null, new: 'network' },
      { attribute: 'deletion-protection', old: null, new: true },
    ];
    expect(describeChanges(creation, names, 'workspaces').flatMap((group) => group.changes)).toEqual([
      { name: 'Name', old: null, new: 'network' },
      { name: 'Deletion protection', old: null, new: 'on' },
    ]);
  });

  it('say that a secret was replaced, which has no values', () => {
    const [group] = describeChanges([{ attribute: 'oauth-token-string', old: null, new: null }], names, 'workspaces');
    expect(group?.isWithheld).toBe(true);
  });
});

describe('the line of an entry', () => {
  const lock = { id: 'lock-1', kind: 'User', holder: 'user-1', name: 'ada', at: '2026-11-22T08:00:00.000Z' };
  const entry = (attributes: object) => ({
    id: 'evt-1',
    type: 'history-entries' as const,
    attributes: {
      action: 'workspace.updated' as const,
      actor: { kind: 'user', id: 'user-1', name: 'ada' },
      'created-at': '2026-11-22T08:02:00.000Z',
      'resource-name': 'network',
      changes: [],
      details: null,
      ...attributes,
    },
    relationships: { resource: { data: { type: 'workspaces' as const, id: 'ws-1' } } },
  });
  const textsOf = (...entries: readonly ReturnType<typeof entry>[]) =>
    summarizeChanges(entries as unknown as Parameters<typeof summarizeChanges>[0], names, 'workspaces').map(
      ({ heading, changes }) => [heading, ...changes.map(({ name, new: current }) => [name, current])],
    );

  it('names the holder of a lock only if another one has it, and says how long a removed lock was held', () => {
    const locked = { attribute: 'lock', old: null, new: { ...lock, reason: 'upgrade' } };
    const unlocked = { attribute: 'lock', old: lock, new: null };
    const other = { actor: { kind: 'user', id: 'user-2', name: 'grace' } };
    const holder = ['Lock holder', [{ label: 'ada', id: 'user-1' }]];
    expect(textsOf(entry({ changes: [locked] }))).toEqual([[undefined, ['Reason', 'upgrade']]]);
    expect(textsOf(entry({ changes: [unlocked] }))).toEqual([[undefined, ['Held for', '2 min']]]);
    expect(textsOf(entry({ ...other, changes: [unlocked] }))).toEqual([[undefined, ['Held for', '2 min'], holder]]);
  });

  it('leaves out the name of the resource, the actor, the reported run and the values of what was deleted', () => {
    const changes = [
      { attribute: 'name', old: null, new: 'network' },
      { attribute: 'created-by', old: null, new: { kind: 'user', id: 'user-1' } },
      { attribute: 'current-run', old: null, new: { id: 'run-1', status: 'applied' } },
      { attribute: 'variables', member: 'var-1', old: { key: 'REGION', value: 'eu' }, new: null },
      { attribute: 'description', old: null, new: 'zones' },
    ];
    const details = { run: { id: 'run-1', status: 'applied' } };
    expect(textsOf(entry({ changes, details }))).toEqual([[undefined, ['Description', 'zones']], ['Variable REGION']]);
  });

  it('names the version of a state once that was created and finalized by one request', () => {
    const version = { id: 'sv-1', serial: 2 };
    const created = { attribute: 'pending-state-version', old: null, new: version };
    const finalized = { attribute: 'current-state-version', old: null, new: version };
    const serial = ['Pending state version', '2'];
    expect(textsOf(entry({ changes: [created] }))).toEqual([[undefined, serial]]);
    expect(textsOf(entry({ changes: [finalized] }), entry({ changes: [created] }))).toEqual([
      [undefined, ['Current state version', '2']],
    ]);
  });

  it('names a report of a runner by the status that it reports', () => {
    const report = { action: 'workspace.run-updated', details: { run: { id: 'run-1', status: 'errored' } } };
    const attributes = entry(report).attributes as unknown as Parameters<typeof describeAction>[0];
    expect(describeAction(attributes, false)).toBe('Run failed');
    expect(describeAction(attributes, true)).toBe('Workspace run failed');
    expect(describeDetails(attributes, names)).toEqual([['Run', [{ label: 'run-1', id: 'run-1' }]]]);
    expect(describeAction({ ...attributes, action: 'user.sign-in-link-created' }, true)).toBe(
      'User sign-in link created',
    );
  });
});

/** An entry with details. */
const withDetails = (details: object | null) => ({ action: 'workspace.updated' as const, details });

it('describes the details of an entry that have no old and new values', () => {
  expect(describeDetails(withDetails({ reason: 'upgrade' }), names)).toEqual([['Reason', 'upgrade']]);
  expect(
    describeDetails(withDetails({ consumers: { change: 'added', count: 2, ids: ['ws-1', 'ws-2'] } }), names),
  ).toEqual([['Consumers added', [network, { label: 'ws-2' }]]]);
  expect(describeDetails(withDetails({ consumers: { change: 'replaced', count: 40 } }), names)).toEqual([
    ['Consumers replaced', '40'],
  ]);
  expect(
    describeDetails(withDetails({ assignments: { target: 'workspaces', added: [], removed: ['ws-1'] } }), names),
  ).toEqual([['Workspaces removed', [network]]]);
  const consumers = { change: 'added', count: 3, ids: ['ws-1'], withheld: true };
  expect(describeDetails(withDetails({ consumers }), names)).toEqual([
    ['Consumers added', [network]],
    ['Consumers in total', '3'],
  ]);
  const assignments = { target: 'workspaces', added: ['ws-1'], removed: [], withheld: true };
  expect(describeDetails(withDetails({ assignments }), names)).toEqual([
    ['Workspaces added', [network]],
    ['Workspaces', 'not all are visible to you'],
  ]);
  expect(describeDetails(withDetails({ variable: { id: 'var-1', key: 'REGION' }, matches: false }), names)).toEqual([
    ['Compared value of REGION', 'different'],
  ]);
  expect(describeDetails(withDetails({ run: { id: 'run-1', status: 'errored' } }), names)).toEqual([
    ['Run', [{ label: 'run-1: failed', id: 'run-1' }]],
  ]);
  expect(describeDetails(withDetails({ configurationVersion: { id: 'cv-1', status: 'uploaded' } }), names)).toEqual([
    ['Configuration version', 'cv-1: uploaded'],
  ]);
  expect(describeDetails(withDetails(null), names)).toEqual([]);
});

describe('the reason of a refusal', () => {
  it('is explained for every refused sign-in, with its code', () => {
    expect(Object.keys(signInRefusals)).toEqual(signInRefusalReasons.toSorted());
    expect(describeDetails(withDetails({ signIn: { provider: 'corporate' }, reason: 'suspended' }), names)).toEqual([
      ['Reason', 'The user is suspended (suspended)'],
    ]);
  });

  it('is the message of a refused exchange, with its code', () => {
    const exchange = { reason: 'unknown-key', message: 'The issuer has no key that fits the token' };
    expect(describeDetails(withDetails({ exchange }), names)).toEqual([
      ['Refused exchange', 'The issuer has no key that fits the token (unknown-key)'],
    ]);
  });

  it('is shown as it was written for a lock', () => {
    expect(describeDetails(withDetails({ reason: 'suspended' }), names)).toEqual([['Reason', 'suspended']]);
  });
});
