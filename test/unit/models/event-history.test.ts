import { describe, expect, it } from 'vitest';
import type { OutgoingEvent } from '../../../shared/events/schemas/outgoing.ts';
import { checkHistoryOfEvents } from '../../support/models/states/event-history.ts';

/** Tests that the check of event histories reports each kind of violation. */
type EventRow = readonly [type: string, by: string, more?: object];

const history = (...reported: readonly EventRow[]): OutgoingEvent[] =>
  reported.map(
    ([type, by, more = {}], index) =>
      ({
        type: `workspace.${type}`,
        sequence: index + 1,
        workspace: { id: 'ws' },
        actor: { kind: by.startsWith('run') ? 'run' : 'user', id: by },
        ...more,
      }) as unknown as OutgoingEvent,
  );

const lockedBy = (by: string, id = by): EventRow => ['locked', by, { lock: { id: `lock-${id}`, holder: by } }];
const version = (id: string) => ({ stateVersion: { id } });
const created = (by: string, id: string): EventRow => ['state-version-created', by, version(id)];
const finalized = (id: string): EventRow => ['state-version-finalized', 'state-content', version(id)];
const unlocked = (by: string, id?: string): EventRow => ['unlocked', by, id === undefined ? {} : version(id)];
const deleted: EventRow = ['deleted', 'ada', { forced: false }];

/** `full…` manages something, `lean…` nothing; `…now` does not wait for its lock to end. */
const check = (...reported: readonly EventRow[]) =>
  checkHistoryOfEvents(history(...reported), (id) => ({
    resources: id.startsWith('full') ? 2 : 0,
    intermediate: !id.endsWith('now'),
  }));

describe('a history of events', () => {
  it('has no findings if it has no violations', () => {
    const run: readonly EventRow[] = [
      lockedBy('run-1'),
      created('run-1', 'full2'),
      unlocked('run-1'),
      finalized('full2'),
    ];
    const empty: readonly EventRow[] = [
      lockedBy('bob'),
      created('bob', 'lean3'),
      finalized('lean3'),
      unlocked('bob', 'lean3'),
    ];
    expect(
      check(
        ['created', 'ada'],
        lockedBy('ada'),
        created('ada', 'full1'),
        finalized('full1'),
        unlocked('ada', 'full1'),
        ...run,
      ),
    ).toEqual([]);
    expect(check(...run, ...empty, deleted)).toEqual([]);
    const direct: readonly EventRow[] = [
      lockedBy('bob'),
      created('bob', 'lean-now'),
      finalized('lean-now'),
      unlocked('bob'),
    ];
    expect(check(...run, ...direct, deleted)).toEqual([]);
  });

  it.each<[string, RegExp, readonly EventRow[]]>([
    ['two holders of one lock', /ada held the lock/, [lockedBy('ada'), lockedBy('bob')]],
    ['an unlock by a caller who does not hold the lock', /ada held the lock/, [lockedBy('ada'), unlocked('bob')]],
    ['a forced unlock of an unlocked workspace', /nothing was locked/, [['force-unlocked', 'ada']]],
    [
      'a state version from a caller who does not hold the lock',
      /ada held the lock/,
      [lockedBy('ada'), created('bob', 'full1')],
    ],
    [
      'an unlock while a state version is pending',
      /full1 was pending/,
      [lockedBy('ada'), created('ada', 'full1'), unlocked('ada')],
    ],
    [
      'an unlock that does not promote the intermediate state version',
      /full1 was waiting/,
      [lockedBy('ada'), created('ada', 'full1'), finalized('full1'), unlocked('ada')],
    ],
    ['a finalized state version that was never created', /undefined was pending/, [finalized('full1')]],
    ['a deletion of a locked workspace', /ada held the lock/, [lockedBy('ada'), deleted]],
    [
      'a deletion of a workspace with managed resources',
      /full1 managed/,
      [lockedBy('ada'), created('ada', 'full1'), unlocked('run-1'), finalized('full1'), deleted],
    ],
    ['a change of a deleted workspace', /deleted before/, [deleted, ['updated', 'ada']]],
  ])('with %s is reported', (_, finding, reported) => {
    expect(check(...reported).join('\n')).toMatch(finding);
  });
});
