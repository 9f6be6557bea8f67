import { type PriceName, prices, type Service } from '../../infra/settings/prices.ts';

/** Computes costs from billed quantities and the price list. */

/** Billed quantities, for a month or for a number of operations. */
export type Quantities = { readonly [P in PriceName]?: number };

export const add = (...all: readonly Quantities[]): Quantities => {
  const sum: { [P in PriceName]?: number } = {};
  for (const quantities of all) {
    for (const [name, quantity] of Object.entries(quantities) as [PriceName, number][]) {
      sum[name] = (sum[name] ?? 0) + quantity;
    }
  }
  return sum;
};

export const times = (quantities: Quantities, factor: number): Quantities =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, quantity * factor]));

/** Cost in US dollars, by service and in total. */
export interface Cost {
  readonly byService: { readonly [S in Service]?: number };
  readonly total: number;
}

/** Computes the cost of quantities. @param isFreeTierUsed subtracts the monthly free tier of the account once. */
export const costOf = (quantities: Quantities, isFreeTierUsed = false): Cost => {
  const byService: { [S in Service]?: number } = {};
  let total = 0;
  for (const [name, quantity] of Object.entries(quantities) as [PriceName, number][]) {
    const { service, dollars, per, free } = prices[name];
    const cost = (Math.max(0, quantity - (isFreeTierUsed ? free : 0)) / per) * dollars;
    byService[service] = (byService[service] ?? 0) + cost;
    total += cost;
  }
  return { byService, total };
};
