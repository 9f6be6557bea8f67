import { buildState, inlineStateVersionBody } from '../api/states.ts';
import type { CliBed } from './cli-bed.ts';

/** Values that no export may contain. */
export const secretValues = ['hunter2-of-network', 'hunter2-of-set', 'PRIVATE-KEY-OF-SSH', 'TOKEN-OF-VCS'] as const;

/** Runs commands of which each must succeed. A line of standard input may follow the sign `<`. */
export const runAll = async (bed: CliBed, commands: readonly string[]): Promise<void> => {
  for (const command of commands) {
    const [line = '', stdin] = command.split(' < ');
    const { code, stderr } = await bed.run(line.split(' '), stdin === undefined ? {} : { stdin });
    if (code !== 0) throw new Error(`${command}: ${stderr}`);
  }
};

/** Source of the workspace `dns`, and of its state version. */
export const importedFrom = {
  host: 'app.terraform.io',
  organization: 'acme-old',
  id: 'ws-CvpbqPPtsWSnyrTk',
  'created-at': '2021-03-04T05:06:07.890Z',
  'created-by': 'grace',
} as const;

/** Sends a request that creates something. */
const create = async (bed: CliBed, path: string, body: object): Promise<void> => {
  const reply = await bed.api.request('POST', path, { token: bed.owner, body });
  if (reply.status !== 201) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`);
};

/** Adds state versions with the given serials to a workspace. */
const addStates = async (
  bed: CliBed,
  name: string,
  serials: readonly number[],
  attributes: object = {},
): Promise<void> => {
  const { id } = await bed.json(['ws', 'show', name]);
  await bed.run(['lock', name]);
  for (const serial of serials) {
    const content = buildState({ serial, resources: serial });
    await create(bed, `/workspaces/${id}/state-versions`, inlineStateVersionBody(content, { serial, ...attributes }));
  }
  await bed.run(['unlock', name]);
};

/** Fills an organization with at least one record of every type, and with each kind of reference between them. */
export const fillOrganization = async (bed: CliBed): Promise<void> => {
  const dns = { name: 'dns', description: 'Names', 'imported-from': importedFrom };
  await create(bed, '/organizations/acme/workspaces', { data: { type: 'workspaces', attributes: dns } });
  await runAll(bed, [
    'org edit acme --default-deletion-protection true',
    'org retention set acme 365',
    'org token-ttl set acme --user 90d --team 365d',
    'tag-key create environment --disable-overrides true',
    'project create Platform --description Networks',
    'project tag add Platform cost-center=42',
    'agent-pool create build --organization-scoped false --allowed-projects Platform',
    'ssh-key create deploy --file - < PRIVATE-KEY-OF-SSH',
    'vcs create hub --service-provider github --http-url https://github.com < TOKEN-OF-VCS',
    'team create builders --visibility organization --manage-workspaces true',
    'team create hidden',
    'team create readers --visibility organization',
    'member invite grace@example.com --team readers',
    'ws create network --project Platform --tag core --tag env=prod --execution-mode agent --agent-pool build',
    'ws create web',
    'ws ssh-key set network deploy',
    'ws retention set network 90',
    'ws consumer set network dns web',
    'var set network region < eu-central-1',
    'var set network DB_PASSWORD --category env --sensitive < hunter2-of-network',
    'varset create credentials --priority true',
    'varset create defaults --global true',
    'varset assign credentials --workspace network --project Platform',
    'varset var set credentials region < eu-west-1',
    'varset var set credentials API_KEY --category env --sensitive < hunter2-of-set',
    'team access grant readers --workspace network --runs plan --variables read --locking true',
    'team access grant builders --project Platform --access maintain',
    'agent-pool edit build --excluded-workspaces dns',
    'workload-identity create deploy --issuer https://gitlab.com --team builders --equals /project_id=123 --workspaces network',
  ]);
  const [{ 'oauth-token-id': token }] = await bed.json(['vcs', 'list']);
  await runAll(bed, [`ws edit web --vcs-repo-identifier acme/web --vcs-repo-oauth-token-id ${token}`]);
  await addStates(bed, 'network', [1, 2, 3]);
  await bed.run(['state', 'rollback', 'network', '1', '--yes']);
  await addStates(bed, 'dns', [1], { 'imported-from': importedFrom });
};
