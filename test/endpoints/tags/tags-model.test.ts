import { fc } from '@fast-check/vitest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { limits } from '../../../shared/domain/limits.ts';
import { type Api, type ApiResponse, startApi } from '../../support/api/api.ts';
import { TagModel, type TagStep, tagSteps } from '../../support/models/tag-model.ts';
import { bounded } from '../../support/setup/run-budget.ts';

/** Applies random sequences of tag requests and compares tags, bindings and counts with the model. */
let api: Api;
let token: string;
const organization = 'acme';

beforeAll(async () => {
  api = await startApi();
  ({ token } = await api.admin('create-organization', { name: organization, email: 'ada@example.com' }));
});
afterAll(async () => {
  expect((await api.admin('check-table')).findings).toEqual([]);
  await api.stop();
});

const send = (method: string, path: string, data?: unknown): Promise<ApiResponse> =>
  api.request(method, path, { token, ...(data !== undefined && { body: { data } }) });

/** More keys than a workspace may have bindings. Together with the initial tags, more than it may have flat tags. */
const words = Array.from({ length: 14 }, (_, index) => `w${index}`);
const initial = Array.from({ length: 32 }, (_, index) => `i${index}`);

/** Form of the request for a step: which path it uses, and whether it names tags by id where they have one. */
const shape = fc.record({ workspace: fc.nat({ max: 1 }), variant: fc.nat({ max: 2 }), byId: fc.boolean() });
type Shape = typeof shape extends fc.Arbitrary<infer S> ? S : never;
type Action =
  | { readonly kind: 'step'; readonly step: TagStep; readonly shape: Shape }
  | { readonly kind: 'erase' | 'spread'; readonly name: string };
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('step' as const), step: tagSteps(words), shape }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('erase' as const, 'spread' as const),
      name: fc.constantFrom(...words),
    }),
  },
);

interface Workspace {
  readonly id: string;
  readonly model: TagModel;
}

let createdCount = 0;
const create = async (tags: readonly string[]): Promise<Workspace> => {
  const { body } = await send('POST', `/organizations/${organization}/workspaces`, {
    type: 'workspaces',
    attributes: { name: `w-${++createdCount}` },
    relationships: { tags: { data: tags.map((name) => ({ type: 'tags', attributes: { name } })) } },
  });
  return { id: body.data.id, model: new TagModel().take({ does: 'add', names: tags }, 0) };
};

/** Reads the ids of all tags of the organization, by name. */
const getTagIds = async (): Promise<ReadonlyMap<string, string>> => {
  const { body } = await send('GET', `/organizations/${organization}/tags?page[size]=100`);
  return new Map(
    body.data.map(({ id, attributes }: { id: string; attributes: { name: string } }) => [attributes.name, id]),
  );
};

const sendStep = async ({ id }: Workspace, step: TagStep, { variant, byId }: Shape): Promise<ApiResponse> => {
  if ('names' in step) {
    const ids = byId ? await getTagIds() : new Map<string, string>();
    const data = step.names.map((name) => ({ type: 'tags', id: ids.get(name) ?? '', attributes: { name } }));
    return send(step.does === 'add' ? 'POST' : 'DELETE', `/workspaces/${id}/relationships/tags`, data);
  }
  const data = step.given.map((attributes) => ({ type: 'tag-bindings', attributes }));
  const related = `/workspaces/${id}/relationships/tag-bindings`;
  if (step.does === 'bind') {
    return variant === 0 ? send('POST', related, data) : send('PATCH', `/workspaces/${id}/tag-bindings`, data);
  }
  return variant === 0
    ? send('PATCH', related, data)
    : send('PATCH', `/workspaces/${id}`, { type: 'workspaces', relationships: { 'tag-bindings': { data } } });
};

const isTooMuch = (model: TagModel): boolean => {
  const flat = model.flat().length;
  return flat > limits.tags || model.size - flat > limits.bindings;
};

const applyAction = async (
  workspaces: readonly Workspace[],
  one: Action,
  at: number,
): Promise<readonly Workspace[]> => {
  if (one.kind === 'step') {
    return Promise.all(
      workspaces.map(async (workspace, index) => {
        if (index !== one.shape.workspace) return workspace;
        const model = new TagModel(workspace.model).take(one.step, at);
        const isRejected = isTooMuch(model) || workspace.model.rejects(one.step);
        const { status, body } = await sendStep(workspace, one.step, one.shape);
        expect(status >= 300 ? status : 200, JSON.stringify(body)).toBe(isRejected ? 422 : 200);
        return isRejected ? workspace : { ...workspace, model };
      }),
    );
  }
  const id = (await getTagIds()).get(one.name);
  if (id === undefined) return workspaces;
  const step: TagStep = { does: one.kind === 'erase' ? 'remove' : 'add', names: [one.name] };
  const models = workspaces.map(({ model }) => new TagModel(model).take(step, at));
  const { status } =
    one.kind === 'erase'
      ? await send('DELETE', `/organizations/${organization}/tags`, [{ type: 'tags', id }])
      : await send(
          'POST',
          `/tags/${id}/relationships/workspaces`,
          workspaces.map((workspace) => ({ type: 'workspaces', id: workspace.id })),
        );
  const isRejected = models.some(isTooMuch) || workspaces.some(({ model }) => model.rejects(step));
  expect(status).toBe(isRejected ? 422 : 204);
  if (status === 422) return workspaces;
  return workspaces.map((workspace, index) => ({ ...workspace, model: models[index] as TagModel }));
};

interface TagResource {
  readonly attributes: {
    readonly name: string;
    readonly key: string;
    readonly value: string;
    readonly 'instance-count': number;
  };
}
const listed = async (path: string): Promise<readonly TagResource['attributes'][]> =>
  (await send('GET', `${path}?page[size]=100`)).body.data.map(({ attributes }: TagResource) => attributes);

const expectModelMatches = async (workspaces: readonly Workspace[]): Promise<void> => {
  const counts = new Map<string, number>();
  for (const name of workspaces.flatMap(({ model }) => model.flat())) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const { id, model } of workspaces) {
    const tags = await listed(`/workspaces/${id}/relationships/tags`);
    expect(tags.map(({ name }) => name)).toEqual(model.flat());
    for (const { name, 'instance-count': count } of tags) expect(count, name).toBe(counts.get(name));
    const bindings = await listed(`/workspaces/${id}/tag-bindings`);
    expect(bindings.map(({ key, value }) => [key, value])).toEqual(
      [...model].map(([key, { value }]) => [key, value ?? '']),
    );
    const { body } = await send('GET', `/workspaces/${id}`);
    expect(body.data.attributes['tag-names']).toEqual(model.flat());
  }
  const all = await listed(`/organizations/${organization}/tags`);
  expect(all.map(({ name, 'instance-count': count }) => [name, count])).toEqual(
    [...counts].sort(([a], [b]) => (a < b ? -1 : 1)),
  );
};

it('tags, bindings and counts match the model after every random request', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 4, maxLength: 10 }), async (actions) => {
      let workspaces: readonly Workspace[] = [await create(initial), await create([])];
      for (const [index, one] of actions.entries()) {
        workspaces = await applyAction(workspaces, one, index + 1);
        await expectModelMatches(workspaces);
      }
      for (const { id } of workspaces) await send('DELETE', `/workspaces/${id}`);
      await expectModelMatches([]);
    }),
    bounded(6),
  );
});
