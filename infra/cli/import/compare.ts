import { createHash } from 'node:crypto';
import type { RecordOf } from '../../../shared/bundle/types.ts';
import { canonicalJson } from '../bundle/canonical.ts';
import type { InventoryType } from './inventory.ts';

/** A record as an import compares it. */
export type Members = Readonly<Record<string, unknown>>;

/** Members that say something about the source, and that no request sets. */
const facts: readonly string[] = ['origin', 'needs'];

/** Objects whose members a source may know only in part. All other objects are equal or not. */
const settings: readonly string[] = [
  'vcs-repo',
  'organization-access',
  'project-access',
  'workspace-access',
  'parts',
  'token-ttl-policies',
  'data-retention-policy',
];

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Converts a value to the one that is compared: lists have no order, and an empty text is no text. */
const normalize = (member: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => canonicalJson(item)).sort();
  return value === '' && member !== 'value' ? null : (value ?? null);
};

const pick = (member: string, wanted: unknown, found: unknown): unknown =>
  settings.includes(member) && isObject(wanted) && isObject(found)
    ? Object.fromEntries(Object.keys(wanted).map((name) => [name, found[name] ?? null]))
    : found;

/** The comparison of a record of the source with that of the target. */
export interface Comparison {
  /** Members that differ. */
  readonly members: readonly string[];
  /** SHA-256 of what the source says, and of the same members at the target. */
  readonly source: string;
  readonly target: string | null;
  /** Digest of each member. */
  readonly sourceMembers: Digests;
  readonly targetMembers: Digests;
}

/** Digests of the members of a record. */
export type Digests = Readonly<Record<string, string>>;

const digest = (value: unknown): string => createHash('sha256').update(canonicalJson(value)).digest('hex');

const digestMembers = (members: Members): Digests =>
  Object.fromEntries(Object.entries(members).map(([name, value]) => [name, digest(value).slice(0, 16)]));

/** Returns the members of a record that an import sets. An absent member is unknown to the source, and stays as it is. */
const settable = (record: object): Members =>
  Object.fromEntries(Object.entries(record).filter(([name, value]) => !facts.includes(name) && value !== undefined));

/**
 * Compares a record of the source with that of the target. Members that the source does not know are left out.
 * @param present undefined if the target has none.
 */
export const compareRecords = <T extends InventoryType>(
  type: T,
  record: RecordOf<T>,
  present: RecordOf<T> | undefined,
): Comparison => {
  const wanted = settable(record);
  const names = Object.keys(wanted);
  const source = Object.fromEntries(names.map((name) => [name, normalize(name, wanted[name])]));
  const sourceMembers = digestMembers(source);
  if (present === undefined) {
    return { members: names, source: digest(source), target: null, sourceMembers, targetMembers: {} };
  }
  const found = present as Members;
  const target = Object.fromEntries(
    names.map((name) => [name, normalize(name, pick(name, wanted[name], extend(type, name, wanted, found)))]),
  );
  const members = names.filter((name) => canonicalJson(source[name]) !== canonicalJson(target[name]));
  const targetMembers = digestMembers(target);
  return { members, source: digest(source), target: digest(target), sourceMembers, targetMembers };
};

/**
 * Returns a member of the target. A person can be in further teams there, which an import leaves alone.
 */
const extend = (type: InventoryType, name: string, wanted: Members, found: Members): unknown => {
  const [some, all] = [wanted[name], found[name]];
  if (type !== 'memberships' || name !== 'teams' || !Array.isArray(some) || !Array.isArray(all)) return all;
  return all.filter((team) => some.includes(team));
};
