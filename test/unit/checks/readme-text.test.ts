import { fc, test } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { cutReadme } from '../../../shared/domain/runs/configuration-versions.ts';

const MOST = 256 * 1024;

it('keeps a README.md of up to 256 KB unchanged', () => {
  for (const text of ['', '# Network\n', 'x'.repeat(MOST)]) expect(cutReadme(text)).toBe(text);
});

test.prop([fc.constantFrom('x', 'é', '€', '💥', 'ab€', 'x💥'), fc.integer({ min: 1, max: 5 })])(
  'a longer one is cut at the end of a character, with a word about it',
  (part, before) => {
    const text = 'x'.repeat(before) + part.repeat(MOST);
    const [kept = '', word] = cutReadme(text).split('\n\n…');
    expect(text.startsWith(kept)).toBe(true);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(MOST);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(MOST - 4);
    expect(word).toContain('256 KB');
  },
);
