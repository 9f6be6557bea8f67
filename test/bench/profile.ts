import { fileURLToPath } from 'node:url';
import { markdownTable } from '../support/docs/generated-tables.ts';
import { eventFor } from './measure-operations.ts';
import type { BenchOperation } from './operations.ts';
import type { Parts, ProfileEvent } from './profile-child.ts';
import { createTestbed } from './testbed.ts';

const CHILD = fileURLToPath(new URL('profile-child.ts', import.meta.url));

interface Options {
  readonly chosen: readonly BenchOperation[];
  /** Workspaces in the organization. */
  readonly size: number;
  /** Requests of each operation that are profiled; as many are sent before. */
  readonly turns: number;
}

/** Profiles the functions, and sums up for each operation where its CPU time goes. */
export const profileOperations = async (
  { chosen, size, turns }: Options,
  progress: (line: string) => void,
): Promise<ReadonlyMap<string, Parts>> => {
  const testbed = await createTestbed([size]);
  try {
    const [organization] = testbed.organizations;
    if (organization === undefined) throw new RangeError('There is no organization');
    const profiles = new Map<string, Parts>();
    for (const operation of chosen) {
      const child = await testbed.start(operation.function, { module: CHILD });
      const control = async (event: ProfileEvent) => (await child.invoke(event)).answer;
      for (let turn = 0; turn < 2 * turns; turn++) {
        if (turn === turns) await control({ profiler: 'start' });
        const { answer } = await child.invoke(eventFor(operation.request({ organization, turn }), testbed.token));
        if (answer.statusCode >= 300)
          throw new Error(`${operation.name} returned ${answer.statusCode}: ${answer.body}`);
      }
      profiles.set(operation.name, await control({ profiler: 'stop' }));
      child.end();
      progress(operation.name);
    }
    return profiles;
  } finally {
    await testbed.stop();
  }
};

/** Renders the profiles as a Markdown table: percentages of each operation, the largest parts first. */
export const renderProfiles = (profiles: ReadonlyMap<string, Parts>): string[] => {
  const shares = [...profiles].map(([operation, parts]) => {
    const total = Object.values(parts).reduce((sum, milliseconds) => sum + milliseconds, 0);
    return { operation, share: (part: string): number => (100 * (parts[part] ?? 0)) / total };
  });
  const heaviest = (part: string): number => Math.max(...shares.map(({ share }) => share(part)));
  const names = [...new Set([...profiles.values()].flatMap((parts) => Object.keys(parts)))];
  return markdownTable(
    ['CPU time, %', ...shares.map(({ operation }) => operation)],
    names
      .toSorted((one, other) => heaviest(other) - heaviest(one))
      .map((part) => [part, ...shares.map(({ share }) => share(part).toFixed(1))]),
  );
};
