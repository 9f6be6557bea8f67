import type { ApiRequest } from '../../../../shared/client/request.ts';
import type { Schemas } from '../../../../shared/client/types.ts';
import type { Names } from '../../export/directory.ts';
import type { ListRequest, Reader } from '../../export/reader.ts';
import { settings } from '../../export/workspaces.ts';
import type { NotCarried } from '../source.ts';
import type { Resource } from './dialect.ts';

type Note = (item: NotCarried) => Promise<void>;
type EventType = Schemas['HistoryEntry']['attributes']['action'];

/** Events of the bus that replace the triggers of notifications. */
const eventsByTrigger: Readonly<Record<string, EventType>> = {
  'run:created': 'workspace.run-updated',
  'run:planning': 'workspace.run-updated',
  'run:needs_attention': 'workspace.run-updated',
  'run:applying': 'workspace.run-updated',
  'run:completed': 'workspace.run-updated',
  'run:errored': 'workspace.run-updated',
  'workspace:auto_destroy_reminder': 'workspace.destroy-requested',
  'workspace:auto_destroy_run_results': 'workspace.run-updated',
};

/** Attributes of a workspace that an inventory has in another form, or that are facts and no settings. */
const facts: ReadonlySet<string> = new Set([
  ...settings,
  'name',
  'execution-mode',
  'agent-pool-id',
  'deletion-protection',
  'auto-destroy-activity-duration',
  'terraform-version',
  'vcs-repo',
  'tag-names',
  'setting-overwrites',
  'actions',
  'apply-duration-average',
  'auto-destroy-status',
  'can-queue-destroy-plan',
  'created-at',
  'effective-run-data-retention-desc',
  'effective-state-version-retention-desc',
  'environment',
  'infra-version-resolved',
  'last-assessment-result-at',
  'latest-change-at',
  'lock-expires-at',
  'locked',
  'locked-at',
  'locked-reason',
  'migration-environment',
  'oauth-client-name',
  'operations',
  'permissions',
  'plan-duration-average',
  'policy-check-failures',
  'resource-count',
  'run-failures',
  'source',
  'updated-at',
  'vcs-repo-identifier',
  'workspace-kpis-run-count',
  'workspace-kpis-runs-count',
]);

/** Settings of organizations that Holdfast does not have. */
const organizationSettings: readonly string[] = [
  'assessments-enforced',
  'fair-run-queuing-enabled',
  'global-module-sharing',
  'global-provider-sharing',
  'recoverable-items-enabled',
  'stacks-default-execution-mode',
  'test-generation-enabled',
];

/** Rules of data retention policies that Holdfast does not have. */
const retentionRules: readonly string[] = [
  'stateVersionsKeepLatestCount',
  'deleteConfigurationVersions',
  'configurationVersionsDeleteAfterNDays',
  'configurationVersionsKeepLatestCount',
  'deleteRunDataAndLogs',
  'runDataAndLogsDeleteAfterNDays',
  'runDataKeepLatestCount',
];

/** Lists of an organization of which Holdfast has nothing. */
const organizationLists: readonly { readonly type: string; readonly detail: string }[] = [
  { type: 'policy-sets', detail: 'Holdfast evaluates no policies.' },
  { type: 'policies', detail: 'Holdfast evaluates no policies.' },
  { type: 'provider-sets', detail: 'Holdfast has no provider sets.' },
  { type: 'cidr-range-lists', detail: 'Holdfast has no lists of address ranges. AWS WAF can replace them.' },
];

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  value === '' ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0);

/** Describes the request of one page of a list that the API of Holdfast does not have. */
const listAt =
  (path: string, query: Readonly<Record<string, string>> = {}, isPaged = true): ListRequest<Resource> =>
  (page) => {
    const parameters = { ...query, ...(isPaged && { 'page[number]': `${page}`, 'page[size]': '100' }) };
    const text = new URLSearchParams(parameters).toString();
    return { method: 'GET', url: `/api/v2/${path}${text === '' ? '' : `?${text}`}` };
  };

/** Reads a list of which Holdfast has nothing. One that the caller may not read is noted. */
const readList = async (
  reader: Reader,
  note: Note,
  type: string,
  owner: string,
  request: ListRequest<Resource>,
): Promise<readonly Resource[]> => {
  const items = await reader.listOptional(request);
  if (items !== undefined) return items;
  await note({ type, name: owner, reason: 'not-permitted', detail: `The caller may not read ${type} of ${owner}.` });
  return [];
};

/** Notes the settings of a resource that Holdfast does not have. */
const noteSettings = async (note: Note, type: string, name: string, attributes: object, names: readonly string[]) => {
  for (const [attribute, value] of Object.entries(attributes)) {
    if (!names.includes(attribute) || isEmpty(value)) continue;
    const detail = `Holdfast has no setting ${attribute}. Its value is ${JSON.stringify(value)}.`;
    await note({ type, name: `${name}/${attribute}`, reason: 'not-supported', detail });
  }
};

/** Notes notifications, with the events that replace their triggers. */
const noteNotifications = async (reader: Reader, note: Note, path: string, owner: string, isPaged = true) => {
  const type = 'notification-configurations';
  for (const { attributes } of await readList(reader, note, type, owner, listAt(path, {}, isPaged))) {
    const triggers: readonly string[] = attributes['triggers'] ?? [];
    const events = triggers.map((trigger) => `${trigger}: ${eventsByTrigger[trigger] ?? 'none'}`);
    const replaced = events.length === 0 ? 'none, because it has no triggers' : events.join(', ');
    const detail = `A notification to ${attributes['destination-type']}. Events of the bus that replace its triggers: ${replaced}.`;
    const name = `${owner}/${attributes['name']}`;
    await note({ type, name, reason: 'not-supported', detail });
  }
};

/** Counts the items of a list by its first page. @returns undefined if the server does not say the number, or hides the list. */
const countItems = async (reader: Reader, path: string): Promise<number | undefined> => {
  const url = `/api/v2/${path}?${new URLSearchParams({ 'page[number]': '1', 'page[size]': '1' })}`;
  const request: ApiRequest<{
    readonly data: readonly unknown[];
    readonly meta?: { readonly pagination?: { readonly 'total-count'?: number } };
  }> = { method: 'GET', url };
  const reply = await reader.readOptional(request);
  if (reply === undefined) return undefined;
  const { data, meta } = reply.document;
  return data.length === 0 ? 0 : meta?.pagination?.['total-count'];
};

/** Notes the number of items of a list. */
const noteCount = async (reader: Reader, note: Note, item: Omit<NotCarried, 'count' | 'reason'>, path: string) => {
  const count = await countItems(reader, path);
  if (count === 0) return;
  await note({ ...item, reason: 'not-supported', ...(count !== undefined && { count }) });
};

/** A workspace, and its data retention policy, as the server describes them. */
export interface FoundResources {
  readonly workspace: Resource;
  readonly retention: Resource | undefined;
}

/**
 * Notes what belongs to a workspace and Holdfast does not take.
 * @param names names of the workspaces by their ids.
 */
export const noteOfWorkspace = async (
  reader: Reader,
  note: Note,
  { workspace: { id, attributes, relationships }, retention }: FoundResources,
  isHoldfast: boolean,
  names: Names,
): Promise<void> => {
  const name: string = attributes['name'];
  const has = (...members: readonly string[]) => members.some((member) => relationships[member]?.data);
  if (has('current-run', 'latest-run')) {
    const detail = 'Runs stay where they are, with their plans, applies, logs and policy checks.';
    await noteCount(reader, note, { type: 'runs', name, detail }, `workspaces/${id}/runs`);
  }
  if (has('current-configuration-version', 'current-run', 'latest-run')) {
    const detail = 'Configuration archives stay where they are.';
    const item = { type: 'configuration-versions', name, detail };
    await noteCount(reader, note, item, `workspaces/${id}/configuration-versions`);
  }
  if (isHoldfast) return;
  const unknown = Object.keys(attributes).filter((attribute) => !facts.has(attribute));
  await noteSettings(note, 'workspace-settings', name, attributes, unknown);
  await noteSettings(note, 'data-retention-policies', name, retention?.attributes ?? {}, retentionRules);
  const installation = attributes['vcs-repo']?.['github-app-installation-id'];
  if (installation) {
    const detail = `The repository ${attributes['vcs-repo'].identifier} is connected by the GitHub App. Connect it again.`;
    await note({ type: 'github-app-installations', name: `${name}/${installation}`, reason: 'not-supported', detail });
  }
  const triggers = listAt(`workspaces/${id}/run-triggers`, { 'filter[run-trigger][type]': 'inbound' });
  for (const trigger of await readList(reader, note, 'run-triggers', name, triggers)) {
    const source = names.get(trigger.relationships['sourceable']?.data?.id) ?? trigger.attributes['sourceable-name'];
    const detail = `Runs of ${source} start runs of ${name}. A runner can do it after workspace.run-updated.`;
    await note({ type: 'run-triggers', name: `${name}/${source}`, reason: 'not-supported', detail });
  }
  await noteNotifications(reader, note, `workspaces/${id}/notification-configurations`, name);
};

/** Notes tokens: no server shows them again. */
const noteTokens = async (reader: Reader, note: Note, organization: string, teams: Names, pools: Names) => {
  const add = (name: string, count: number): Promise<void> =>
    count === 0
      ? Promise.resolve()
      : note({
          ...{ type: 'authentication-tokens', name, count, reason: 'unreadable' },
          detail: 'No server shows a token again. Create a new one.',
        });
  const own: ApiRequest<object> = { method: 'GET', url: `/api/v2/organizations/${organization}/authentication-token` };
  if ((await reader.readOptional(own)) !== undefined) await add(organization, 1);
  const counts = new Map<string, number>();
  for (const { attributes, relationships } of (await reader.listOptional(
    listAt(`organizations/${organization}/team-tokens`),
  )) ?? []) {
    const team: string = teams.get(relationships['team']?.data?.id) ?? attributes['description'] ?? organization;
    counts.set(team, (counts.get(team) ?? 0) + 1);
  }
  for (const [team, count] of counts) await add(`teams/${team}`, count);
  for (const [id, pool] of pools) {
    await add(
      `agent-pools/${pool}`,
      ((await reader.listOptional(listAt(`agent-pools/${id}/authentication-tokens`))) ?? []).length,
    );
  }
};

/** Notes what belongs to an organization and Holdfast does not take. @param directory names of its records by their ids. */
export const noteOfOrganization = async (
  reader: Reader,
  note: Note,
  { attributes }: Pick<Resource, 'attributes'>,
  isHoldfast: boolean,
  directory: { readonly projects: Names; readonly teams: Names; readonly agentPools: Names },
): Promise<void> => {
  const organization: string = attributes['name'];
  await noteTokens(reader, note, organization, directory.teams, directory.agentPools);
  if (isHoldfast) return;
  await noteSettings(note, 'organization-settings', organization, attributes, organizationSettings);
  for (const { type, detail } of organizationLists) {
    const isPaged = type !== 'provider-sets';
    const list = listAt(`organizations/${organization}/${type}`, {}, isPaged);
    for (const { attributes: item } of await readList(reader, note, type, organization, list)) {
      await note({ type, name: `${organization}/${item['name']}`, reason: 'not-supported', detail });
    }
  }
  for (const [id, project] of directory.projects) {
    await noteNotifications(reader, note, `projects/${id}/notification-configurations`, project, false);
  }
  for (const [id, team] of directory.teams) {
    await noteNotifications(reader, note, `teams/${id}/notification-configurations`, team);
  }
};
