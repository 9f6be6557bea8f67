import { beforeAll, expect, test } from 'vitest';
import { withGenerated } from '../support/docs/generated-tables.ts';
import { DEFAULT_LARGEST_SHARE, LARGEST_SHARE, quotas, quotaTable } from '../support/docs/quotas.ts';
import { readQuotasPage } from '../support/docs/quotas-page.ts';
import { type Assembly, assemble, everySetting } from '../support/local/assembly.ts';

let assembly: Assembly;
let everything: Assembly;
beforeAll(async () => {
  assembly = await assemble();
  everything = await assemble(everySetting);
});

test.each(quotas)('$service: $quota are far from the quota, with every setting too', ({ quota, limit, measure }) => {
  const share = LARGEST_SHARE[quota] ?? DEFAULT_LARGEST_SHARE;
  for (const deployment of [assembly, everything]) {
    expect(measure(deployment)).toBeGreaterThan(0);
    expect(measure(deployment)).toBeLessThanOrEqual(share * limit);
  }
});

test('docs/operate/quotas.md matches the templates (npm run generate)', () => {
  expect(readQuotasPage()).toBe(withGenerated(readQuotasPage(), quotaTable(assembly)));
});
