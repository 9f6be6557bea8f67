import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoResponse } from '../../../shared/store/dynamodb/errors.ts';
import { openOneTimeSecrets } from '../../../shared/store/sign-in/one-time-secrets.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';

const content = { user: 'user-1', name: 'ada', port: 10_001, challenge: 'challenge', token: 'at-1' };
const KIND = 'authorization-code';
const MINUTE = 60_000;

let engine: TestEngine;
let time = Date.now();
const clock = () => time;
const open = (database = engine.database) => openOneTimeSecrets(database, clock);

beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

describe('a secret that works once', () => {
  it('is found until one caller takes it, and never afterwards', async () => {
    const secrets = open();
    await secrets.put(KIND, 'a', content, MINUTE);
    expect(await secrets.find(KIND, 'a')).toEqual(content);
    expect(await secrets.find(KIND, 'a')).toEqual(content);
    expect(await secrets.take(KIND, 'a')).toEqual(content);
    expect(await secrets.find(KIND, 'a')).toBeUndefined();
    expect(await secrets.take(KIND, 'a')).toBeUndefined();
  });

  it('is given to one of many callers at the same time', async () => {
    await open().put(KIND, 'race', content, MINUTE);
    const taken = await Promise.all(Array.from({ length: 20 }, () => open().take(KIND, 'race')));
    expect(taken.filter((found) => found !== undefined)).toEqual([content]);
  });

  it('is given to the caller whose write was applied when the response of the database was lost', async () => {
    await open().put(KIND, 'lost', content, MINUTE);
    let isLost = false;
    const lossy = {
      ...engine.database,
      write: async (...write: Parameters<typeof engine.database.write>) => {
        const written = await engine.database.write(...write);
        if (isLost) return written;
        isLost = true;
        throw new NoResponse('lost');
      },
    };
    expect(await open(lossy).take(KIND, 'lost')).toEqual(content);
    expect(await open().take(KIND, 'lost')).toBeUndefined();
  });

  it('is invalid once its time has passed, although the item is still in the table', async () => {
    const secrets = open();
    await secrets.put(KIND, 'late', content, MINUTE);
    time += MINUTE;
    expect(await secrets.find(KIND, 'late')).toBeUndefined();
    expect(await secrets.take(KIND, 'late')).toBeUndefined();
  });

  it('leaves a note of its second use, which names what belongs to it', async () => {
    const secrets = open();
    await secrets.put(KIND, 'twice', content, MINUTE);
    expect(await secrets.noteReuse(KIND, 'twice')).toBeUndefined();
    await secrets.take(KIND, 'twice');
    expect(await secrets.wasReused(KIND, 'twice')).toBe(false);
    time += 5 * MINUTE;
    expect(await secrets.noteReuse(KIND, 'twice')).toEqual(content);
    expect(await secrets.wasReused(KIND, 'twice')).toBe(true);
    expect(await secrets.noteReuse(KIND, 'unknown')).toBeUndefined();
  });

  it('is stored under its digest, with a time to live', async () => {
    await open().put(KIND, 'a-secret-text', content, MINUTE);
    for await (const item of scanItems(engine.database)) {
      expect(JSON.stringify(item)).not.toContain('a-secret-text');
      expect(Number(item['ttl'])).toBeGreaterThan(time / 1_000 - 86_400);
    }
  });
});
