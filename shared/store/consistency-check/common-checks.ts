import type { NamedKind } from '../../domain/directory/records.ts';
import { isId } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { isFlat } from '../../domain/tags/tag.ts';
import { type ClaimKind, type Item, keys, listPartition, WORKSPACE } from '../dynamodb/keys.ts';
import { recordKey } from '../items/record-items.ts';
import { tagsOf } from '../items/tag-items.ts';
import { type Check, isCount, isMap, isText, organizationOf, teamsIn, textOf } from './facts.ts';

/** Opens the checks that items of several types have in common. */
export const openCommonChecks = ({ at, must }: Check) => {
  /** Checks a reference to a record of the same organization. Null and undefined are no reference. */
  const refers = (item: Item, kind: NamedKind, id: unknown): void => {
    if (id === undefined || id === null) return;
    const found = at(recordKey(kind, textOf(id)));
    const organization = item['ty'] === 'organization' ? item['name'] : organizationOf(item);
    const isThere = found?.['ty'] === kind && organizationOf(found) === organization;
    must(isThere, `its ${kind} ${textOf(id)} does not exist`);
  };
  const grantsTo = (item: Item): void => {
    for (const team of teamsIn(item)) refers(item, 'team', team);
  };
  /** Checks that the claim on the name of a record belongs to that record. */
  const claimed = (item: Item, kind: ClaimKind, named: Item): void => {
    const claim = at(keys.claim(organizationOf(item), kind, textOf(item['name'])));
    must(claim !== undefined, 'its name has no claim');
    const isOwn = Object.entries(named).every(([name, value]) => claim?.[name] === value);
    must(claim === undefined || isOwn, 'the claim on its name belongs to another item');
  };
  const inOrganization = (item: Item): Item | undefined => {
    const organization = at(keys.organization(organizationOf(item)));
    must(organization !== undefined, 'its organization does not exist');
    return organization;
  };
  const inShard = (item: Item, organization: Item | undefined): void => {
    if (organization === undefined) return;
    const shards = Number(organization['shards']);
    const partition = listPartition.workspacesOf(organizationOf(item), textOf(item['id']), shards);
    must(item['l'] === partition, 'it is in the wrong partition of the list index');
  };
  /** Returns the workspace of an item. If it is deleted, checks that it is queued for cleanup and returns undefined. */
  const living = (item: Item): Item | undefined => {
    const workspace = at({ pk: textOf(item['pk']), sk: WORKSPACE });
    must(workspace !== undefined, 'its workspace does not exist');
    if (workspace?.['gone'] === undefined) return workspace;
    must(workspace['d'] !== undefined, 'its workspace is deleted, but not queued for cleanup');
    return undefined;
  };
  const isTombstone = ({ gone, ttl }: Item): void =>
    must(isCount(gone) && isCount(ttl), 'it is deleted, but has no deletion time or no expiry');
  const isInProject = ({ organization, workspace, project }: Item): void =>
    must([organization, workspace, project].every(isText), 'it has no organization, workspace or project');

  const hasTags = ({ tags: stored }: Item): void => {
    // Earlier versions stored an empty map on a workspace, and nothing on a project.
    if (stored === undefined || (isMap(stored) && Object.keys(stored).length === 0)) return;
    if (!Array.isArray(stored) || !stored.every(isMap)) {
      must(false, 'its tags are not a list of tags');
      return;
    }
    const isValid = ({ key, value, at: time }: Item): boolean =>
      isText(key) && isCount(time) && (value === undefined || isText(value));
    const tags = tagsOf(stored);
    const flat = tags.filter(isFlat).length;
    must(stored.every(isValid), 'one of its tags has no key, no time or an empty value');
    must(new Set(tags.map(({ key }) => key)).size === tags.length, 'it has the same tag twice');
    must(flat <= limits.tags && tags.length - flat <= limits.bindings, 'it has more tags than allowed');
  };
  const hasPolicy = (policy: unknown): void => {
    if (policy === undefined) return;
    const { id, type, deleteOlderThanDays: days } = isMap(policy) ? policy : ({} as Item);
    const isFor = type === 'data-retention-policy-dont-deletes' ? days === null : isCount(days);
    const isKnown = isId('retentionPolicy', textOf(id)) && retentionPolicyTypes.some((known) => known === type);
    must(isKnown && isFor, 'its data retention policy is invalid');
  };

  return {
    ...{ refers, grantsTo, claimed, inOrganization, inShard, living },
    ...{ isTombstone, isInProject, hasTags, hasPolicy },
  };
};

export type CommonChecks = ReturnType<typeof openCommonChecks>;
