import type { RouteId } from '../../../shared/routes/index.ts';
import type { Column, Trial } from './matrix.ts';
import type { World } from './matrix-world.ts';

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
  const make = async (world: World): Promise<string> => {
    const { body } = await world.sendAsOwner(route('create'), { body: document(attributes(`kept-${++made}`)) });
    return body.data.id;
  };
  const one = (world: World): Promise<string> => world.createOnce(routes, () => make(world));
  const on =
    (request: object = {}) =>
    async ({ world, send }: Trial) =>
      send({ parameters: { [parameter]: await one(world) }, ...request });
  const all = async ({ world }: Trial): Promise<readonly string[]> => {
    const { body } = await world.sendAsOwner(route('list'));
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
