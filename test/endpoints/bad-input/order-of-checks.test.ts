import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mintToken } from '../../../shared/access/credentials.ts';
import { limits } from '../../../shared/domain/limits.ts';
import { CACHED } from '../../support/api/api.ts';
import {
  createOrganizationFixture,
  type OrganizationFixture,
  type Workspace,
} from '../../support/api/organization-fixture.ts';

/** The order in which faults of one request are reported (HTTP-11): every pair of faults is sent in one request. */
let fixture: OrganizationFixture;
let workspace: Workspace;

beforeAll(async () => {
  fixture = await createOrganizationFixture(CACHED);
  await fixture.createWorkspace({ name: 'taken' });
  workspace = await fixture.createWorkspace({ name: 'subject' });
});
afterAll(() => fixture.api.stop());

const UNKNOWN_WORKSPACE = 'ws-CvpbqPPtsWSnyrTk';

/** Parts of a request, each of which can have one fault. */
interface Parts {
  readonly token: string;
  readonly path: string;
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly type: string;
  readonly attributes: object;
  /** Text after the JSON document. */
  readonly end: string;
}

/** A fault: the part of the request that has it, and the status of the response if there is no other fault. */
interface Fault {
  readonly name: string;
  readonly part: string;
  readonly status: number;
  readonly into: (parts: Parts) => Partial<Parts>;
}

const fault = (name: string, part: string, status: number, into: Fault['into']): Fault => ({
  name,
  part,
  status,
  into,
});
const header = (name: string, value: string, status: number, part = name): Fault =>
  fault(`${name}: ${value}`, part, status, ({ headers }) => ({ headers: { ...headers, [name]: value } }));
const parameter = (text: string): Fault =>
  fault(text, `query ${text}`, 400, ({ query }) => ({ query: [...query, text] }));

const malformedToken = fault('malformed token', 'token', 401, () => ({ token: 'hfu_none' }));
const unknownToken = fault('unknown token', 'token', 401, () => ({ token: mintToken('user') }));
const vocabulary = header('holdfast-vocabulary', 'klingon', 400);

/** Faults of an update of a workspace, in the order in which they are reported. */
const faultsOfUpdate: readonly Fault[] = [
  malformedToken,
  header('idempotency-key', '"', 400),
  vocabulary,
  header('if-match', 'none', 400),
  parameter('dry_run=true'),
  fault('large body', 'size', 413, ({ end }) => ({ end: end + ' '.repeat(limits.body) })),
  header('content-type', 'text/plain', 415),
  fault('invalid JSON', 'JSON', 400, ({ end }) => ({ end: `}${end}` })),
  fault('invalid type', 'type', 422, () => ({ type: 'vars' })),
  unknownToken,
  fault('unknown workspace', 'path', 404, () => ({ path: `/workspaces/${UNKNOWN_WORKSPACE}` })),
  header('if-match', '"0000000000000000"', 412),
  fault('taken name', 'name', 422, () => ({ attributes: { name: 'taken' } })),
];

/** Faults of a list of workspaces, in the order in which they are reported. */
const faultsOfList: readonly Fault[] = [
  malformedToken,
  vocabulary,
  header('if-match', '*', 400),
  parameter('include=nothing'),
  parameter('filter[color]=red'),
  unknownToken,
  fault('unknown organization', 'path', 404, () => ({ path: '/organizations/nobody/workspaces' })),
];

const send = async (method: string, whole: Parts, faults: readonly Fault[]) => {
  let parts = whole;
  for (const { into } of faults) parts = { ...parts, ...into(parts) };
  const { token, path, query, headers, type, attributes, end } = parts;
  const body = method === 'GET' ? undefined : JSON.stringify({ data: { type, attributes } }) + end;
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`;
  const { status, body: document } = await fixture.api.request(method, target, { token, body, headers });
  return { status, errors: document.errors };
};

const pairsOf = (faults: readonly Fault[]): (readonly [Fault, Fault])[] =>
  faults.flatMap((earlier, index) =>
    faults
      .slice(index + 1)
      .filter(({ part }) => part !== earlier.part)
      .map((later) => [earlier, later] as const),
  );

describe('a request with two faults', () => {
  it.each<[what: string, method: string, path: () => string, faults: readonly Fault[]]>([
    ['an update of a workspace', 'PATCH', () => `/workspaces/${workspace.id}`, faultsOfUpdate],
    ['a list of workspaces', 'GET', () => '/organizations/acme/workspaces', faultsOfList],
  ])('gets the error of the check that comes first: %s', async (_, method, path, faults) => {
    const whole: Parts = {
      token: fixture.owner,
      path: path(),
      query: [],
      headers: {},
      type: 'workspaces',
      attributes: { description: 'd' },
      end: '',
    };
    const alone = new Map<Fault, Awaited<ReturnType<typeof send>>>();
    for (const one of faults) {
      const response = await send(method, whole, [one]);
      expect(response.status, one.name).toBe(one.status);
      alone.set(one, response);
    }
    for (const [earlier, later] of pairsOf(faults)) {
      expect
        .soft(await send(method, whole, [earlier, later]), `${earlier.name}, and ${later.name}`)
        .toEqual(alone.get(earlier));
    }
    expect(await fixture.show(workspace)).toMatchObject({ name: 'subject', description: null });
  });

  it('gets 404 for an unknown team before the attributes are validated', async () => {
    const update = (body: unknown) =>
      fixture.api.request('PATCH', '/teams/team-CvpbqPPtsWSnyrTk', { token: fixture.owner, body });
    expect((await update({ data: { type: 'teams', attributes: { name: 5 } } })).status).toBe(404);
    expect((await update('{')).status).toBe(400);
  });
});
