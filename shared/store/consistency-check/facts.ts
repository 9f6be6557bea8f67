import type { Item } from '../dynamodb/item.ts';
import type { Key } from '../dynamodb/keys.ts';
import { runFacts } from './runs.ts';
import { stateFacts } from './states.ts';

/** Joins the partition key and the sort key of an item with a space. */
export const spell = ({ pk, sk }: Key): string => `${pk} ${sk}`;
/** Returns the partition key and the sort key of an item, separated by a space, as in `Finding.key`. */
export const keyOf = (item: Item): string => `${item['pk']} ${item['sk']}`;
/** Converts an attribute to text. */
export const textOf = (value: unknown): string => String(value);
/** Name of the organization that an item belongs to. */
export const organizationOf = (item: Item): string => textOf(item['org'] ?? item['organization']);
/** Ids of the teams that an item grants access to. */
export const teamsIn = (item: Item): readonly string[] => Object.keys((item['acc'] ?? {}) as object);

/** Keeps only the attributes that relations are checked with, so that a large table fits into memory. */
const pick = (item: Item, ...names: readonly string[]): Item =>
  Object.fromEntries(
    ['pk', 'sk', 'ty', ...names].flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
  );

/** Keeps the attributes of an item that relations are checked with. Types without such a selection stay whole. */
export const factsOf = (item: Item): Item => {
  if (item['ty'] === 'workspace-text') return pick(item, 'rev');
  if (item['ty'] === 'variable') return pick(item, 'id', 'workspace', 'variableSet', 'category', 'key');
  if (item['ty'] !== 'workspace') return runFacts(item) ?? stateFacts(item) ?? item;
  const { agentPool } = (item['set'] ?? {}) as Item;
  const { oauthTokenId, appInstallationId } = (item['vcs'] ?? {}) as Item;
  return {
    ...pick(
      item,
      'id',
      'org',
      'name',
      'prj',
      'gone',
      'pa',
      'l',
      'x',
      'acc',
      'ssh',
      'd',
      'vn',
      'cons',
      'run',
      'rs',
      'ra',
      'rn',
      'kpi',
      'hc',
      'cv',
      'rdm',
      'lock',
      'pend',
      'inter',
      'cur',
      'sn',
    ),
    agentPool,
    vcsConnection: oauthTokenId,
    appInstallation: appInstallationId,
  };
};
