import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Failure } from '../../infra/cli/failure.ts';
import { type ImportDescription, openFolder, withFolder } from '../../infra/cli/import/folder.ts';
import { readNotCarried, writeInventory } from '../../infra/cli/import/inventory.ts';
import type { NotCarried } from '../../infra/cli/import/source.ts';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { type ContextBed, createContextBed } from '../support/cli/context-bed.ts';
import { waitForReleases } from '../support/cli/wait.ts';

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

  const startMove = async (name: string): Promise<string> => {
    writeFileSync(join(bed.home, 'state.tfstate'), JSON.stringify({ version: 4, serial: 1, lineage: 'l' }));
    await bed.json(['import', 'init', `files:${bed.home}`, name]);
    return join(bed.home, name, 'import.lock');
  };

  it('is refused to a second process, and not after the first one has crashed', async () => {
    const lock = await startMove('move');
    // The process with the id 1 always runs.
    writeFileSync(lock, `1 ${hostname()} token`);
    const second = await bed.run(['import', 'plan', 'move', '--json']);
    expect(second).toMatchObject({ code: 5, stderr: expect.stringContaining('The process 1 works in move.') });
    for (const crashed of [2_147_483_646, process.pid]) {
      writeFileSync(lock, `${crashed} ${hostname()} token`);
      await bed.json(['import', 'plan', 'move']);
    }
    expect(readdirSync(join(bed.home, 'move')).filter((file) => file.includes('.lock'))).toEqual([]);
  });

  it('is refused with the lock of another computer, whose processes nobody can see here', async () => {
    const lock = await startMove('copied');
    writeFileSync(lock, '2147483646 laptop-of-ada token');
    const { code, stderr } = await bed.run(['import', 'plan', 'copied']);
    expect(code).toBe(5);
    expect(stderr).toContain('The process 2147483646 of laptop-of-ada works in copied.');
    expect(stderr).toContain('remove copied/import.lock');
    rmSync(lock);
    await bed.json(['import', 'plan', 'copied']);
  });

  it('is taken over after a crash by one of many processes that find it at once', async () => {
    context.writeFolder('race/import.json', description);
    const folder = await openFolder(context.io(), 'race');
    let inside = 0;
    let most = 0;
    let refused = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await setImmediate();
      inside -= 1;
    };
    const rounds = 200;
    for (let round = 0; round < rounds; round += 1) {
      writeFileSync(folder.path('import.lock'), `2147483646 ${hostname()} crashed-${round}`);
      const racers = Array.from({ length: 8 }, () =>
        withFolder(folder, work).catch((error: Failure) => {
          expect(error).toMatchObject({ exit: 'conflict' });
          refused += 1;
        }),
      );
      await Promise.all(racers);
      expect(readdirSync(folder.path())).toEqual(['import.json']);
    }
    expect(most).toBe(1);
    expect(refused).toBeGreaterThan(rounds);
    expect(refused).toBeLessThan(8 * rounds);
  });

  it('goes on at another computer with the versions that the first one has imported', async () => {
    const source = join(bed.home, 'states');
    mkdirSync(source);
    writeFileSync(join(source, 'moved.tfstate'), JSON.stringify({ version: 4, serial: 1, lineage: 'l' }));
    await bed.json(['import', 'init', `files:${source}`, 'first']);
    const file = join(bed.home, 'first/import.json');
    // As if the folder had been written at another computer.
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), computer: 'laptop-of-ada' }));
    await bed.json(['import', 'plan', 'first']);
    await bed.json(['import', 'run', 'first'], { wait: waitForReleases });
    cpSync(join(bed.home, 'first'), join(bed.home, 'second'), { recursive: true });
    writeFileSync(join(source, 'moved.tfstate'), JSON.stringify({ version: 4, serial: 2, lineage: 'l' }));
    await bed.json(['import', 'init', `files:${source}`, 'second']);
    expect(await bed.json(['import', 'plan', 'second'])).toMatchObject({ conflict: 0, create: 1 });
    expect(await bed.json(['import', 'run', 'second'], { wait: waitForReleases })).toMatchObject({ states: 1 });
    const { data } = await bed.json(['api', 'GET', '/organizations/acme/workspaces/moved']);
    expect(data.attributes['imported-from'].host).toBe('laptop-of-ada');
  });

  it('a folder whose journal does not fit into memory is used again, also after a crash', async () => {
    const source = join(bed.home, 'long-source');
    mkdirSync(source);
    for (const name of ['first', 'last']) {
      writeFileSync(join(source, `${name}.tfstate`), JSON.stringify({ version: 4, serial: 1, lineage: 'l' }));
    }
    await bed.json(['import', 'init', `files:${source}`, 'long']);
    await bed.json(['import', 'plan', 'long']);
    await bed.json(['import', 'run', 'long'], { wait: waitForReleases });
    const folder = join(bed.home, 'long');
    const line = { at: description['created-at'], type: 'variables', event: 'refused', detail: 'x'.repeat(100_000) };
    // Lines of a workspace that the inventory does not have any more are never read to the end.
    for (const workspace of ['first', 'last', 'zone']) {
      const lines = Array.from({ length: 20 }, (_, index) =>
        JSON.stringify({ ...line, workspace, name: `${workspace}/env/${index}` }),
      );
      appendFileSync(join(folder, 'journal.jsonl'), `${lines.join('\n')}\n`);
    }
    for (const phase of ['plan', 'run', 'run', 'verify']) {
      // As a process that was killed leaves it.
      writeFileSync(join(folder, 'inventory/journal.0'), 'left over');
      const { code, stderr } = await bed.run(['import', phase, 'long', '--json']);
      expect({ phase, code }, stderr).toEqual({ phase, code: 0 });
      expect(readdirSync(join(folder, 'inventory')).filter((file) => !file.endsWith('.jsonl'))).toEqual([]);
    }
  });

  it('leads to a sentence when it cannot be written', async () => {
    const lock = await startMove('blocked');
    const { code, stderr } = await bed.run(['import', 'init', `files:${bed.home}`, 'state.tfstate/move']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/state\.tfstate\/move cannot be read or written \(ENOTDIR\)/);
    // Nothing can be written in place of a folder, not even by root.
    mkdirSync(join(lock, '../plan.jsonl.part'));
    const plan = await bed.run(['import', 'plan', 'blocked']);
    expect(plan.code).toBe(1);
    expect(plan.stderr).toContain('plan.jsonl.part cannot be read or written (EISDIR)');
  });

  it.runIf(process.platform === 'linux')(
    'ends a run whose journal does not fit on the disk before its first write, and one whose proof does not fit after its last',
    async () => {
      writeFileSync(join(bed.home, 'filled.tfstate'), JSON.stringify({ version: 4, serial: 1, lineage: 'l' }));
      await startMove('filled');
      await bed.json(['import', 'plan', 'filled']);
      const run = async (full: string) => {
        const file = join(bed.home, 'filled', full);
        symlinkSync('/dev/full', file);
        const result = await bed.run(['import', 'run', 'filled', '--json'], { wait: waitForReleases });
        rmSync(file);
        expect(result.code).toBe(1);
        expect(result.stderr).toMatch(/filled\S* cannot be read or written \(ENOSPC\)/);
        return result.routes.filter((route) => !/\.(list|show)/.test(route));
      };
      expect(await run('journal.jsonl')).toEqual([]);
      expect(await run('proof.jsonl.part')).toContain('state-versions.create');
      expect(await bed.json(['import', 'run', 'filled'])).toMatchObject({ records: 0, states: 0, open: 0 });
    },
  );

  it.runIf(process.platform === 'linux')(
    'leads to a sentence when the disk is full, and the next plan succeeds',
    async () => {
      await startMove('full');
      const part = join(bed.home, 'full/plan.jsonl.part');
      symlinkSync('/dev/full', part);
      const { code, stderr } = await bed.run(['import', 'plan', 'full']);
      expect(code).toBe(1);
      expect(stderr).toContain('cannot be read or written (ENOSPC)');
      rmSync(part);
      await bed.json(['import', 'plan', 'full']);
    },
  );
});
