import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { published, publishedFiles } from '../../shared/events/publish-schemas.ts';

it('publishes exactly the schemas of the code (npm run generate)', () => {
  const files = publishedFiles();
  expect(readdirSync(published).sort()).toEqual(Object.keys(files).sort());
  for (const [name, text] of Object.entries(files)) {
    expect(readFileSync(new URL(name, published), 'utf8'), name).toBe(text);
  }
});
