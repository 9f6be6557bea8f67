import { type PriceName, prices, type Service } from '../../infra/settings/prices.ts';
import { markdownTable } from '../support/docs/generated-tables.ts';
import {
  assumptions,
  costOfMillion,
  type DailyLoad,
  dailyLoad,
  type MeasuredOperation,
  monthly,
  monthlyTraces,
} from './cost-model.ts';
import type { IdleLine } from './idle.ts';
import { add, type Cost, costOf } from './prices.ts';

/** Cost report of a deployment. */
export interface Costs {
  /** Cost of a million calls of each operation. */
  readonly operations: readonly { readonly operation: string; readonly cost: Cost }[];
  /** Monthly cost of 1,000 workspaces under the load, without the idle cost. */
  readonly month: Cost;
  readonly load: DailyLoad;
  /** Additional monthly cost of traces, by the number of workspaces. */
  readonly tracing: readonly { readonly workspaces: number; readonly invocations: number; readonly traces: number }[];
  /** Monthly cost without requests. */
  readonly idle: readonly { readonly what: string; readonly quantity: string; readonly dollars: number }[];
  readonly idleTotal: number;
  /** `idleTotal` after the AWS free tier. */
  readonly idleWithFreeTier: number;
}

const WORKSPACES = 1_000;

const quantityOf = ([name, quantity]: readonly [string, number]): string =>
  `${quantity.toLocaleString('en-US', { maximumFractionDigits: quantity < 10 ? 2 : 0 })} × ${prices[name as PriceName].unit.split(',')[0]}`;

/** Computes the cost report. @param idle lines of the idle bill, from the templates. */
export const measureCosts = (measured: readonly MeasuredOperation[], idle: readonly IdleLine[]): Costs => {
  const all = add(...idle.map(({ quantities }) => quantities));
  return {
    operations: measured.map((one) => ({ operation: one.operation, cost: costOfMillion(one) })),
    month: costOf(monthly(WORKSPACES, measured)),
    load: dailyLoad,
    tracing: [WORKSPACES, 10 * WORKSPACES, 100 * WORKSPACES].map((workspaces) => ({
      workspaces,
      ...monthlyTraces(workspaces, measured),
    })),
    idle: idle.map(({ what, quantities }) => ({
      what,
      quantity: Object.entries(quantities).map(quantityOf).join(', '),
      dollars: costOf(quantities).total,
    })),
    idleTotal: costOf(all).total,
    idleWithFreeTier: costOf(all, true).total,
  };
};

const whole = (number: number): string => Math.round(number).toLocaleString('en-US');
const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

const services = [...new Set<Service>(Object.values(prices).map(({ service }) => service))].filter(
  (service) => !['S3', 'X-Ray'].includes(service),
);

/** Renders the cost tables, by the names of their markers in `docs/operate/costs.md`. */
export const costTables = ({ operations, month, load, tracing, idle, idleTotal, idleWithFreeTier }: Costs) => ({
  idle: markdownTable(
    ['Monthly cost at idle', 'Quantity', 'Dollars'],
    [
      ...idle.map(({ what, quantity, dollars: amount }) => [what, quantity, dollars(amount)]),
      ['total', '', `${dollars(idleTotal)}, with the free tier ${dollars(idleWithFreeTier)}`],
    ],
  ),
  'operation-costs': markdownTable(
    ['One million calls of', ...services, 'Dollars'],
    operations.map(({ operation, cost }) => [
      operation,
      ...services.map((service) => (cost.byService[service] ?? 0).toFixed(2)),
      dollars(cost.total),
    ]),
  ),
  month: markdownTable(
    ['Monthly cost of 1,000 workspaces', 'Dollars'],
    [
      ...Object.entries(month.byService).map(([service, amount]) => [service, dollars(amount)]),
      ['total, without idle cost', dollars(month.total)],
    ],
  ),
  tracing: markdownTable(
    ['Workspaces', 'Invocations a month', 'Traced', 'Dollars a month'],
    tracing.map(({ workspaces, invocations, traces }) => [
      whole(workspaces),
      whole(invocations),
      `${whole((100 * traces) / invocations)} %`,
      dollars(costOf({ traces }).total),
    ]),
  ),
  prices: markdownTable(
    ['Service', 'Unit', 'Dollars', 'Free each month', 'Source', 'Recorded'],
    Object.values(prices).map(({ service, unit, dollars: amount, per, free, page, recorded }) => [
      service,
      per === 1 ? unit : `${whole(per)} × ${unit}`,
      String(amount),
      free === 0 ? '' : whole(free),
      `<${page}>`,
      recorded,
    ]),
  ),
  load: markdownTable(
    ['Operation', 'Calls per workspace and day'],
    Object.entries(load).map(([name, count]) => [name, String(count)]),
  ),
});

export const renderCosts = (costs: Costs): string[] => [
  `Assumes that DynamoDB responds in ${assumptions.roundMilliseconds} ms; prices of us-east-1 (infra/settings/prices.ts).`,
  '',
  ...Object.values(costTables(costs)).flatMap((lines) => [...lines, '']),
];
