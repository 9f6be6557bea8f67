import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edition, editionNames, editions, type Features } from '../../../shared/domain/editions.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { attributesOf, type Bench, openBench } from '../../support/matrix/matrix-bench.ts';

/** What each feature is to a client, tried on both editions: there where it is offered, and not where it is not. */
let engine: TestEngine;
const benches = new Map<Edition, Bench>();

beforeAll(async () => {
  engine = await startEngine();
  for (const edition of editionNames) {
    const own = { engine: { ...engine, tableName: await engine.createTable() } };
    benches.set(edition, await openBench({ ...own, edition, globalRemoteState: true }, { plan: 'plus' }));
  }
});
afterAll(async () => {
  await Promise.all([...benches.values()].map(({ api }) => api.stop()));
  await engine.stop();
});

/** Whether a bench has it; whatever else it would be is a failure. */
const looks: Readonly<Record<keyof Features, (bench: Bench) => Promise<boolean>>> = {
  healthAssessments: async (bench) => {
    const asked = await bench.create({ 'assessments-enabled': true });
    expect([201, 422]).toContain(asked.status);
    const isShown = Object.hasOwn(attributesOf(await bench.create()), 'assessments-enabled');
    expect(isShown).toBe(asked.status === 201);
    return isShown;
  },

  holdYourOwnKey: async (bench) => Object.hasOwn(attributesOf(await bench.create()), 'hyok-enabled'),

  globalRemoteStateDefault: async (bench) => attributesOf(await bench.create())['global-remote-state'],

  retentionPolicies: async (bench) => {
    const { id, attributes, relationships } = (await bench.create()).body.data;
    const isShown = Object.hasOwn(relationships, 'data-retention-policy');
    for (const data of ['run-data', 'state-version']) {
      expect(Object.hasOwn(attributes, `effective-${data}-retention-desc`)).toBe(isShown);
    }
    const asked = await bench.api.request('POST', `/workspaces/${id}/relationships/data-retention-policy`, {
      token: bench.owner,
      body: { data: { type: 'data-retention-policy-dont-deletes' } },
    });
    expect(asked.status).toBe(isShown ? 201 : 404);
    return isShown;
  },
};

describe.each(editionNames)('the %s edition', (edition) => {
  it.each(Object.keys(looks) as (keyof Features)[])('offers what the table says: %s', async (feature) => {
    expect(await looks[feature](benches.get(edition) as Bench)).toBe(editions[edition][feature]);
  });
});
