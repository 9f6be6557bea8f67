import { markdownTable } from '../support/docs/generated-tables.ts';
import {
  assumptions,
  costOfMillion,
  type DailyLoad,
  dailyLoad,
  type MeasuredOperation,
  monthly,
} from './cost-model.ts';
import type { IdleLine } from './idle.ts';
import { add, type Cost, costOf, type PriceName, prices, type Service } from './prices.ts';

/** What it costs: as data, and as Markdown. */
export interface Costs {
  /** Dollars for a million of each operation. */
  readonly operations: readonly { readonly operation: string; readonly cost: Cost }[];
  /** A month of 1,000 workspaces at the load, beside what is charged at idle. */
  readonly month: Cost;
  readonly load: DailyLoad;
  /** A month without a request. */
  readonly idle: readonly { readonly what: string; readonly quantity: string; readonly dollars: number }[];
  readonly idleTotal: number;
  /** The same with what AWS gives each account for nothing. */
  readonly idleWithFreeTier: number;
}

const WORKSPACES = 1_000;

const quantityOf = ([name, quantity]: readonly [string, number]): string =>
  `${quantity.toLocaleString('en-US', { maximumFractionDigits: quantity < 10 ? 2 : 0 })} × ${prices[name as PriceName].unit.split(',')[0]}`;

/** @param idle the lines of the templates' bill. */
export const measureCosts = (measured: readonly MeasuredOperation[], idle: readonly IdleLine[]): Costs => {
  const all = add(...idle.map(({ quantities }) => quantities));
  return {
    operations: measured.map((one) => ({ operation: one.operation, cost: costOfMillion(one) })),
    month: costOf(monthly(WORKSPACES, measured)),
    load: dailyLoad,
    idle: idle.map(({ what, quantities }) => ({
      what,
      quantity: Object.entries(quantities).map(quantityOf).join(', '),
      dollars: costOf(quantities).total,
    })),
    idleTotal: costOf(all).total,
    idleWithFreeTier: costOf(all, true).total,
  };
};

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

const services = [...new Set<Service>(Object.values(prices).map(({ service }) => service))].filter(
  (service) => service !== 'S3',
);

/** By the names that pages mark them with. */
export const costTables = ({ operations, month, load, idle, idleTotal, idleWithFreeTier }: Costs) => ({
  idle: markdownTable(
    ['A month without a request', 'Quantity', 'Dollars'],
    [
      ...idle.map(({ what, quantity, dollars: amount }) => [what, quantity, dollars(amount)]),
      ['total', '', `${dollars(idleTotal)}, with the free tier ${dollars(idleWithFreeTier)}`],
    ],
  ),
  'operation-costs': markdownTable(
    ['Operation, a million times', ...services, 'Dollars'],
    operations.map(({ operation, cost }) => [
      operation,
      ...services.map((service) => (cost.byService[service] ?? 0).toFixed(2)),
      dollars(cost.total),
    ]),
  ),
  month: markdownTable(
    ['1,000 workspaces, a month', 'Dollars'],
    [
      ...Object.entries(month.byService).map(([service, amount]) => [service, dollars(amount)]),
      ['total, without idle', dollars(month.total)],
    ],
  ),
  load: markdownTable(
    ['Operation of each workspace', 'Per day'],
    Object.entries(load).map(([name, count]) => [name, String(count)]),
  ),
});

export const renderCosts = (costs: Costs): string[] => [
  `DynamoDB answers in ${assumptions.roundMilliseconds} ms; prices of us-east-1 (test/bench/prices.ts).`,
  '',
  ...Object.values(costTables(costs)).flatMap((lines) => [...lines, '']),
];
