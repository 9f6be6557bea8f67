import { afterAll, beforeAll, expect, it } from 'vitest';
import { prefixes } from '../../../shared/domain/ids.ts';
import { documentOf, routeIdsOf } from '../../../shared/openapi/document.ts';
import type { Schema } from '../../../shared/openapi/page/schema.ts';
import { BASE_PATH } from '../../../shared/routes/api.ts';
import { type RouteId, routes } from '../../../shared/routes/index.ts';
import { exampleId } from '../../../shared/schemas/schema.ts';
import { startTestbed, type Testbed } from '../../support/foreign-identifiers/organizations.ts';
import { type IdentifierKind, runCommand } from '../../support/foreign-identifiers/resources.ts';
import { type SampleContext, samplesFor } from '../../support/foreign-identifiers/samples.ts';
import { attempt, createPreparation } from '../../support/foreign-identifiers/suite.ts';

/** Sends the body that `/docs` shows for each operation. Only ids and names that are taken are replaced. */
let testbed: Testbed;
let preparation: ReturnType<typeof createPreparation>;
beforeAll(async () => {
  testbed = await startTestbed();
  preparation = createPreparation(testbed.own);
  await runCommand(testbed, 'create-user', { username: 'grace', email: 'grace@example.net' });
  await runCommand(testbed, 'add-member', { organization: 'acme', username: 'grace' });
});
afterAll(() => testbed.stop());

/** Other requests, of OAuth 2.0 and of sign-in, contain secrets, which tests of their own create. */
const isOfApi = (route: RouteId): boolean => routes[route].path.startsWith(BASE_PATH);

const document = documentOf('self-hosted');
/** Each operation with each example of its body. The one that changes the account of the owner is the last. */
const bodies = Object.values(document.paths)
  .flatMap(Object.values)
  .flatMap(({ operationId, requestBody }): [RouteId, unknown][] => {
    const [content] = Object.values<{ schema: { $ref: string } }>(requestBody?.content ?? {});
    const route: RouteId = operationId;
    if (content === undefined || !isOfApi(route)) return [];
    const schema: Pick<Schema, 'examples'> =
      document.components.schemas[content.schema.$ref.split('/').at(-1) ?? ''] ?? {};
    return (schema.examples ?? []).map((example) => [route, example]);
  })
  .sort(([one], [other]) => Number(one === 'users.update-account') - Number(other === 'users.update-account'));

it('every operation with a body has an example of it', () => {
  const withBody = routeIdsOf('self-hosted').filter((id) => 'body' in routes[id] && isOfApi(id));
  expect([...new Set(bodies.map(([id]) => id))].sort()).toEqual([...withBody].sort());
});

const kinds: Readonly<Record<string, IdentifierKind>> = {
  [exampleId(prefixes.workspace)]: 'workspace id',
  [exampleId(prefixes.project)]: 'project id',
  [exampleId(prefixes.team)]: 'team id',
  [exampleId(prefixes.membership)]: 'membership id',
  [exampleId(prefixes.sshKey)]: 'SSH key id',
};

/** Replaces the ids of an example: by those at the same place of a body that succeeds, or by any of their kind. */
const withIds = async (example: unknown, working: unknown, { get }: SampleContext): Promise<unknown> => {
  const at = (value: unknown, key: string) => (value as Record<string, unknown> | undefined)?.[key];
  const replaced = async (value: unknown, other: unknown): Promise<unknown> => {
    if (Array.isArray(value)) return Promise.all(value.map((it, index) => replaced(it, at(other, String(index)))));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(
        await Promise.all(Object.entries(value).map(async ([key, it]) => [key, await replaced(it, at(other, key))])),
      );
    if (typeof value !== 'string' || !value.endsWith(exampleId(''))) return value;
    return other ?? (await get(kinds[value] as IdentifierKind));
  };
  return replaced(example, working);
};

let sent = 0;

/** Makes the name of a resource unique, because several operations have the same example. */
const withUniqueName = (body: unknown): unknown => {
  sent += 1;
  return JSON.parse(JSON.stringify(body).replace(/(?<="attributes":\{"(?:name|username|key)":"\w+)/, `-${sent}`));
};

it.each(bodies)('the example of the body of %s is accepted', async (route, example) => {
  const [sample] = samplesFor(route);
  const body = async (own: SampleContext) => withUniqueName(await withIds(example, await sample.body?.(own), own));
  const { reply } = await attempt(testbed, preparation, sample.by ?? 'an owner', route, [{ ...sample, body }]);
  preparation.end(reply);
  expect(reply.status, JSON.stringify(reply.body)).toBe(routes[route].status);
});
