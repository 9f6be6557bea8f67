import { describe } from 'vitest';
import {
  advanceClock,
  type BudgetedOperation,
  type BudgetFixture,
  describeBudgets,
  ORGANIZATION,
  onWorkspace,
  useBudgetFixtures,
  workspaceBody,
} from '../../support/budgets/budgets.ts';

const TAGS = '/relationships/tags';
const ORGANIZATION_TAGS = `/organizations/${ORGANIZATION}/tags`;
const data = (...names: readonly string[]) => ({ data: names.map((name) => ({ type: 'tags', attributes: { name } })) });
const many = Array.from({ length: 40 }, (_, index) => `environment:${index}`);
const bindings = () => ({ data: [{ type: 'tag-bindings', attributes: { key: 'env', value: 'prod' } }] });
const addTags =
  (...names: readonly string[]) =>
  (path: string, { request }: BudgetFixture) =>
    request('POST', path + TAGS, data(...names));
/**
 * Loads the list index first, so that only later changes are counted. The clock stops: after five seconds, the index would
 * read all changes of the last half minute again.
 */
const warm = async (path: string, fixture: BudgetFixture) => {
  await addTags('app', 'env')(path, fixture);
  advanceClock(0);
  await fixture.request('GET', path + TAGS);
};
/** The list of the organization has 4 shards, and each costs half a unit. */
const DELTA = 4 * 0.5;

/** Names a tag of another workspace by its id, which the list index has, at the same time as in `warm`. */
const byId =
  (method: string, path: (id: string, tag: string) => string, body: (id: string, tag: string) => object) =>
  async (name: string, fixture: BudgetFixture) => {
    const other = `/workspaces/${await fixture.create(`${name}-other`)}`;
    await addTags(name)(other, fixture);
    const id = await fixture.create(name);
    advanceClock(0);
    const [tag] = (await fixture.request('GET', other + TAGS)).body.data;
    return () => fixture.request(method, path(id, tag.id), body(id, tag.id));
  };

const operations: readonly BudgetedOperation[] = [
  {
    name: 'list tags',
    status: 200,
    budget: { rounds: 2, read: 3 + DELTA, write: 0 },
    prepare: onWorkspace('GET', TAGS, undefined, warm),
  },
  {
    name: 'add tags',
    status: 204,
    budget: { rounds: 3, read: 3, write: 2 + 2 },
    prepare: onWorkspace('POST', TAGS, () => data('app', 'env')),
  },
  {
    // The maximum number of tags in one write. Only the workspace and its row grow.
    name: 'add 40 tags',
    status: 204,
    budget: { rounds: 3, read: 3, write: 4 + 4 },
    prepare: onWorkspace('POST', TAGS, () => data(...many)),
  },
  {
    name: 'add existing tags',
    status: 204,
    budget: { rounds: 2, read: 3, write: 0 },
    prepare: onWorkspace('POST', TAGS, () => data('app', 'env'), addTags('app', 'env')),
  },
  {
    name: 'add a tag by its id',
    status: 204,
    budget: { rounds: 3, read: 3 + DELTA, write: 2 + 2 },
    prepare: byId(
      'POST',
      (id) => `/workspaces/${id}${TAGS}`,
      (_, tag) => ({ data: [{ type: 'tags', id: tag }] }),
    ),
  },
  {
    name: 'remove tags',
    status: 204,
    budget: { rounds: 3, read: 3, write: 2 + 2 },
    prepare: onWorkspace('DELETE', TAGS, () => data('app', 'env'), addTags('app', 'env')),
  },
  {
    name: 'list bindings',
    status: 200,
    budget: { rounds: 2, read: 3, write: 0 },
    prepare: onWorkspace('GET', '/tag-bindings'),
  },
  {
    name: 'list effective bindings',
    status: 200,
    budget: { rounds: 2, read: 3, write: 0 },
    prepare: onWorkspace('GET', '/effective-tag-bindings'),
  },
  {
    name: 'add bindings',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 + 2 },
    prepare: onWorkspace('PATCH', '/tag-bindings', bindings),
  },
  {
    name: 'replace bindings',
    status: 204,
    budget: { rounds: 3, read: 3, write: 2 + 2 },
    prepare: onWorkspace('PATCH', '/relationships/tag-bindings', bindings),
  },
  {
    name: 'create with tags',
    status: 201,
    budget: { rounds: 3, read: 4, write: 7 },
    prepare: async (name, { request, projects }) => {
      const { data: created } = workspaceBody({ name }, projects[0]);
      const relationships = { ...created.relationships, tags: data('app', 'env'), 'tag-bindings': bindings() };
      return () =>
        request('POST', `/organizations/${ORGANIZATION}/workspaces`, { data: { ...created, relationships } });
    },
  },
  {
    name: 'update bindings',
    status: 200,
    budget: { rounds: 3, read: 3, write: 2 + 2 },
    prepare: onWorkspace('PATCH', '', () => ({
      data: { type: 'workspaces', relationships: { 'tag-bindings': bindings() } },
    })),
  },
  {
    name: "list the organization's tags",
    status: 200,
    budget: { rounds: 2, read: 1.5 + DELTA, write: 0 },
    prepare: async (name, fixture) => {
      await onWorkspace('GET', TAGS, undefined, warm)(name, fixture);
      return () => fixture.request('GET', ORGANIZATION_TAGS);
    },
  },
  {
    name: 'add a tag to a workspace',
    status: 204,
    budget: { rounds: 4, read: 3 + DELTA, write: 2 + 2 },
    prepare: byId(
      'POST',
      (_, tag) => `/tags/${tag}/relationships/workspaces`,
      (id) => ({ data: [{ type: 'workspaces', id }] }),
    ),
  },
];

describe('DynamoDB usage of tag operations', () => {
  describeBudgets(useBudgetFixtures(), operations);
});
