import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../../shared/access/credentials.ts';
import { openFirstUseWriter, tokenUseOf } from '../../../shared/store/directory/tokens/first-uses.ts';
import { openIdentities } from '../../../shared/store/directory/tokens/identity.ts';
import { findTokens } from '../../../shared/store/directory/tokens/token-reader.ts';
import type { Database } from '../../../shared/store/dynamodb/database.ts';
import { type Item, keys } from '../../../shared/store/dynamodb/keys.ts';
import { tokenUses } from '../../../shared/store/dynamodb/table-definition.ts';
import { openAdmin } from '../../support/api/admin.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { scanItems } from '../../support/engine/scan-items.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Eight o'clock in the morning. */
const MORNING = Date.UTC(2027, 0, 31, 8);

let engine: TestEngine;
beforeAll(async () => {
  engine = await startEngine();
});
afterAll(() => engine.stop());

/** Creates a token of a user, and returns what reads and records its uses. */
const createToken = async (username: string) => {
  const { admin } = openAdmin(engine.database);
  await admin('create-user', { username, email: `${username}@example.com` });
  const { id, token } = await admin('create-token', { kind: 'user', username });
  let at = MORNING;
  let writes = 0;
  const database: Database = {
    ...engine.database,
    write: (...write) => {
      writes += 1;
      return engine.database.write(...write);
    },
  };
  const digest = digestOf(token);
  const open = () => openIdentities(database, () => at, 0, 0);
  let instance = open();
  const record = openFirstUseWriter(engine.database, () => at);
  const reports = async (): Promise<Item[]> => {
    const found: Item[] = [];
    for await (const item of scanItems(engine.database)) {
      if (item['sk'] === tokenUses.sortKey && item['digest'] === digest) found.push(item);
    }
    return found.sort((a, b) => Number(a['usedAt']) - Number(b['usedAt']));
  };
  return {
    id,
    /** Uses the token at a time. @returns the number of writes that the request sends */
    useAt: async (time: number): Promise<number> => {
      at = time;
      writes = 0;
      expect(await instance.findToken(digest, true)).toBeDefined();
      await instance.reportFirstUse(digest, { id: 'request-1' });
      return writes;
    },
    /** Continues in another instance of the function. */
    restart: () => {
      instance = open();
    },
    reports,
    /** Records a report, as the stream delivers it. */
    record: (report: Item | undefined) => record(tokenUseOf(report ?? {})),
    usedAt: async () => {
      const user = (await engine.database.get(keys.token(digest), true))?.['subject'];
      const tokens = await findTokens(engine.database, { kind: 'user', id: String(user) });
      return tokens.find((each) => each.id === id)?.usedAt;
    },
  };
};

describe('the last use of a token', () => {
  it('the use of a token is recorded by one write on each day, whatever the number of requests and instances', async () => {
    const token = await createToken('grace');
    expect(await token.usedAt()).toBeUndefined();
    expect(await token.useAt(MORNING)).toBe(1);
    await token.record((await token.reports())[0]);
    expect(await token.usedAt()).toBe(MORNING);
    token.restart();
    expect(await token.useAt(MORNING + HOUR)).toBe(0);

    const tomorrow = MORNING + DAY;
    expect(await token.useAt(tomorrow)).toBe(1);
    expect(await token.useAt(tomorrow + HOUR)).toBe(0);
    const [, second] = await token.reports();
    await token.record(second);
    expect(await token.usedAt()).toBe(tomorrow);
    token.restart();
    expect(await token.useAt(tomorrow + 2 * HOUR)).toBe(0);
  });

  it('the last use of a token is that of the latest day, in whatever order and however often reports arrive', async () => {
    const token = await createToken('linus');
    await token.useAt(MORNING);
    await token.record((await token.reports())[0]);
    await token.useAt(MORNING + DAY);
    await token.useAt(MORNING + 2 * DAY);
    const [first, second, third] = await token.reports();
    for (const report of [third, second, first, third]) await token.record(report);
    expect(await token.usedAt()).toBe(MORNING + 2 * DAY);
    // Only the first use is a change of the token, which has an entry in the history.
    expect((await token.reports()).map((report) => report['use'] !== undefined)).toEqual([true, false, false]);
  });
});
