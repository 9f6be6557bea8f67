import type { BulkJob } from '../../domain/bulk-jobs/bulk-job.ts';
import type { ChangedResource, OrganizationChange } from '../../domain/changes/organization-changes.ts';
import type { RetentionPolicy } from '../../domain/state-versions/retention-policy.ts';
import type { Item } from '../dynamodb/keys.ts';

/** Stored name of the encrypted member of a record, and its names in the domain by the type of the item. */
export const STORED_SECRET = 'sealed';
export const secrets: Readonly<Record<string, string>> = { sshKey: 'encryptedKey', vcsConnection: 'encryptedToken' };

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const membershipOf = ({ id, user }: Item) => ({ id: String(id), name: null, user: String(user) });

/** Readers of the resource by the part of the type of a change before the dot. Named records need none. */
const readers: Readonly<Record<string, (item: Item) => Omit<ChangedResource, 'organization'>>> = {
  organization: ({ name, retentionPolicy }) => ({
    id: String(name),
    name: String(name),
    retentionPolicy: retentionPolicy as RetentionPolicy | undefined,
  }),
  'team-membership': ({ team, user }) => ({
    id: `${team}/${user}`,
    name: null,
    team: String(team),
    user: String(user),
  }),
  'organization-membership': membershipOf,
  // Changes that are recorded with the membership of the user in each organization.
  user: membershipOf,
  identity: membershipOf,
  membership: membershipOf,
  session: membershipOf,
  token: ({ id, kind, subject, description, team }) => ({
    id: String(id),
    name: textOrNull(description),
    owner: { kind: String(kind), id: String(subject) },
    ...(team !== undefined && { team: String(team) }),
  }),
  'bulk-job': (item) => {
    const { id, action, status, total = null, previews, outcomes } = item as unknown as BulkJob & { total?: number };
    return { id, name: null, job: { action, status, total, previews, outcomes } };
  },
  'workload-identity': ({ id, name, team }) => ({
    id: String(id),
    name: textOrNull(name),
    ...(team !== undefined && { team: String(team) }),
  }),
};

/** Returns the change record of an item of the directory. */
export const changeOf = (item: Item): OrganizationChange => {
  const change = item['chg'] as OrganizationChange;
  const secret = secrets[String(item['ty'])];
  if (change.keys === undefined || secret === undefined) return change;
  return { ...change, keys: change.keys.map((name) => (name === STORED_SECRET ? secret : name)) };
};

/** Returns the resource to which the change record of an item of the directory belongs. */
export const changedResourceOf = (item: Item): ChangedResource => {
  const [kind = ''] = (item['chg'] as OrganizationChange).type.split('.');
  const organization = textOrNull(kind === 'organization' ? item['name'] : (item['org'] ?? item['organization']));
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  return { organization, ...(read?.(item) ?? { id: String(item['id']), name: textOrNull(item['name']) }) };
};
