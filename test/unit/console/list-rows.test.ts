import { expect, it } from 'vitest';
import { containing, historyColumns } from '../../../functions/console/app/lib/history-columns.ts';
import { toFileRows } from '../../../functions/console/app/lib/list-rows.ts';
import { workspaceColumns } from '../../../functions/console/app/lib/workspace-columns.ts';

it('says in words who changed what in an entry of a history, with the time first', () => {
  const entry = {
    id: 'change-1',
    type: 'history-entries',
    attributes: {
      sequence: 7,
      'created-at': '2026-11-22T08:00:00.000Z',
      actor: { kind: 'user', id: 'user-1', name: 'ada' },
      action: 'workspace.updated',
      'resource-name': 'network',
      changes: [
        { attribute: 'infra-version', old: '1.9.8', new: '1.10.5' },
        {
          attribute: 'variables',
          member: 'var-1',
          old: { key: 'REGION', value: 'a' },
          new: { key: 'REGION', value: 'b' },
        },
      ],
      details: { reason: 'maintenance' },
    },
    relationships: { resource: { data: { type: 'workspaces', id: 'ws-1' } } },
  };
  const [row] = toFileRows([entry], [], historyColumns([entry]));
  expect(Object.entries(row ?? {}).slice(0, 7)).toEqual([
    ['Time', '2026-11-22T08:00:00.000Z'],
    ['Actor', 'ada'],
    ['Actor ID', 'user-1'],
    ['Action', 'Workspace updated'],
    ['Resource', 'network'],
    ['Resource ID', 'ws-1'],
    ['Changes', 'Reason: maintenance; Tool version: 1.9.8 → 1.10.5; Variable REGION, Value: a → b'],
  ]);
  expect([containing('region')(entry), containing('subnet')(entry), containing(undefined)(entry)]).toEqual([
    true,
    false,
    true,
  ]);
});

it.each([
  [{ type: 'state-versions', id: 'sv-1' }, '2026-11-22T08:00:00.000Z'],
  [null, null],
])('gives a workspace with the current state version %j the time %j of a change of its state', (data, time) => {
  const attributes = { name: 'network', 'latest-change-at': '2026-11-22T08:00:00.000Z' };
  const relationships = { 'current-state-version': { data } };
  const [row] = toFileRows([{ id: 'ws-1', type: 'workspaces', attributes, relationships }], [], workspaceColumns);
  expect(row).toMatchObject({ 'State changed': time });
});
