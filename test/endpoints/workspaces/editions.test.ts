import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Edition, editionNames, editions, type Features } from '../../../shared/domain/editions.ts';
import {
  createOrganizationFixture,
  type OrganizationFixture,
  readAttributes,
} from '../../support/api/organization-fixture.ts';
import { startEngine, type TestEngine } from '../../support/engine/engine.ts';

/** Tries each feature of the edition table on both editions. */
let engine: TestEngine;
const fixtures = new Map<Edition, OrganizationFixture>();

beforeAll(async () => {
  engine = await startEngine();
  for (const edition of editionNames) {
    const own = { engine: { ...engine, tableName: await engine.createTable() } };
    fixtures.set(
      edition,
      await createOrganizationFixture({ ...own, edition, globalRemoteState: true }, { plan: 'plus' }),
    );
  }
});
afterAll(async () => {
  await Promise.all([...fixtures.values()].map(({ api }) => api.stop()));
  await engine.stop();
});

/** Probes that report whether a client can see a feature. Any response that is neither is a failure. */
const probes: Readonly<Record<keyof Features, (fixture: OrganizationFixture) => Promise<boolean>>> = {
  healthAssessments: async (fixture) => {
    const created = await fixture.create({ 'assessments-enabled': true });
    expect([201, 422]).toContain(created.status);
    const isShown = Object.hasOwn(readAttributes(await fixture.create()), 'assessments-enabled');
    expect(isShown).toBe(created.status === 201);
    return isShown;
  },

  holdYourOwnKey: async (fixture) => Object.hasOwn(readAttributes(await fixture.create()), 'hyok-enabled'),

  globalRemoteStateDefault: async (fixture) => readAttributes(await fixture.create())['global-remote-state'],

  retentionPolicies: async (fixture) => {
    const { id, attributes, relationships } = (await fixture.create()).body.data;
    const isShown = Object.hasOwn(relationships, 'data-retention-policy');
    for (const data of ['run-data', 'state-version']) {
      expect(Object.hasOwn(attributes, `effective-${data}-retention-desc`)).toBe(isShown);
    }
    const created = await fixture.api.request('POST', `/workspaces/${id}/relationships/data-retention-policy`, {
      token: fixture.owner,
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
      expect(await probes[feature](fixtures.get(edition) as OrganizationFixture)).toBe(editions[edition][feature]);
    },
  );
});
