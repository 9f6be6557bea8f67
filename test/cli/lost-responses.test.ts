import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CliBed, startCliBed } from '../support/cli/cli-bed.ts';
import { followHistory } from '../support/history/history-follower.ts';
import { usualOrThorough } from '../support/setup/run-budget.ts';

let bed: CliBed;
beforeAll(async () => {
  bed = await startCliBed();
});
afterAll(() => bed.stop());

/** Executes every write, and drops the response to every second one. */
const dropping = (): { readonly fetch: typeof fetch; readonly counts: { writes: number; dropped: number } } => {
  const counts = { writes: 0, dropped: 0 };
  return {
    counts,
    fetch: async (input, init) => {
      const response = await bed.fetch(input, init);
      if ((init?.method ?? 'GET') === 'GET') return response;
      counts.writes += 1;
      if (counts.writes % 2 === 0) return response;
      counts.dropped += 1;
      throw new TypeError('fetch failed');
    },
  };
};

const WORKSPACES = usualOrThorough(10, 25);
const KEYS = 10;
const COMMANDS = 40 * WORKSPACES;

test(`loses and repeats no change of ${COMMANDS} commands whose every second response is dropped`, async () => {
  const history = await followHistory(bed.api);
  const workspaces = await Promise.all(Array.from({ length: WORKSPACES }, () => bed.createWorkspace()));
  await history.record();
  const { fetch, counts } = dropping();
  const codes: number[] = [];
  const call = async (argv: readonly string[], stdin?: string): Promise<void> => {
    const { code, stderr } = await bed.run(argv, { fetch, ...(stdin !== undefined && { stdin }) });
    if (code !== 0) throw new Error(`${argv.join(' ')}: ${code} ${stderr}`);
    codes.push(code);
  };
  for (const { name } of workspaces) {
    for (let round = 0; round < 10; round += 1) {
      await call(['lock', name, '--reason', `round ${round}`]);
      await call(['unlock', name]);
    }
    for (let key = 0; key < KEYS; key += 1) await call(['var', 'set', name, `key_${key}`], `created ${key}`);
    for (let key = 0; key < KEYS; key += 1) await call(['var', 'set', name, `key_${key}`], `changed ${key}`);
  }
  expect(codes).toHaveLength(COMMANDS);
  expect(counts.dropped).toBeGreaterThanOrEqual(COMMANDS);

  for (const { id, name } of workspaces) {
    const variables: readonly { key: string; value: string }[] = await bed.json(['var', 'list', name]);
    expect(variables.map(({ key, value }) => `${key} ${value}`).toSorted()).toEqual(
      Array.from({ length: KEYS }, (_, key) => `key_${key} changed ${key}`),
    );
    expect(await bed.json(['ws', 'show', name])).toMatchObject({ locked: false });
    const entries = await history.read(id, bed.owner);
    const actions = entries.map(({ attributes }) => attributes.action);
    expect(
      Object.fromEntries(
        Object.entries(Object.groupBy(actions, (action) => action)).map(([action, all]) => [action, all?.length]),
      ),
    ).toEqual({
      'workspace.created': 1,
      'workspace.locked': 10,
      'workspace.unlocked': 10,
      'workspace.variable-created': KEYS,
      'workspace.variable-updated': KEYS,
    });
  }
});
