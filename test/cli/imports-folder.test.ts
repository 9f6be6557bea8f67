import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportDescription, openFolder } from '../../infra/cli/import/folder.ts';
import { readNotCarried, writeInventory } from '../../infra/cli/import/inventory.ts';
import type { NotCarried } from '../../infra/cli/import/source.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';

let bed: CliBed;
let context: ContextBed;

beforeAll(async () => {
  bed = await startCliBed();
  context = createContextBed();
});
afterAll(async () => {
  context.remove();
  await bed.stop();
});

const description: ImportDescription = {
  ...{ format: 'holdfast-import', version: '1.0', id: 'i', source: 'files:.' },
  target: { url: 'https://holdfast.test', organization: 'acme' },
  ...{ workspaces: [], partial: false, 'created-at': '2026-11-24T08:00:00.000Z' },
};

describe('the folder of an import', () => {
  it('keeps what is not carried of workspaces that are not read again', async () => {
    context.writeFolder('move/import.json', description);
    const folder = await openFolder(context.io(), 'move');
    const itemOf = (name: string): NotCarried => ({ type: 'run-triggers', name, reason: 'not-supported', detail: '' });
    const write = (names: readonly string[], items: readonly string[], replaced?: (name: string) => boolean) =>
      writeInventory(folder, replaced, async ({ add, addNotCarried }) => {
        for (const name of names) await add('workspaces', { name } as never);
        for (const name of items) await addNotCarried(itemOf(name));
      });
    await write(['network', 'web'], ['acme/policy', 'network/dns', 'web/dns', 'web/old']);
    await write(['web'], ['acme/policy', 'web/dns'], (name) => name === 'web');
    const names: string[] = [];
    for await (const { name } of readNotCarried(folder)) names.push(name);
    expect(names).toEqual(['acme/policy', 'network/dns', 'web/dns']);
  });

  it('is refused to a second process, and not after the first one has crashed', async () => {
    writeFileSync(join(bed.home, 'state.tfstate'), JSON.stringify({ version: 4, serial: 1, lineage: 'l' }));
    await bed.json(['import', 'init', `files:${bed.home}`, 'move']);
    // The process with the id 1 always runs.
    writeFileSync(join(bed.home, 'move/import.lock'), '1');
    const second = await bed.run(['import', 'plan', 'move', '--json']);
    expect(second).toMatchObject({ code: 5, stderr: expect.stringContaining('The process 1 works in move.') });
    writeFileSync(join(bed.home, 'move/import.lock'), '2147483646');
    await bed.json(['import', 'plan', 'move']);
  });
});
