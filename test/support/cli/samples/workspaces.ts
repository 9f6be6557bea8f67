import { ORGANIZATION } from '../../api/organization-fixture.ts';
import { configurationEvent, runEvent } from '../../events/run-events.ts';
import type { CliBed } from '../cli-bed.ts';
import type { Sample, Samples } from '../sample.ts';

/** Calls a command with a new workspace as its first argument. */
const withWorkspace =
  (...args: readonly string[]) =>
  async ({ createWorkspace }: CliBed): Promise<Sample> => ({ args: [(await createWorkspace()).name, ...args] });

/** Calls a command with a deleted workspace as its first argument. */
const withDeleted =
  (...args: readonly string[]) =>
  async ({ createWorkspace, run }: CliBed): Promise<Sample> => {
    const { name } = await createWorkspace();
    await run(['ws', 'delete', name, '--yes']);
    return { args: [name, ...args] };
  };

/** Calls a command with two new workspaces, of which the first one shares its state with the second one. */
const withConsumer = async ({ createWorkspace, run }: CliBed): Promise<Sample> => {
  const [{ name }, { name: consumer }] = [await createWorkspace(), await createWorkspace()];
  await run(['ws', 'consumer', 'add', name, consumer]);
  return { args: [name, consumer] };
};

/** Reports a run of a new workspace. */
const reportRun = async ({ api, createWorkspace }: CliBed) => {
  const workspace = await createWorkspace();
  const id = `run-${workspace.id.slice('ws-'.length)}`;
  await api.ingest('run.updated', runEvent(workspace, id, 'planning', 1));
  return { workspace, id };
};

let made = 0;

/** Calls of the commands of workspaces, their tags and their runs. */
export const workspaceSamples: Samples = {
  'ws list': async ({ createWorkspace }) => {
    await createWorkspace();
    return { args: [] };
  },
  'ws show': withWorkspace(),
  'ws readme': async ({ api, createWorkspace }) => {
    const workspace = await createWorkspace();
    const id = `cv-${workspace.id.slice('ws-'.length)}`;
    await api.ingest(
      'configuration-version.updated',
      configurationEvent(workspace, id, 'uploaded', { readme: '# Network' }),
    );
    return { args: [workspace.name] };
  },
  'ws create': () => ({ args: [`sample-${++made}`, '--tag', 'core', '--tag', 'env=prod'] }),
  'ws edit': withWorkspace('--description', 'sample'),
  'ws delete': withWorkspace('--yes'),
  'ws deleted': async (bed) => {
    await withDeleted()(bed);
    return { args: [] };
  },
  'ws restore': withDeleted(),
  'ws purge': withDeleted('--yes'),
  'ws tag list': async ({ createWorkspace }) => ({
    args: [(await createWorkspace({}, { tags: { data: [{ type: 'tags', attributes: { name: 'core' } }] } })).name],
  }),
  'ws tag add': withWorkspace('core', 'env=prod'),
  'ws tag remove': async ({ createWorkspace, run }) => {
    const { name } = await createWorkspace();
    await run(['ws', 'tag', 'add', name, 'core', 'env=prod']);
    return { args: [name, 'core', 'env'] };
  },
  'ws consumer list': async (bed) => {
    const { args } = await withConsumer(bed);
    return { args: args.slice(0, 1) };
  },
  'ws consumer add': withConsumer,
  'ws consumer remove': withConsumer,
  'ws consumer set': withConsumer,
  'ws ssh-key set': async ({ createWorkspace, api, owner }) => {
    const name = `module-key-${++made}`;
    const body = { data: { type: 'ssh-keys', attributes: { name, value: 'key' } } };
    await api.request('POST', `/organizations/${ORGANIZATION}/ssh-keys`, { token: owner, body });
    return { args: [(await createWorkspace()).name, name] };
  },
  'ws ssh-key unset': withWorkspace(),
  'ws retention show': async ({ createWorkspace, run }) => {
    const { name } = await createWorkspace();
    await run(['ws', 'retention', 'set', name, '90']);
    return { args: [name] };
  },
  'ws retention set': withWorkspace('90'),
  'ws retention delete': async ({ createWorkspace, run }) => {
    const { name } = await createWorkspace();
    await run(['ws', 'retention', 'set', name, 'forever']);
    return { args: [name] };
  },
  'tag list': async ({ createWorkspace, run }) => {
    await run(['ws', 'tag', 'add', (await createWorkspace()).name, 'listed']);
    return { args: [] };
  },
  'tag delete': async ({ createWorkspace, run }) => {
    const { name } = await createWorkspace();
    await run(['ws', 'tag', 'add', name, `tag-of-${name}`]);
    return { args: [`tag-of-${name}`, '--yes'] };
  },
  'run list': async (bed) => ({ args: [(await reportRun(bed)).workspace.name] }),
  'run show': async (bed) => ({ args: [(await reportRun(bed)).id] }),
};
