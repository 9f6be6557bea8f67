import { beforeAll, expect, it } from 'vitest';
import { costTables } from '../bench/cost-report.ts';
import { idleLines } from '../bench/idle.ts';
import { add, costOf } from '../bench/prices.ts';
import { measureTemplates, readCostsPage } from '../support/docs/costs-page.ts';
import { withGenerated } from '../support/docs/generated-tables.ts';
import { readPage } from '../support/docs/pages.ts';
import { type Assembly, assemble, everySetting, type Template } from '../support/local/assembly.ts';

let assembly: Assembly;
beforeAll(async () => {
  assembly = await assemble();
});

const monthlyCost = (deployment: Assembly): number =>
  costOf(add(...idleLines(deployment).map(({ quantities }) => quantities))).total;
const withResource = (template: Template, resource: object): Template => ({
  ...template,
  Resources: { ...template.Resources, Another: resource as Template['Resources'][string] },
});

/** Amounts as the README writes them. */
const words: Readonly<Record<number, string>> = {
  9: 'nine dollars',
  10: 'ten dollars',
  11: 'eleven dollars',
  12: 'twelve dollars',
};

it('an unused deployment costs less than twelve dollars a month, as the README says', () => {
  expect(monthlyCost(assembly)).toBeLessThan(12);
  expect(readPage('README.md')).toContain(words[Math.ceil(monthlyCost(assembly))]);
});

it('a key, an alarm and the schedules cost what a manual computation yields', () => {
  const additionalCost = (resource: object): number =>
    monthlyCost({ ...assembly, observability: withResource(assembly.observability, resource) }) - monthlyCost(assembly);
  expect(additionalCost({ Type: 'AWS::KMS::Key', Properties: {} })).toBeCloseTo(1, 10);
  expect(additionalCost({ Type: 'AWS::CloudWatch::Alarm', Properties: { MetricName: 'Errors' } })).toBeCloseTo(0.1, 10);
  const Metrics = [
    { Id: 'sum', Expression: 'a + b' },
    { Id: 'a', MetricStat: {} },
    { Id: 'b', MetricStat: {} },
  ];
  expect(additionalCost({ Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics } })).toBeCloseTo(0.2, 10);
  expect(additionalCost({ Type: 'AWS::Events::Rule', Properties: { EventPattern: {} } })).toBe(0);
  const { computing, readUnits, invocations } = add(...idleLines(assembly).map(({ quantities }) => quantities));
  // One invocation each minute and one each day. The one each minute queries eight partitions.
  expect(invocations).toBeCloseTo(43_800 + 365 / 12, 6);
  expect(readUnits).toBeCloseTo(43_800 * 4 + (365 / 12) * 0.5, 6);
  expect(computing).toBeCloseTo(43_800 * 0.05 + (365 / 12) * 0.015, 6);
});

it('a resource type without a price is rejected', async () => {
  const api = withResource(assembly.api, { Type: 'AWS::EC2::NatGateway', Properties: {} });
  expect(() => idleLines({ ...assembly, api })).toThrow('AWS::EC2::NatGateway');
  const dashboard = 3;
  const provisioned = (365 / 12) * 24 * 3_600 * 0.0000033334;
  // One invocation each minute and one each day.
  const traces = ((43_800 + 365 / 12) * 5) / 1_000_000;
  const everything = await assemble(everySetting);
  const more = dashboard + provisioned + traces;
  expect(monthlyCost(everything)).toBeCloseTo(monthlyCost(assembly) + more, 10);
});

it('docs/operate/costs.md matches the templates (npm run generate)', () => {
  expect(readCostsPage()).toBe(withGenerated(readCostsPage(), costTables(measureTemplates(assembly))));
});
