import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edition, editionNames, editions, type Features } from '../../../shared/domain/editions.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';
import { attributesOf, type Bench, openBench } from '../../support/matrix/matrix-bench.ts';

/** Tries each feature of the edition table on both editions. */
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

/** Probes that report whether a client can see a feature. Any response that is neither is a failure. */
const probes: Readonly<Record<keyof Features, (bench: Bench) => Promise<boolean>>> = {
  healthAssessments: async (bench) => {
    const created = await bench.create({ 'assessments-enabled': true });
    expect([201, 422]).toContain(created.status);
    const isShown = Object.hasOwn(attributesOf(await bench.create()), 'assessments-enabled');
    expect(isShown).toBe(created.status === 201);
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
    const created = await bench.api.request('POST', `/workspaces/${id}/relationships/data-retention-policy`, {
      token: bench.owner,
      body: { data: { type: 'data-retention-policy-dont-deletes' } },
    });
    expect(created.status).toBe(isShown ? 201 : 404);
    return isShown;
  },
};

describe.each(editionNames)('%s edition', (edition) => {
  it.each(Object.keys(probes) as (keyof Features)[])(
    'matches the edition table for the feature %s',
    async (feature) => {
      expect(await probes[feature](benches.get(edition) as Bench)).toBe(editions[edition][feature]);
    },
  );
});
