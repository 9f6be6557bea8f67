import { describe, expect, it } from 'vitest';
import { proveImport } from '../support/import/import-proof.ts';
import { synthesizedOnce } from '../support/setup/build-once.ts';
import { usualOrThorough } from '../support/setup/run-budget.ts';

describe('import whose process is killed at random moments', () => {
  it('carries every state version once, in order and byte for byte, and its verification names one changed byte', async () => {
    const sizes = usualOrThorough(
      { workspaces: 4, versions: 5, kills: 3 },
      { workspaces: 100, versions: 20, kills: 100 },
    );
    const { versions, kills, findings } = await proveImport({
      ...sizes,
      seed: 3,
      assembly: await synthesizedOnce(),
    });
    console.log(`${versions} state versions; killed at ${kills.join(', ')} bytes of the journal`);
    expect(findings).toEqual([]);
    expect(kills).toHaveLength(sizes.kills);
  });
});
