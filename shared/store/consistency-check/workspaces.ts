import type { Item } from '../dynamodb/item.ts';
import { keys, prefixes, variablePartition, WORKSPACE } from '../dynamodb/keys.ts';
import { accessIdKey } from '../items/workspace-items.ts';
import { checkConsumers } from './consumers.ts';
import { keyOf, organizationOf, spell, teamsIn, textOf } from './facts.ts';
import type { Lookup } from './lookup.ts';
import type { References } from './references.ts';
import { checkRuns } from './runs.ts';
import { checkStates } from './states.ts';
import { checkSetVariable } from './variable-sets.ts';

/**
 * Opens the checks of the references between workspaces and the items that belong to them. `must` records a problem of an
 * item unless `holds`.
 */
export const checkWorkspaces = (
  lookup: Lookup,
  must: (item: Item, holds: boolean, problem: string) => void,
  { refers, grantsTo, claimed, inShard }: References,
): Readonly<Record<string, (item: Item) => void>> => {
  const { at, count } = lookup;
  const ofSet = checkSetVariable(at, must);
  const consumers = checkConsumers(at, must);
  const runs = checkRuns(lookup, must);
  const states = checkStates(lookup, must);

  return {
    workspace: (item) => {
      const organization = at(keys.organization(organizationOf(item)));
      const text = at(keys.workspaceText(textOf(item['id'])));
      // A tombstone may outlive its project and its organization.
      if (item['gone'] !== undefined) {
        if (item['pa'] === undefined) must(item, text === undefined, 'it is deleted, but its long text is not');
        else must(item, item['d'] !== undefined, 'it can be restored, but is not queued for cleanup');
        return inShard(item, organization);
      }
      must(item, organization !== undefined, 'its organization does not exist');
      inShard(item, organization);
      claimed(item, 'workspace', { workspace: item['id'], project: item['prj'] });
      refers(item, 'project', item['prj']);
      const { set, vcs, ssh } = item as Record<string, Item | null | undefined>;
      refers(item, 'agentPool', set?.['agentPool']);
      refers(item, 'vcsConnection', vcs?.['oauthTokenId']);
      refers(item, 'appInstallation', vcs?.['appInstallationId']);
      refers(item, 'sshKey', ssh);
      grantsTo(item);
      for (const team of teamsIn(item)) {
        const isLedTo = at(accessIdKey(textOf(item['id']), team)) !== undefined;
        must(item, isLedTo, `the id pointer of the access of ${team} does not exist`);
      }
      must(item, text?.['rev'] === item['x'], 'its long text does not exist or has another revision');
      consumers.ofWorkspace(item);
      runs.ofWorkspace(item);
      states.ofWorkspace(item);
      const counted = count(variablePartition(textOf(item['id'])), prefixes.variables);
      must(item, (item['vn'] ?? 0) === counted, 'its variable count does not match its variables');
    },
    variable: (item) => {
      const { id } = item;
      if (item['variableSet'] !== undefined) return ofSet.variable(item);
      const workspace = at(keys.workspace(textOf(item['workspace'])));
      if (workspace === undefined) return must(item, false, 'its workspace does not exist');
      if (workspace['gone'] !== undefined) {
        return must(item, workspace['d'] !== undefined, 'its workspace is deleted, but not queued for cleanup');
      }
      const pointer = at(keys.pointer(textOf(id)));
      const isLedTo = (['workspace', 'category', 'key'] as const).every((name) => pointer?.[name] === item[name]);
      must(item, isLedTo, 'its id pointer does not exist or leads elsewhere');
    },
    'variable-id': (item) => {
      if (item['gone'] !== undefined) return;
      if (item['variableSet'] !== undefined) return ofSet.pointer(item);
      const { id, workspace, category, key } = item;
      const variable = at(keys.variable(textOf(workspace), textOf(category), textOf(key)));
      must(item, variable?.['id'] === id, 'it does not lead to a variable with its id');
      const owner = at(keys.workspace(textOf(workspace)));
      must(
        item,
        owner === undefined || owner['org'] === item['organization'],
        'its organization is not that of its workspace',
      );
    },
    consumers: consumers.chunk,
    ...runs.checks,
    ...states.checks,
    'workspace-access-id': (item) => {
      const workspace = at(keys.workspace(textOf(item['workspace'])));
      const isRight = workspace !== undefined && workspace['org'] === item['organization'];
      must(
        item,
        isRight && teamsIn(workspace).includes(textOf(item['team'])),
        'the access that it leads to does not exist',
      );
      const isAlive = workspace?.['gone'] === undefined;
      must(item, isAlive || workspace['d'] !== undefined, 'its workspace is deleted, but not queued for cleanup');
    },
    'workspace-name': (item) => {
      const named = at(keys.workspace(textOf(item['workspace'])));
      const isAlive = named !== undefined && named['gone'] === undefined;
      must(item, isAlive, 'it claims a name for a workspace that is deleted or does not exist');
      const expected = isAlive && spell(keys.claim(organizationOf(named), 'workspace', textOf(named['name'])));
      must(item, !isAlive || expected === keyOf(item), 'the claimed workspace has another name');
    },
    'workspace-text': (item) => {
      must(item, at({ pk: textOf(item['pk']), sk: WORKSPACE }) !== undefined, 'its workspace does not exist');
    },
  };
};
