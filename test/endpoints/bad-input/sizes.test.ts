import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CACHED } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  ORGANIZATION,
  type OrganizationFixture,
  readAttributes,
  type Workspace,
} from '../../support/api/organization-fixture.ts';
import { expectRejection } from '../../support/models/arbitraries/arbitraries-checks.ts';

/** Workspaces of the maximum size. A page of them exceeds the response size limit. */
let fixture: OrganizationFixture;
const workspaces: Workspace[] = [];

/** A character of four bytes, because attribute limits count characters and the response limit counts bytes. */
const longest = {
  description: '💥'.repeat(1_000),
  'trigger-patterns': Array.from({ length: 100 }, () => '💥'.repeat(255)),
};
const WORKSPACES = 60;
/** Lambda rejects responses of more than 6 MB, and the client would get a 500 from AWS. */
const MOST_BYTES = 5_000_000;

beforeAll(async () => {
  fixture = await createOrganizationFixture(CACHED);
  for (let made = 0; made < WORKSPACES; made++) workspaces.push(await fixture.createWorkspace(longest));
});
afterAll(() => fixture.api.stop());

const list = (size: number) =>
  fixture.api.request('GET', `/organizations/${ORGANIZATION}/workspaces?page[size]=${size}`, { token: fixture.owner });

describe('workspaces of the maximum size', () => {
  it('are stored and returned completely', async () => {
    const [first] = workspaces;
    if (first) expect(await fixture.show(first)).toMatchObject(longest);
  });

  it('are returned on a page that fits into the response size limit', async () => {
    const { status, body } = await list(20);
    expect(status).toBe(200);
    expect(body.data).toHaveLength(20);
    for (const { attributes } of body.data) expect(attributes).toMatchObject(longest);
  });

  it('return 422 naming page[size] when a page exceeds the response size limit', async () => {
    const reply = await list(100);
    expect(Buffer.byteLength(JSON.stringify(reply.body)), 'bytes of the response').toBeLessThan(MOST_BYTES);
    expectRejection(reply);
    expect(reply.status).toBe(422);
    expect(reply.body.errors[0].detail).toContain('page[size]');
  });

  it('can be locked, updated and deleted', async () => {
    const [, second] = workspaces;
    if (second === undefined) return;
    const locked = await fixture.api.request('POST', `/workspaces/${second.id}/actions/lock`, { token: fixture.owner });
    expect(readAttributes(locked)).toMatchObject({ ...longest, locked: true });
    expect(readAttributes(await fixture.update(second, { description: 'short' }))['trigger-patterns']).toHaveLength(
      100,
    );
    const gone = await fixture.api.request('DELETE', `/workspaces/${second.id}`, { token: fixture.owner });
    expect(gone.status).toBe(204);
  });
});
