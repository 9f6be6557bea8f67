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

/** E-mail address of the user who runs the commands. */
const EMAIL = 'ada@example.com';

/** Creates an organization of the user who runs the commands. */
const createOrganization = async ({ admin }: CliBed): Promise<string> => {
  const name = `org-${++count}`;
  await admin('create-organization', { name, email: EMAIL });
  return name;
};

/** Adds a member to the organization. */
const invite = async ({ run }: CliBed): Promise<string> => {
  const email = `member-${++count}@example.com`;
  await run(['member', 'invite', email]);
  return email;
};

/** Gives a new team access to a new workspace. */
const grant = async (bed: CliBed): Promise<{ readonly team: string; readonly workspace: string }> => {
  const team = await create(bed, 'team');
  const workspace = (await bed.createWorkspace()).name;
  await bed.run(['team', 'access', 'grant', team, '--workspace', workspace, '--access', 'read']);
  return { team, workspace };
};

/** Creates a token of the caller. */
const createToken = async ({ json }: CliBed): Promise<string> => (await json(['token', 'create'])).id;

const vcs = ['--service-provider', 'github', '--http-url', 'https://github.com', ...file];

/** Creates a workload identity, and returns its name. */
const createIdentity = async (bed: CliBed): Promise<string> =>
  create(bed, 'workload-identity', '--team', await create(bed, 'team'), ...identity);

const identity = ['--issuer', 'https://gitlab.com', '--equals', '/project_id=123'];

/** Calls of the commands of organizations and what belongs to them. */
export const directorySamples: Samples = {
  'org list': () => ({ args: [] }),
  'org show': () => ({ args: ['acme'] }),
  'org create': async ({ admin }) => ({
    args: [`org-${++count}`, '--email', EMAIL],
    options: { env: { HOLDFAST_TOKEN: (await admin('create-token', { kind: 'site' })).token } },
  }),
  'org edit': async (bed) => ({ args: [await createOrganization(bed), '--default-deletion-protection', 'true'] }),
  'org delete': async (bed) => ({ args: [await createOrganization(bed), '--yes'] }),
  'org retention show': async ({ run }) => {
    await run(['org', 'retention', 'set', 'acme', '365']);
    return { args: ['acme'] };
  },
  'org retention set': () => ({ args: ['acme', 'forever'] }),
  'org retention delete': async ({ run }) => {
    await run(['org', 'retention', 'set', 'acme', '365']);
    return { args: ['acme'] };
  },
  'org token-ttl list': () => ({ args: ['acme'] }),
  'org token-ttl set': () => ({ args: ['acme', '--team', '365d'] }),
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
  ...crud('team', { edit: () => ['--visibility', 'organization', '--read-workspaces', 'true'] }),
  'team member list': async (bed) => {
    const team = await create(bed, 'team');
    await bed.run(['team', 'member', 'add', team, await invite(bed)]);
    return { args: [team] };
  },
  'team member add': async (bed) => ({ args: [await create(bed, 'team'), await invite(bed)] }),
  'team member remove': async (bed) => ({ args: [await create(bed, 'team'), await invite(bed)] }),
  'team access list': async (bed) => ({ args: ['--team', (await grant(bed)).team] }),
  'team access grant': async (bed) => {
    const { team, workspace } = await grant(bed);
    return { args: [team, '--workspace', workspace, '--variables', 'read'] };
  },
  'team access revoke': async (bed) => {
    const { team, workspace } = await grant(bed);
    return { args: [team, '--workspace', workspace] };
  },
  'member list': () => ({ args: [] }),
  'member show': async (bed) => ({ args: [await invite(bed)] }),
  'member invite': () => ({ args: [`member-${++count}@example.com`] }),
  'member remove': async (bed) => ({ args: [await invite(bed), '--yes'] }),
  'workload-identity list': async (bed) => {
    await createIdentity(bed);
    return { args: [] };
  },
  'workload-identity show': async (bed) => ({ args: [await createIdentity(bed)] }),
  'workload-identity create': async (bed) => ({
    args: [`workload-identity-${++count}`, '--team', await create(bed, 'team'), ...identity],
  }),
  'workload-identity edit': async (bed) => ({
    args: [await createIdentity(bed), '--equals', '/project_id=1', '--matches', '/ref_path=refs/heads/*'],
  }),
  'workload-identity delete': async (bed) => ({ args: [await createIdentity(bed), '--yes'] }),
  'workload-identity test': async (bed) => ({
    args: [await createIdentity(bed), ...file],
    code: 7,
  }),
  'token list': async (bed) => {
    await createToken(bed);
    return { args: [] };
  },
  'token show': async (bed) => ({ args: [await createToken(bed)] }),
  'token create': async ({ run }) => {
    await run(['token', 'create', '--organization']);
    return { args: ['--organization', '--yes'] };
  },
  'token delete': async (bed) => ({ args: [await createToken(bed), '--yes'] }),
  ...crud('agent-pool', { edit: () => ['--organization-scoped', 'false'] }),
  ...crud('ssh-key', { creation: file, edit: () => ['--name', `renamed-${++count}`] }),
  ...crud('vcs', { creation: vcs, edit: () => ['--organization-scoped', 'false'] }),
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
