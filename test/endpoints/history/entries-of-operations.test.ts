import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';
import { scanItems } from '../../support/engine/scan-items.ts';
import { startTestbed, type Testbed } from '../../support/foreign-identifiers/organizations.ts';
import { samplesFor } from '../../support/foreign-identifiers/samples.ts';
import { attempt, createPreparation } from '../../support/foreign-identifiers/suite.ts';
import { followHistory } from '../../support/history/history-follower.ts';

/** Operations of which no sample leaves an entry at once, by the reason. */
const withoutEntry: Readonly<Record<string, readonly RouteId[]>> = {
  'the sample sets what is set already, or removes what is not there': [
    'default-retention-policies.replace',
    'varsets.remove-workspaces',
    'varsets.remove-projects',
    'organizations.update',
    'teams.update',
    'teams.remove-users',
    'teams.remove-memberships',
    'projects.replace-bindings',
    'team-projects.update',
    'agent-pools.update',
    'ssh-keys.update',
    'oauth-clients.update',
    'workload-identities.update',
  ],
  'the entry is written when the cleanup has finished the deletion': [
    'teams.delete',
    'projects.delete',
    'agent-pools.delete',
    'ssh-keys.delete',
    'oauth-clients.delete',
    'workload-identities.delete',
  ],
  'a user and the tokens of a user belong to no organization': [
    'users.update-account',
    'user-tokens.create',
    'oauth2.consent',
    'oauth2.show-device',
    'oauth2.decide-device',
    'oauth2.device',
    'tokens.delete',
  ],
  'its entry is that of the membership of the user, which a test of its own checks': ['sessions.delete'],
  'it creates nothing': ['workload-identities.test'],
  'a bulk job has one entry, which tests of its own check': [
    'bulk-jobs.create',
    'bulk-jobs.apply',
    'bulk-jobs.cancel',
    'bulk-jobs.retry',
  ],
  'it takes an identity token, or the token of a pipeline, with entries that tests of their own check': [
    'oauth2.token',
    'oauth2.revoke',
  ],
  'it takes a cookie or a token of an identity provider, with entries that tests of their own check': [
    'sign-in.session',
    'sign-in.link',
    'sign-in.end',
    'sign-in.logout',
  ],
};
const exceptions: ReadonlySet<RouteId> = new Set(Object.values(withoutEntry).flat());

const writing = routeIds.filter((id) => routes[id].method !== 'GET' && !exceptions.has(id));

let testbed: Testbed;
let preparation: ReturnType<typeof createPreparation>;
let history: Awaited<ReturnType<typeof followHistory>>;
beforeAll(async () => {
  testbed = await startTestbed();
  preparation = createPreparation(testbed.own);
  history = await followHistory(testbed.api);
});
afterAll(() => testbed.stop());

/** Returns the ids of the requests that have an entry. */
const recordedRequests = async (): Promise<ReadonlySet<string>> => {
  await history.record();
  const requests = new Set<string>();
  for await (const { ty, request } of scanItems(testbed.api.engine.database))
    if (ty === 'history-entry') requests.add(String(request));
  return requests;
};

describe('every operation that can write, but for those with a reason,', () => {
  it.each(writing)('%s leaves an entry in the history', async (route) => {
    const sent: (string | undefined)[] = [];
    for (const sample of samplesFor(route)) {
      const { reply } = await attempt(testbed, preparation, sample.by ?? 'an owner', route, [sample]);
      expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
      sent.push(testbed.api.lastRequest());
      preparation.end(reply);
    }
    const recorded = await recordedRequests();
    const missing = sent.filter((request) => !recorded.has(request ?? ''));
    // A sample may set what is set already, but not every sample of an operation.
    expect(missing.length).toBeLessThan(sent.length);
  });
});
