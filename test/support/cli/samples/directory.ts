import type { CliBed } from '../cli-bed.ts';
import type { Samples } from '../sample.ts';

let count = 0;

/** Creates a resource by its command, and returns its name. */
const create = async ({ run }: CliBed, noun: string, ...flags: readonly string[]): Promise<string> => {
  const name = `${noun}-${++count}`;
  const { code, stderr } = await run([noun, 'create', name, ...flags], { stdin: 'secret' });
  if (code !== 0) throw new Error(stderr);
  return name;
};

/** Returns the calls of the commands that list, show, create, edit and delete resources of a kind. */
const crud = (noun: string, { creation = [] as readonly string[], edit = (): readonly string[] => [] }): Samples => ({
  [`${noun} list`]: async (bed) => {
    await create(bed, noun, ...creation);
    return { args: [] };
  },
  [`${noun} show`]: async (bed) => ({ args: [await create(bed, noun, ...creation)] }),
  [`${noun} create`]: () => ({ args: [`${noun}-${++count}`, ...creation] }),
  [`${noun} edit`]: async (bed) => ({ args: [await create(bed, noun, ...creation), ...edit()] }),
  [`${noun} delete`]: async (bed) => ({ args: [await create(bed, noun, ...creation), '--yes'] }),
});

const file = ['--file', import.meta.filename];

const TAG_KEY = 'environment';

/** Reserves a tag key, unless it is reserved. */
const withTagKey = async ({ run }: CliBed): Promise<readonly string[]> => {
  await run(['tag-key', 'create', TAG_KEY]);
  return [TAG_KEY];
};

/** Calls of the commands of organizations and what belongs to them. */
export const directorySamples: Samples = {
  ...crud('project', { edit: () => ['--description', 'Networks'] }),
  'project tag list': async (bed) => {
    const project = await create(bed, 'project');
    await bed.run(['project', 'tag', 'add', project, 'env=prod']);
    return { args: [project] };
  },
  'project tag add': async (bed) => ({ args: [await create(bed, 'project'), 'env=prod', 'team=core'] }),
  'project tag remove': async (bed) => {
    const project = await create(bed, 'project');
    await bed.run(['project', 'tag', 'add', project, 'env=prod', 'team=core']);
    return { args: [project, 'env'] };
  },
  ...crud('ssh-key', { creation: file, edit: () => ['--name', `renamed-${++count}`] }),
  ...crud('agent-pool', { edit: () => ['--organization-scoped', 'false'] }),
  // An organization has at most 20 of them.
  'tag-key list': async (bed) => ({ args: (await withTagKey(bed)).slice(1) }),
  'tag-key show': async (bed) => ({ args: await withTagKey(bed) }),
  'tag-key create': async ({ run }) => {
    await run(['tag-key', 'delete', TAG_KEY, '--yes']);
    return { args: [TAG_KEY, '--disable-overrides', 'true'] };
  },
  'tag-key edit': async (bed) => ({ args: [...(await withTagKey(bed)), '--disable-overrides', 'false'] }),
  'tag-key delete': async (bed) => ({ args: [...(await withTagKey(bed)), '--yes'] }),
};
