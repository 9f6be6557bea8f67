import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson, keyOf } from '../../infra/cli/bundle/canonical.ts';
import { openTfeSource } from '../../infra/cli/import/sources/tfe.ts';
import { resolveTfeAddress } from '../../infra/cli/import/tfe/address.ts';
import { type RecordType, recordTypes } from '../../shared/bundle/types.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { fillOrganization } from '../support/cli/filled-organization.ts';
import { recordsPath } from '../support/cli/forged-bundle.ts';
import { type CollectedInventory, collectInventory } from '../support/import/inventory.ts';

let context: ContextBed;
beforeAll(() => {
  context = createContextBed();
});
afterAll(() => context.remove());

/** Returns the records of a type as a bundle has them: in its order, and without members that are undefined. */
// biome-ignore lint/suspicious/noExplicitAny: records of all types.
const recordsOf = ({ records }: CollectedInventory, wanted: RecordType): readonly any[] =>
  records
    .flatMap(([type, record]) => (type === wanted ? [JSON.parse(canonicalJson(record))] : []))
    .sort((a, b) => (keyOf(wanted, a) < keyOf(wanted, b) ? -1 : 1));

describe('another Holdfast as a source', () => {
  let bed: CliBed;
  beforeAll(async () => {
    bed = await startCliBed();
    await fillOrganization(bed);
  });
  afterAll(() => bed.stop());

  const open = async () => {
    const methods: string[] = [];
    const io = {
      ...context.io({ HOLDFAST_SOURCE_TOKEN: bed.owner }),
      fetch: ((input, init) => {
        methods.push(init?.method ?? 'GET');
        return bed.fetch(input, init);
      }) satisfies typeof fetch,
    };
    const address = await resolveTfeAddress(io, 'tfe://holdfast.test/acme');
    return { source: openTfeSource(io, { ...address, rate: 1_000 }), methods };
  };

  test('has the inventory of its own export, except for the digests of states', async () => {
    const { source, methods } = await open();
    const inventory = await collectInventory(source);
    expect(await bed.run(['export', 'acme', '--out', 'bundle'])).toMatchObject({ code: 0 });
    for (const type of recordTypes) {
      const exported = readFileSync(recordsPath(join(bed.home, 'bundle'), type), 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
        .map(({ sha256: _, ...record }) => record);
      expect(recordsOf(inventory, type), type).toEqual(exported);
    }
    expect(new Set(methods)).toEqual(new Set(['GET']));
    expect(inventory.notCarried).toEqual([]);
  });
});
