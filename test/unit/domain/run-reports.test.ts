import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type ConfigurationReport, configurationStatus } from '../../../shared/domain/runs/configuration-versions.ts';
import type { RunReport, RunStatus } from '../../../shared/domain/runs/run.ts';
import { runStatuses } from '../../../shared/domain/runs/run.ts';
import {
  configurationId,
  configurationReport,
  lifeOf,
  RunModel,
  runId,
  runReport,
} from '../../support/models/run-model.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Reports of runners arrive late, twice and in any order. The result must be the same. */

const permutationsOf = function* <T>(all: readonly T[]): Generator<readonly T[]> {
  if (all.length === 0) yield [];
  for (const [index, one] of all.entries()) {
    for (const rest of permutationsOf(all.toSpliced(index, 1))) yield [one, ...rest];
  }
};

const having = (reports: readonly RunReport[]): RunModel => {
  const model = new RunModel();
  for (const report of reports) model.report(report);
  return model;
};

const APPLIED = ['pending', 'planning', 'planned', 'confirmed', 'applying', 'applied'] as const;
const ERRORED = ['pending', 'planning', 'policy_checking', 'errored'] as const;
const DISCARDED = ['pending', 'planning', 'planned', 'discarded'] as const;
const FINISHED = ['plan_queued', 'planning', 'planned_and_finished'] as const;
const lives: readonly (readonly RunStatus[])[] = [APPLIED, ERRORED, DISCARDED, FINISHED];

describe('a run', () => {
  it.each(lives.map((life) => ({ life, end: life.at(-1) })))(
    'is the same after every permutation and repetition of its reports if it ended $end',
    ({ life, end }) => {
      const reports = lifeOf(runId(1), 5_000, life);
      const expected = having(reports);
      expect(expected.workspace).toMatchObject({ run: { id: runId(1) }, runStatus: end, runAt: 5_000 });
      let count = 0;
      for (const order of permutationsOf(reports)) {
        for (const reported of [order, [...order, ...order], order.flatMap((one) => [one, one])]) {
          const model = having(reported);
          expect(model.reported).toEqual(expected.reported);
          expect(model.workspace.lock).toBeUndefined();
        }
        count += 1;
      }
      expect(count).toBe(reports.reduce((product, _, index) => product * (index + 1), 1));
    },
  );

  it('stays ended when a later report has a status of a running run', () => {
    const model = having([
      runReport(runId(1), 'applied', 5_000),
      runReport(runId(1), 'applying', 9_000),
      runReport(runId(1), 'planning', 9_500),
    ]);
    expect(model.workspace.runStatus).toBe('applied');
    expect(model.workspace.lock).toBeUndefined();
  });

  it('has the later status of its life cycle if two have the same time', () => {
    expect(having([runReport(runId(1), 'planned', 5), runReport(runId(1), 'planning', 5)]).workspace.runStatus).toBe(
      'planned',
    );
  });

  it('has the description of its latest report', () => {
    const description = { ...runReport(runId(1), 'pending', 1).description, message: 'later', hasChanges: true };
    const model = having([
      runReport(runId(1), 'planned', 2_000, { description }),
      runReport(runId(1), 'planning', 1_000),
    ]);
    expect(model.runs.get(runId(1))).toMatchObject({ description, described: { status: 'planned', at: 2_000 } });
  });

  it('does not change when a report is repeated', () => {
    const model = new RunModel();
    const report = runReport(runId(1), 'planning', 1_000);
    expect(model.report(report)).toBe('workspace.locked');
    expect(model.report(report)).toBeUndefined();
  });
});

describe('the current run', () => {
  it('is the run that was created last, even if older runs are reported later', () => {
    const [older, newer] = [lifeOf(runId(1), 1_000, APPLIED), lifeOf(runId(2), 60_000, ['pending'])];
    for (const reports of [
      [...older, ...newer],
      [...newer, ...older],
    ]) {
      expect(having(reports).workspace).toMatchObject({ run: { id: runId(2) }, runStatus: 'pending', runAt: 60_000 });
    }
  });
});

describe('the lock of a run', () => {
  const lockAfter = (...reports: readonly RunReport[]) => having(reports).workspace.lock;
  const life = lifeOf(runId(1), 1_000, APPLIED);

  it('is held from the start of the plan to the end of the run', () => {
    const model = new RunModel();
    const held = life.map((report) => {
      model.report(report);
      return model.workspace.lock?.by;
    });
    expect(held).toEqual([undefined, runId(1), runId(1), runId(1), runId(1), undefined]);
    expect(model.workspace.fence).toBe(2);
  });

  it('is published as a lock event and an unlock event', () => {
    const model = new RunModel();
    expect(life.map((report) => model.report(report))).toEqual([
      'workspace.run-updated',
      'workspace.locked',
      'workspace.run-updated',
      'workspace.run-updated',
      'workspace.run-updated',
      'workspace.unlocked',
    ]);
  });

  it('is not taken by a plan-only run, by an ended run, or before the plan', () => {
    expect(lockAfter(runReport(runId(1), 'planning', 1, { planOnly: true }))).toBeUndefined();
    expect(lockAfter(runReport(runId(1), 'errored', 2), runReport(runId(1), 'planning', 1))).toBeUndefined();
    expect(lockAfter(runReport(runId(1), 'plan_queued', 1))).toBeUndefined();
  });

  it('is taken by a run with a saved plan only after the confirmation', () => {
    const description = { ...runReport(runId(1), 'planning', 1).description, savePlan: true };
    const saved = ['planning', 'planned_and_saved', 'confirmed'] as const;
    const reports = lifeOf(runId(1), 1_000, saved, { description });
    expect(lockAfter(...reports.slice(0, 2))).toBeUndefined();
    expect(lockAfter(...reports)).toMatchObject({ kind: 'Run', by: runId(1) });
  });

  it('is not taken again after a forced unlock', () => {
    const model = having(life.slice(0, 2));
    const { lock: _, ...without } = model.workspace;
    model.workspace = without;
    model.report(life[2] as RunReport);
    expect(model.workspace.lock).toBeUndefined();
  });

  it('waits for the lock of a user, and is released without touching the lock of another holder', () => {
    const model = new RunModel();
    expect(model.lock()).toBe(true);
    for (const report of life.slice(0, 3)) model.report(report);
    expect(model.workspace.lock?.kind).toBe('User');
    expect(model.unlock()).toBe(true);
    model.report(life[3] as RunReport);
    expect(model.workspace.lock).toMatchObject({ kind: 'Run', by: runId(1) });
    expect([model.lock(), model.unlock()]).toEqual([false, false]);
    for (const report of life.slice(4)) model.report(report);
    expect(model.workspace.lock).toBeUndefined();
  });
});

/** Several lives, shuffled into each other, with repeated reports, and a user's locks at any place between. */
const someLives = fc
  .array(fc.record({ life: fc.constantFrom(...lives), from: fc.integer({ min: 1, max: 20 }) }), {
    minLength: 1,
    maxLength: 5,
  })
  .map((all) => all.flatMap(({ life, from }, index) => lifeOf(runId(index), from * 1_000, life)));
const permutedReports = someLives.chain((reports) =>
  fc.tuple(
    fc.constant(reports),
    fc
      .shuffledSubarray(reports.map((_, index) => index))
      .chain((repeated) =>
        fc.shuffledSubarray([...reports.keys(), ...repeated.map((index) => index + reports.length)], {
          minLength: reports.length + repeated.length,
        }),
      )
      .map((order) => order.map((index) => reports[index % reports.length] as RunReport)),
    fc.array(fc.record({ at: fc.nat({ max: 30 }), does: fc.constantFrom('lock', 'unlock') }), { maxLength: 6 }),
  ),
);

describe('many runs', () => {
  test.prop([permutedReports], bounded(100))(
    'are the same in every order of their reports',
    ([reports, order, locks]) => {
      const model = new RunModel();
      let mine = false;
      for (const [index, report] of order.entries()) {
        for (const { does } of locks.filter(({ at }) => at === index)) {
          if (does === 'lock') mine = model.lock() || mine;
          else if (model.unlock()) mine = false;
        }
        model.report(report);
        expect(model.workspace.lock?.kind === 'User').toBe(mine);
      }
      expect(model.reported).toEqual(having(reports).reported);
      expect(model.workspace.lock?.kind).toBe(mine ? 'User' : undefined);
    },
  );

  const any = fc.record({
    id: fc.integer({ min: 0, max: 3 }).map(runId),
    status: fc.constantFrom(...runStatuses),
    at: fc.integer({ min: 1, max: 8 }),
    createdAt: fc.integer({ min: 1, max: 4 }),
    planOnly: fc.boolean(),
    message: fc.constantFrom('a', 'b'),
  });
  const nonsense = fc
    .array(any, { maxLength: 12 })
    .chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length })),
    );
  const reportOf = ({ id, status, at, message, ...more }: typeof any extends fc.Arbitrary<infer A> ? A : never) => {
    const plain = runReport(id, status, at, more);
    return { ...plain, description: { ...plain.description, message } };
  };

  test.prop([nonsense], bounded(200))('are the same in every order of contradictory reports', ([all, order]) => {
    expect(having(order.map(reportOf)).reported).toEqual(having(all.map(reportOf)).reported);
  });
});

describe('the metrics of past runs', () => {
  const runMetrics = (reports: readonly RunReport[]) => having(reports).workspace.runMetrics;

  it('are absent before a run has errored or been applied', () => {
    expect(runMetrics([])).toBeUndefined();
    expect(runMetrics([...lifeOf(runId(1), 1_000, DISCARDED), ...lifeOf(runId(2), 1_000, FINISHED)])).toBeUndefined();
  });

  it('contain average durations in milliseconds of the existing phases, and counts', () => {
    expect(runMetrics([...lifeOf(runId(1), 1_000, APPLIED), ...lifeOf(runId(2), 9_000, ERRORED)])).toEqual({
      planDuration: 1_000,
      applyDuration: 1_000,
      policyCheckFailures: 1,
      runFailures: 1,
      runs: 2,
    });
    const slow = [runReport(runId(3), 'planning', 1_000), runReport(runId(3), 'errored', 6_001)];
    expect(runMetrics(slow)).toEqual({
      planDuration: 5_001,
      applyDuration: null,
      policyCheckFailures: 0,
      runFailures: 1,
      runs: 1,
    });
  });

  it('cover the 30 runs that ended last, in every order of 80 reports', () => {
    const ends = Array.from({ length: 80 }, (_, index) => [
      runReport(runId(index), 'planning', 100_000 - 1_000 * index),
      runReport(runId(index), index % 4 === 0 ? 'errored' : 'applied', 100_000 - 1_000 * index + 10 * (index + 1)),
    ]).flat();
    const expected = runMetrics(ends);
    expect(expected).toMatchObject({ runs: 30, runFailures: 8, planDuration: 155 });
    for (let round = 0; round < 20; round++) {
      const order = fc.sample(fc.shuffledSubarray(ends, { minLength: ends.length }), 1)[0] ?? [];
      expect(runMetrics(order)).toEqual(expected);
    }
  });
});

describe('a configuration version', () => {
  const of = (reports: readonly ConfigurationReport[]): RunModel => {
    const model = new RunModel();
    for (const report of reports) model.configure(report);
    return model;
  };
  const uploaded = (number: number, createdAt: number, more: Partial<ConfigurationReport> = {}) =>
    (['pending', 'uploaded'] as const).map((status, index) =>
      configurationReport(configurationId(number), status, createdAt + index, { createdAt, ...more }),
    );

  it('is current if it is the newest uploaded one that is not for plan-only runs', () => {
    const reports = [
      ...uploaded(1, 1_000, { readme: 'old' }),
      ...uploaded(2, 2_000, { readme: 'new' }),
      ...uploaded(3, 3_000, { speculative: true, readme: 'a branch' }),
      configurationReport(configurationId(4), 'errored', 4_000, { createdAt: 4_000 }),
    ];
    const expected = of(reports);
    expect(expected.workspace.configurationVersion).toEqual({ id: configurationId(2), at: 2_000 });
    expect(expected.readme).toBe('new');
    for (const order of permutationsOf(reports.slice(0, 7))) {
      const model = of([...order, ...order.slice(0, 3), ...reports.slice(7)]);
      expect(model.reported).toEqual(expected.reported);
    }
  });

  it('stays current after it is archived', () => {
    const model = of([
      ...uploaded(1, 1_000),
      configurationReport(configurationId(1), 'archived', 5_000, { createdAt: 1_000 }),
    ]);
    expect(model.workspace.configurationVersion).toEqual({ id: configurationId(1), at: 1_000 });
    expect([...model.configurationVersions.values()].map(configurationStatus)).toEqual(['archived']);
  });
});
