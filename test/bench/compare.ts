import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { bundleFunctions } from '../../infra/build/bundle.ts';
import { markdownTable } from '../support/docs/generated-tables.ts';
import { eventFor } from './measure-operations.ts';
import type { BenchOperation } from './operations.ts';
import { createTestbed } from './testbed.ts';

/** CPU time of the function for one request of an operation, in milliseconds. */
export interface Comparison {
  readonly operation: string;
  readonly before: number;
  readonly after: number;
}

interface CompareOptions {
  /** Root folder of another checkout of this repository, with its packages installed. */
  readonly checkout: string;
  readonly chosen: readonly BenchOperation[];
  /** Workspaces in the organization. */
  readonly size: number;
  /** Requests to each side of an operation that count, and requests before those. */
  readonly turns: number;
  readonly warming: number;
}

/**
 * Compares the CPU time of the functions of this checkout with those of another one, in alternating turns on the same
 * table. The calls to DynamoDB count with what they cost in the function.
 */
export const compareWithCheckout = async (
  { checkout, chosen, size, turns, warming }: CompareOptions,
  progress: (line: string) => void,
): Promise<Comparison[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-compare-'));
  const bundler: { bundleFunctions: typeof bundleFunctions } = await import(
    join(resolve(checkout), 'infra/build/bundle.ts')
  );
  const bundles = await bundler.bundleFunctions(folder);
  const testbed = await createTestbed([size]);
  try {
    const [organization] = testbed.organizations;
    if (organization === undefined) throw new RangeError('There is no organization');
    const comparisons: Comparison[] = [];
    for (const operation of chosen) {
      const module = join(bundles[operation.function].directory, 'index.mjs');
      const sides = {
        before: { process: await testbed.start(operation.function, { module }), milliseconds: 0 },
        after: { process: await testbed.start(operation.function), milliseconds: 0 },
      };
      let turn = 0;
      for (let count = -warming; count < turns; count++) {
        // An even number of requests to each side in turn: what one locks, it also unlocks.
        for (const side of count % 2 === 0 ? [sides.before, sides.after] : [sides.after, sides.before]) {
          for (let request = 0; request < 2; request++) {
            const event = eventFor(operation.request({ organization, turn: turn++ }), testbed.token);
            const { answer, computed } = await side.process.invoke(event);
            if (answer.statusCode >= 300)
              throw new Error(`${operation.name} returned ${answer.statusCode}: ${answer.body}`);
            if (count >= 0) side.milliseconds += computed / (2 * turns);
          }
        }
      }
      for (const side of Object.values(sides)) side.process.end();
      comparisons.push({
        operation: operation.name,
        before: sides.before.milliseconds,
        after: sides.after.milliseconds,
      });
      progress(`${operation.name}: ${(sides.after.milliseconds / sides.before.milliseconds).toFixed(2)}`);
    }
    return comparisons;
  } finally {
    await testbed.stop();
    rmSync(folder, { recursive: true });
  }
};

/** Renders the comparison as a Markdown table. */
export const renderComparison = (comparisons: readonly Comparison[]): string[] =>
  markdownTable(
    ['Operation', 'CPU ms before', 'CPU ms after', 'Ratio'],
    comparisons.map(({ operation, before, after }) => [
      operation,
      ...[before, after, after / before].map((value) => value.toFixed(2)),
    ]),
  );
