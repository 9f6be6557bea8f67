import { apiRequest } from '../../../shared/client/request.ts';
import type { FiltersOf, InputOf, Schemas } from '../../../shared/client/types.ts';
import { pageQuery, readPages } from '../api.ts';
import { command, type Group } from '../command.ts';
import { Failure } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import type { Invocation } from '../invocation.ts';
import { attributesOf, defineView, flatten } from '../output/view.ts';
import { type Complete, filter, flag, remainingArguments } from '../parameters.ts';
import { workspaceArgument } from './workspace-rows.ts';

const LIST = '/api/v2/organizations/{organization_name}/tags';

type Tag = Schemas['Tag'];
type Filters = Readonly<Record<FiltersOf<typeof LIST>, string | undefined>>;

const view = defineView(
  ['name', 'instance-count', 'created-at'],
  ['id', 'organization-id', ...attributesOf<Tag>()('name', 'created-at', 'instance-count')],
);

const listTags = (organization: string, filters: Partial<Filters>, page: number) =>
  apiRequest('get', LIST, {
    path: { organization_name: organization },
    query: { ...filters, ...pageQuery(page) } as NonNullable<InputOf<'get', typeof LIST>['query']>,
  });

const completeTag: Complete = async ({ api, organization }, typed) => {
  const { document } = await api.lookUp(listTags(await organization(), { q: typed }, 1));
  return document.data.map(({ attributes }) => attributes.name);
};

const findTag = async ({ api }: Invocation, organization: string, name: string): Promise<Tag> => {
  // The search finds parts of names, and lists them by name.
  for await (const { data } of readPages(api.lookUp, (page) => listTags(organization, { q: name }, page))) {
    const found = data.find(({ attributes }) => attributes.name === name);
    if (found !== undefined) return found;
  }
  throw new Failure('notFound', `No workspace of ${organization} has the tag "${name}".`);
};

/** Flat tags of all workspaces of an organization (docs/concepts/tags.md). */
export const tagCommands: Group = {
  title: 'Tags of an organization',
  commands: [
    command({
      name: 'tag list',
      summary: 'List the tags of all workspaces',
      description: 'Lists tags without a value.',
      flags: {
        search: filter('Only names that contain this text.', 'TEXT'),
        'missing-in': filter('Only tags that this workspace does not have.', 'WORKSPACE', workspaceArgument.complete),
      },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'tags.list'],
      result: { kind: 'list', view },
      examples: ['tag list', 'tag list --search prod --json=name,instance-count'],
      async *run({ api, organization, workspace }, _, { search, 'missing-in': name }) {
        const filters: Filters = {
          q: search,
          'filter[exclude][taggable][id]': name === undefined ? undefined : (await workspace(name)).id,
        };
        const acme = await organization();
        for await (const { data } of api.pages((page) => listTags(acme, filters, page))) yield* data.map(flatten);
      },
    }),
    command({
      name: 'tag delete',
      summary: 'Remove tags from all workspaces that have them',
      arguments: {
        tag: remainingArguments(
          'Name of the tag, or "-" for names from standard input: the first column of its lines.',
          {
            complete: completeTag,
            isPiped: true,
          },
        ),
      },
      flags: { yes: flag('Do not ask for confirmation.') },
      routes: ['tags.list', 'tags.delete'],
      result: { kind: 'changes', view, sentence: ({ name }) => `Deleted the tag ${name}.` },
      examples: ['tag delete legacy'],
      async *run(invocation, { tag: names }, { yes }) {
        const organization = await invocation.organization();
        return yield* forEachItem(invocation, names, async (name) => {
          const tag = await findTag(invocation, organization, name);
          const count = tag.attributes['instance-count'];
          const sentence = `Removes the tag ${name} from ${count} workspace${count === 1 ? '' : 's'} of ${organization}.`;
          await invocation.confirm({ sentence, name, yes });
          await invocation.api.send(
            apiRequest('delete', LIST, {
              path: { organization_name: organization },
              body: { data: [{ type: 'tags', id: tag.id }] },
            }),
          );
          return flatten(tag);
        });
      },
    }),
  ],
};
