import type { RouteId } from '../../../shared/routes/index.ts';
import type { Column, Trial } from './matrix.ts';
import type { Testbed } from './testbed.ts';

/** Kind of organization record with the names of its routes, path parameter and attributes. */
interface RecordKind {
  readonly routes: 'agent-pools' | 'ssh-keys' | 'oauth-clients';
  readonly parameter: string;
  readonly attributes: (name: string) => object;
}

let made = 0;

/** Builds the columns of a record kind. Requests use a record that an owner has created. */
export const recordColumns = ({ routes, parameter, attributes }: RecordKind) => {
  const route = (operation: string) => `${routes}.${operation}` as RouteId;
  const document = (given: object) => ({ data: { type: routes, attributes: given } });
  const make = async (testbed: Testbed): Promise<string> => {
    const { body } = await testbed.sendAsOwner(route('create'), { body: document(attributes(`kept-${++made}`)) });
    return body.data.id;
  };
  const one = (testbed: Testbed): Promise<string> => testbed.createOnce(routes, () => make(testbed));
  const on =
    (request: object = {}) =>
    async ({ testbed, send }: Trial) =>
      send({ parameters: { [parameter]: await one(testbed) }, ...request });
  const all = async ({ testbed }: Trial): Promise<readonly string[]> => {
    const { body } = await testbed.sendAsOwner(route('list'));
    return body.data.map(({ id }: { id: string }) => id);
  };
  const columns = {
    list: { routes: [route('list')], seenBy: 'members', shows: { all } },
    show: { routes: [route('show')], seenBy: 'members', attempt: on() },
    create: {
      routes: [route('create')],
      seenBy: 'members',
      attempt: ({ send }) => send({ body: document(attributes(`made-${++made}`)) }),
    },
    update: { routes: [route('update')], seenBy: 'members', attempt: on({ body: document({}) }) },
    delete: { routes: [route('delete')], seenBy: 'members', attempt: on() },
  } as const satisfies Record<string, Column>;
  return { columns, one };
};
