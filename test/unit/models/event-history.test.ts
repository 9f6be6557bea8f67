import { describe, expect, it } from 'vitest';
import type { OutgoingEvent } from '../../../shared/events/schemas/outgoing.ts';
import { checkHistoryOfEvents } from '../../support/models/event-history.ts';

/** A check that finds nothing proves nothing unless it would have found something. */
type Told = readonly [type: string, by: string, more?: object];

const history = (...told: readonly Told[]): OutgoingEvent[] =>
  told.map(
    ([type, by, more = {}], index) =>
      ({
        type: `workspace.${type}`,
        sequence: index + 1,
        workspace: { id: 'ws' },
        actor: { kind: by.startsWith('run') ? 'run' : 'user', id: by },
        ...more,
      }) as unknown as OutgoingEvent,
  );

const lockedBy = (by: string, id = by): Told => ['locked', by, { lock: { id: `lock-${id}`, holder: by } }];
const version = (id: string) => ({ stateVersion: { id } });
const created = (by: string, id: string): Told => ['state-version-created', by, version(id)];
const finalized = (id: string): Told => ['state-version-finalized', 'state-content', version(id)];
const unlocked = (by: string, id?: string): Told => ['unlocked', by, id === undefined ? {} : version(id)];
const deleted: Told = ['deleted', 'ada', { forced: false }];

/** `full…` manages something, `lean…` nothing; `…now` does not wait for its lock to end. */
const check = (...told: readonly Told[]) =>
  checkHistoryOfEvents(history(...told), (id) => ({
    resources: id.startsWith('full') ? 2 : 0,
    intermediate: !id.endsWith('now'),
  }));

describe('a history of events', () => {
  it('that keeps the rules has no findings', () => {
    const run: readonly Told[] = [lockedBy('run-1'), created('run-1', 'full2'), unlocked('run-1'), finalized('full2')];
    const empty: readonly Told[] = [
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
    const direct: readonly Told[] = [
      lockedBy('bob'),
      created('bob', 'lean-now'),
      finalized('lean-now'),
      unlocked('bob'),
    ];
    expect(check(...run, ...direct, deleted)).toEqual([]);
  });

  it.each<[string, RegExp, readonly Told[]]>([
    ['two holders', /ada held the lock/, [lockedBy('ada'), lockedBy('bob')]],
    ["a release of another's lock", /ada held the lock/, [lockedBy('ada'), unlocked('bob')]],
    ['a release of nothing', /nothing was locked/, [['force-unlocked', 'ada']]],
    ['a state of who holds no lock', /ada held the lock/, [lockedBy('ada'), created('bob', 'full1')]],
    [
      'an unlock past a pending state',
      /full1 was pending/,
      [lockedBy('ada'), created('ada', 'full1'), unlocked('ada')],
    ],
    [
      'an unlock that forgets a state',
      /full1 was waiting/,
      [lockedBy('ada'), created('ada', 'full1'), finalized('full1'), unlocked('ada')],
    ],
    ['a state from nowhere', /undefined was pending/, [finalized('full1')]],
    ['a deletion under a lock', /ada held the lock/, [lockedBy('ada'), deleted]],
    [
      'a deletion of what is managed',
      /full1 managed/,
      [lockedBy('ada'), created('ada', 'full1'), unlocked('run-1'), finalized('full1'), deleted],
    ],
    ['a change of what is gone', /deleted before/, [deleted, ['updated', 'ada']]],
  ])('with %s is found out', (_, finding, told) => {
    expect(check(...told).join('\n')).toMatch(finding);
  });
});
