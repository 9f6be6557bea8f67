import { describe, expect, it } from 'vitest';
import { prices } from '../../../infra/settings/prices.ts';
import {
  assumptions,
  costOfMillion,
  dailyLoad,
  estimatedOperations,
  type MeasuredOperation,
  monthly,
  monthlyTraces,
  quantitiesOf,
  tracedRequests,
  withMeasured,
} from '../../bench/cost-model.ts';
import { costOf } from '../../bench/prices.ts';

const show: MeasuredOperation = {
  operation: 'show by id',
  function: 'workspaces',
  readUnits: 3,
  writeUnits: 0,
  rounds: 2,
  calls: 5,
  bytesOut: 3_000,
  milliseconds: 5,
  events: 0,
};

describe('the cost model, for a million calls', () => {
  it('matches the cost computed by hand', () => {
    const { byService, total } = costOfMillion(show, { ...assumptions, keyRequestsPerCall: 0 });
    // 3 million units at $0.125; 15 ms of 1 GB at $0.0000133334, and a request; 3 GB at $0.09; 1.6 GB of logs at $0.50.
    expect(byService.DynamoDB).toBeCloseTo(0.375, 10);
    expect(byService.Lambda).toBeCloseTo(0.2 + 0.200001, 10);
    expect(byService['API Gateway']).toBeCloseTo(1, 10);
    expect(byService['data transfer']).toBeCloseTo(0.27, 10);
    expect(byService.CloudWatch).toBeCloseTo(0.8, 10);
    expect(total).toBeCloseTo(0.375 + 0.400001 + 1 + 0.27 + 0.8, 10);
  });

  it('adds the cost of bus, archive, publisher and history for each event', () => {
    const { byService } = costOfMillion({ ...show, writeUnits: 2, events: 1 });
    expect(byService.DynamoDB).toBeCloseTo(0.375 + (2 + 2) * 0.625, 10);
    expect(byService.EventBridge).toBeCloseTo(1 + 1.5 * 0.1, 10);
    expect(byService.Lambda).toBeCloseTo(0.400001 + 2 * (0.2 + 0.03 * 13.3334), 10);
  });

  it('charges no API request for a call that an event triggers', () => {
    const { byService } = costOfMillion({ ...show, via: 'bucket' });
    expect(byService['API Gateway'] ?? 0).toBe(0);
    // An event of the bucket costs as much as an event that a program puts on a bus.
    expect(byService.EventBridge).toBeCloseTo(1, 10);
    expect(costOfMillion({ ...show, via: 'bus' }).byService.EventBridge).toBeCloseTo(1.15, 10);
  });

  it.each(['readUnits', 'writeUnits', 'rounds', 'calls', 'bytesOut', 'milliseconds', 'events'] as const)(
    'increases with %s',
    (of) => {
      expect(costOfMillion({ ...show, [of]: show[of] + 1 }).total).toBeGreaterThan(costOfMillion(show).total);
    },
  );
});

describe('the cost model, for a month', () => {
  it('is proportional to the number of workspaces and days', () => {
    const measured = estimatedOperations();
    const one = costOf(monthly(1, measured)).total;
    expect(costOf(monthly(1_000, measured)).total).toBeCloseTo(1_000 * one, 6);
    const { httpRequests } = monthly(1_000, measured, { 'show by id': 2 });
    expect(httpRequests).toBeCloseTo((2 * 1_000 * 365) / 12, 6);
  });

  it('throws when an operation of the load was not measured', () => {
    expect(() => monthly(1, [show], { 'show by id': 1, lock: 1 })).toThrow('lock is in the load');
    const names = estimatedOperations().map(({ operation }) => operation);
    for (const name of Object.keys(dailyLoad)) expect(names).toContain(name);
  });
});

describe('traces', () => {
  it('contain nearly every request at low traffic, and one in twenty at high traffic', () => {
    const month = (365 / 12) * 24 * 60 * 60;
    expect(tracedRequests(1_000)).toBeGreaterThan(999);
    expect(tracedRequests(month)).toBeCloseTo(month * (0.95 * (1 - Math.exp(-1)) + 0.05), 0);
    expect(tracedRequests(1_000 * month) / (1_000 * month)).toBeCloseTo(0.051, 3);
  });

  it('are counted for each function, the publisher and the history included', () => {
    const { invocations, traces } = monthlyTraces(1, [{ ...show, events: 1 }], { 'show by id': 1 });
    expect(invocations).toBeCloseTo((3 * 365) / 12, 6);
    expect(traces).toBeGreaterThan(0.999 * invocations);
  });
});

it('replaces estimates with measurements, including "lock or unlock" for both lock and unlock', () => {
  const lock = { ...show, operation: 'lock or unlock', writeUnits: 7 };
  const all = withMeasured([{ ...show, readUnits: 9 }, lock]);
  const of = (name: string) => all.find(({ operation }) => operation === name);
  expect(of('show by id')).toMatchObject({ readUnits: 9 });
  expect([of('lock')?.writeUnits, of('unlock')?.writeUnits]).toEqual([7, 7]);
  expect(of('create')).toEqual(estimatedOperations().find(({ operation }) => operation === 'create'));
});

describe('the price list', () => {
  it('states a unit, a pricing page and a date for every price', () => {
    for (const { dollars, per, free, unit, page, recorded } of Object.values(prices)) {
      expect(dollars).toBeGreaterThan(0);
      expect(per).toBeGreaterThanOrEqual(1);
      expect(free).toBeGreaterThanOrEqual(0);
      expect(unit).not.toBe('');
      expect(recorded).toMatch(/^20\d\d-\d\d$/);
      expect(page).toMatch(/^https:\/\/aws\.amazon\.com\//);
    }
  });

  it('subtracts the free tier once and never below zero', () => {
    expect(costOf({ alarmMetrics: 38, keys: 3 }).total).toBeCloseTo(6.8, 10);
    expect(costOf({ alarmMetrics: 38, keys: 3 }, true).total).toBeCloseTo(5.8, 10);
    expect(costOf({ alarmMetrics: 4 }, true).total).toBe(0);
    expect(costOf(quantitiesOf(show), true).total).toBeLessThan(costOf(quantitiesOf(show)).total);
  });
});
