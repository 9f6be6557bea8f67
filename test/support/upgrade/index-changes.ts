import { readFileSync, writeFileSync } from 'node:fs';
import { assemble, theOnly } from '../local/assembly.ts';

/** Compares the indexes of the table with those of the last release. As a program, records the present ones. */

/** An index as DynamoDB creates it; its throughput can change at any time. */
export interface IndexDefinition {
  readonly IndexName: string;
  readonly KeySchema: readonly object[];
  readonly Projection: object;
}

const recorded = new URL('../../fixtures/releases/indexes.json', import.meta.url);

/** Reads the indexes of the last release. */
export const releasedIndexes = (): readonly IndexDefinition[] => JSON.parse(readFileSync(recorded, 'utf8'));

/** Reads the indexes of the template. */
export const presentIndexes = async (): Promise<readonly IndexDefinition[]> => {
  const { GlobalSecondaryIndexes } = theOnly((await assemble()).data, 'AWS::DynamoDB::GlobalTable').Properties;
  return GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }: IndexDefinition) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
};

/**
 * Lists what one deployment cannot do: change an index, or create and delete more than one.
 *
 * @example
 * findIndexProblems([list, due], [list]); // []
 */
export const findIndexProblems = (
  before: readonly IndexDefinition[],
  after: readonly IndexDefinition[],
): readonly string[] => {
  const find = (all: readonly IndexDefinition[], name: string) => all.find(({ IndexName }) => IndexName === name);
  const changed = after.filter((index) => {
    const former = find(before, index.IndexName);
    return former !== undefined && JSON.stringify(former) !== JSON.stringify(index);
  });
  const created = after.filter(({ IndexName }) => find(before, IndexName) === undefined);
  const deleted = before.filter(({ IndexName }) => find(after, IndexName) === undefined);
  return [
    ...changed.map(({ IndexName }) => `The index ${IndexName} cannot change: create one with another name`),
    ...(created.length + deleted.length > 1
      ? [
          `One deployment can create or delete one index: ${[...created, ...deleted].map(({ IndexName }) => IndexName).join(', ')}`,
        ]
      : []),
  ];
};

if (import.meta.main) writeFileSync(recorded, `${JSON.stringify(await presentIndexes(), undefined, 2)}\n`);
