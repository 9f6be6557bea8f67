import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tags } from '../../../shared/domain/tags/tag.ts';
import type { Lock } from '../../../shared/domain/workspace/workspace-record.ts';
import { type Api, startApi } from '../../support/api/api.ts';
import { newWorkspace } from '../../support/api/new-workspace.ts';
import { seedWorkspaces } from '../../support/api/seed-workspaces.ts';
import { expectRejection } from '../../support/models/arbitraries/arbitraries-checks.ts';
import {
  expectedRows,
  type ModelProject,
  type ModelQuery,
  type ModelRow,
  modelQuery,
  modelRow,
  spell,
} from '../../support/models/lists/list-model.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/**
 * Searches, filters and orders of the workspace list, alone and combined, for callers who can read all or some rows.
 */
const LIST = '/organizations/acme/workspaces';
const ROWS = 60;

let api: Api;
let rows: ModelRow[];
let projects: ModelProject[];
/** Tokens and their teams. A caller without teams reads everything. */
let callers: { readonly token: string; readonly teams: readonly string[] | undefined }[];
let owner: string;

const stored = (tags: Readonly<Record<string, string | null>>): Tags =>
  Object.entries(tags).map(([key, value]) => ({ key, ...(value !== null && { value }), at: 1 }));

beforeAll(async () => {
  api = await startApi();
  const admin = async (command: string, parameters: object) =>
    api.admin(command, { organization: 'acme', ...parameters });
  ({ token: owner } = await api.admin('create-organization', { name: 'acme', email: 'ada@example.com' }));

  projects = [];
  const bindings = [{}, { env: 'prod', team: 'dev' }, { env: 'dev', Env: 'prod' }];
  for (const [index, tags] of bindings.entries()) {
    const tagBindings = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
    const { project } = await admin('create-project', { name: `project-${index}`, tagBindings: tagBindings.join() });
    const defaults = { defaultExecutionMode: null, defaultDeletionProtection: null };
    projects.push({ id: project.id, bindings: tags, ...defaults, teams: index === 1 ? ['team-a'] : [] });
  }
  const ids: Record<string, string> = {};
  callers = [{ token: owner, teams: undefined }];
  for (const teams of [['team-a'], ['team-b'], ['team-a', 'team-b'], ['nobody']]) {
    const username = `user-${teams.join('-')}`;
    await api.admin('create-user', { username, email: `${username}@example.com` });
    for (const name of teams) {
      ids[name] ??= (await admin('create-team', { name })).team.id;
      await admin('add-member', { team: name, username });
    }
    const { token } = await api.admin('create-token', { kind: 'user', username });
    callers.push({ token, teams });
  }
  await admin('grant-access', { team: 'team-a', project: 'project-1', access: 'write' });

  const names = new Set<string>();
  const models = fc
    .sample(modelRow(projects.map(({ id }) => id)), { numRuns: ROWS * 3, seed: 7 })
    .filter(({ name }) => !names.has(name) && names.add(name))
    .slice(0, ROWS);
  const seeded = await seedWorkspaces(
    api.engine,
    models.map(({ teams, tags, runStatus, runAt, lockedBy, lockedAt, ...row }) => {
      const { executionMode, deletionProtection, infraVersion, importedFrom, ...model } = row;
      const lock: Lock | undefined =
        lockedBy === null || lockedAt === null
          ? undefined
          : { id: 'lock-1', kind: 'User', by: lockedBy, name: 'ada', reason: '', at: lockedAt };
      return {
        ...model,
        ...(lock && { lock, fence: 1 }),
        settings: {
          ...newWorkspace({ organization: 'acme', ...model }, model).settings,
          executionMode,
          deletionProtection,
          infraVersion,
          ...(importedFrom && { importedFrom }),
        },
        overwrites: { executionMode: executionMode !== null, agentPool: false },
        organization: 'acme',
        tags: stored(tags),
        access: Object.fromEntries(teams.map((team) => [ids[team], 'read'])),
        ...(runStatus !== null && { runStatus }),
        ...(runAt !== null && { runAt }),
      };
    }),
  );
  rows = models.map((model, index) => ({ ...model, id: seeded[index]?.id ?? '' }));
});
afterAll(() => api.stop());

const list = (query: string, token = owner) => api.request('GET', `${LIST}?${query}`, { token });
const getNames = (body: { data: { attributes: { name: string } }[] }): string[] =>
  body.data.map(({ attributes }) => attributes.name);
const expectedNames = (query: ModelQuery, teams?: readonly string[]): string[] =>
  expectedRows(rows, projects, query, teams).map(({ name }) => name);
const expectedCounts = (query: ModelQuery, teams?: readonly string[]): Record<string, number> => {
  const found = expectedRows(rows, projects, query, teams);
  const counts: Record<string, number> = { total: found.length };
  for (const { runStatus } of found) if (runStatus !== null) counts[runStatus] = (counts[runStatus] ?? 0) + 1;
  return counts;
};

describe('GET /organizations/:name/workspaces', () => {
  it('returns the same pages as the plain model for every caller, filter and order', async () => {
    const query = modelQuery(projects.map(({ id }) => id));
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.nat({ max: 4 }),
        fc.constantFrom(1, 3, 7, 20, 100),
        fc.boolean(),
        async (wanted, who, size, encoded) => {
          const { token, teams } = callers[who] ?? { token: owner, teams: undefined };
          const expected = expectedNames(wanted, teams);
          const seen: string[] = [];
          let link: string | null = `/api/v2${LIST}?${spell(wanted, encoded)}&page[size]=${size}`;
          for (let number = 1; link !== null && number <= 4; number++) {
            const { status, body }: Awaited<ReturnType<typeof list>> = await api.request('GET', link, { token });
            expect(status).toBe(200);
            expect(body.meta.pagination).toEqual({
              'current-page': number,
              'page-size': size,
              'prev-page': number === 1 ? null : number - 1,
              'next-page': number * size < expected.length ? number + 1 : null,
              'total-pages': Math.max(1, Math.ceil(expected.length / size)),
              'total-count': expected.length,
            });
            expect(body.meta['status-counts']).toEqual(expectedCounts(wanted, teams));
            seen.push(...getNames(body));
            const next: URL | null = URL.parse(body.links.next);
            link = next && next.pathname + next.search;
          }
          expect(seen).toEqual(expected.slice(0, 4 * size));
        },
      ),
      bounded(30),
    );
  });

  it('returns each workspace exactly once over all pages', async () => {
    for (const { token, teams } of callers) {
      for (const sort of [
        'name',
        '-name',
        'current-run.created-at',
        '-current-run.created-at',
        '-latest-change-at',
        'locked-at',
        '-locked-at',
      ]) {
        const seen: string[] = [];
        const expected = expectedNames({ sort }, teams);
        for (let number = 1; number <= Math.ceil(expected.length / 9); number++) {
          seen.push(...getNames((await list(`sort=${sort}&page[size]=9&page[number]=${number}`, token)).body));
        }
        expect(seen, sort).toEqual(expected);
      }
    }
  });

  it('returns an empty list to a caller who cannot read any workspace', async () => {
    const { token } = callers[4] ?? { token: '' };
    for (const query of ['', `filter[project][id]=${projects[1]?.id}`, 'search[tags]=env', 'search[name]=a']) {
      expect(await list(query, token)).toMatchObject({ status: 200, body: { data: [] } });
    }
  });

  it('keeps searches and filters in its links', async () => {
    const query = 'search[name]=a&search%5Btags%5D=env&filter[tagged][0][key]=team&sort=-name&other=x%26y';
    const { body } = await list(`${query}&page[size]=1`);
    for (const link of Object.values(body.links).filter((it) => it !== null)) {
      const { searchParams } = new URL(String(link));
      for (const [name, value] of new URLSearchParams(query)) expect(searchParams.getAll(name)).toEqual([value]);
    }
  });
});

describe('filter[project][id]', () => {
  it('returns the same empty list for a project that is unknown, hidden, of another organization, or not an id', async () => {
    await api.admin('create-organization', { name: 'other', email: 'eve@example.com' });
    const { project: foreign } = await api.admin('create-project', { organization: 'other', name: 'Foreign' });
    const [, , hidden] = projects;
    const { token } = callers[4] ?? { token: '' };
    const responses = await Promise.all(
      [foreign.id, hidden?.id, 'prj-1111111111111111', 'no-such-id', '%00', '__proto__'].map(async (id) => {
        const { body, status } = await list(`filter[project][id]=${id}`, token);
        return JSON.stringify({ body, status }).replaceAll(encodeURIComponent(decodeURIComponent(id)), '');
      }),
    );
    expect(new Set(responses).size).toBe(1);
    expect((await list(`filter[project][id]=${foreign.id}`)).body.data).toEqual([]);
  });
});

describe('query parameters of the workspace list', () => {
  it.each<[query: string, same: ModelQuery]>([
    ['search[tags]=', {}],
    ['search[tags]=,%20,', {}],
    ['search[tags]=%20env%20,,team', { tags: ['env', 'team'] }],
    ['search[tags]=env&search[tags]=team', { tags: ['env', 'team'] }],
    ['search%5Bexclude-tags%5D=env&search[exclude-tags]=team', { excludedTags: ['env', 'team'] }],
    ['search[exclude-tags]=', {}],
    ['search[name]=&search[wildcard-name]=', {}],
    ['search[name]=A&search[name]=B', { wildcard: '*', name: 'ab' }],
    ['filter[current-run][status]=', {}],
    ['filter[current-run][status]=applied&filter[current-run][status]=planned', { statuses: ['applied', 'planned'] }],
    ['filter[tagged][0][key]=', {}],
    ['filter[tagged][9][key]=env&filter[tagged][9][value]=', { tagged: [{ key: 'env' }] }],
    ['filter[tagged][1][value]=prod&filter[tagged][1][key]=env', { tagged: [{ key: 'env', value: 'prod' }] }],
    ['filter[tagged][0][key]=env&filter[tagged][0][key]=team', { tagged: [{ key: 'env' }, { key: 'team' }] }],
    ['filter[locked]=&filter[execution-mode]=,', {}],
    ['filter[locked]=true&filter[locked]=true', { locked: true }],
    ['filter[execution-mode]=local&filter[execution-mode]=agent', { modes: ['local', 'agent'] }],
    ['filter=z&search', {}],
    ['sort=', {}],
  ])('select the expected workspaces for the query %s', async (query, same) => {
    const { body } = await list(`${query}&page[size]=100`);
    const expected = query.includes('=A&')
      ? expectedNames({}).filter((name) => /a/i.test(name) && /b/i.test(name))
      : expectedNames(same);
    expect(getNames(body)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  });

  const many = (of: (index: number) => string) => Array.from({ length: 101 }, (_, index) => of(index)).join('&');
  it.each([
    ['search[name]', `search[name]=${'a'.repeat(257)}`],
    ['search[wildcard-name]', `search[wildcard-name]=${'*'.repeat(257)}`],
    ['search[tags]', `search[tags]=${'a'.repeat(257)}`],
    ['search[tags]', many((index) => `search[tags]=t${index}`)],
    ['search[exclude-tags]', `search[exclude-tags]=${many((index) => `t${index}`).replaceAll('&', ',')}`],
    ['filter[project][id]', `filter[project][id]=${'a'.repeat(257)}`],
    ['filter[current-run][status]', many((index) => `filter[current-run][status]=s${index}`)],
    ['filter[tagged][3][key]', `filter[tagged][3][key]=${'a'.repeat(257)}`],
    ['filter[tagged][3][value]', `filter[tagged][3][key]=a&filter[tagged][3][value]=${'a'.repeat(257)}`],
    ['filter[tagged][3][value]', 'filter[tagged][3][value]=a'],
    ['filter[tagged]', many((index) => `filter[tagged][${index}][key]=a`)],
    ['filter[locked]', 'filter[locked]=yes'],
    ['filter[locked-by][id]', `filter[locked-by][id]=${'a'.repeat(257)}`],
    ['filter[execution-mode]', 'filter[execution-mode]=local,manual'],
    ['filter[infra-version]', `filter[infra-version]=${'1'.repeat(257)}`],
    ['filter[deletion-protection]', 'filter[deletion-protection]=1'],
    ['sort', 'sort=created-at'],
  ])('return 400 naming %s when its value exceeds a limit or is not allowed', async (parameter, query) => {
    const reply = await list(query);
    expectRejection(reply);
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ status: '400', source: { parameter } }] } });
  });

  it('match special characters literally', async () => {
    for (const text of ['%25', '_%25', '(', '[a-z]', '.%2A', '%00', '%F0%9F%92%A5', '__proto__', 'constructor']) {
      for (const parameter of [
        'search[name]',
        'search[tags]',
        'filter[tagged][0][key]',
        'filter[current-run][status]',
      ]) {
        expect(await list(`${parameter}=${text}`)).toMatchObject({ status: 200, body: { data: [] } });
      }
    }
  });
});
