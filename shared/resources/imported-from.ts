import type { Static } from 'typebox';
import { invalid } from '../domain/errors.ts';
import type { ImportedFrom } from '../domain/imported-from.ts';
import { limits } from '../domain/limits.ts';
import { parseTimestamp, TIMESTAMP } from '../domain/timestamps.ts';
import { timestamp } from '../lib/clock.ts';
import { nullable, nullableObject, object, optional, text, time } from '../schemas/schema.ts';

/** The attribute `imported-from` of workspaces and state versions (WS-50). */

const about = {
  host: 'Host of the source, or name of the bucket or computer.',
  organization: 'Organization at the source.',
  id: 'Id at the source, or path of a state, or version of an object.',
  name: 'Name of the workspace at the source.',
  'created-at': 'Time of the creation at the source.',
  'created-by': 'Who created it at the source.',
  commit: 'Commit of the configuration.',
} as const;

const NO_CONTROL_CHARACTERS = '^[^\\x00-\\x1f\\x7f-\\x9f]*$';
const NEITHER_SPACES_NOR_SLASHES = '^[^\\x00-\\x20/\\x7f-\\x9f]*$';

/** Builds the schema of a text in requests. */
const line = (member: keyof typeof about, options: object = {}) =>
  text(about[member], { minLength: 1, maxLength: limits.importedText, pattern: NO_CONTROL_CHARACTERS, ...options });
const optionalLine = (member: keyof typeof about) => optional(nullable(line(member)));

const sent = {
  host: line('host', { pattern: NEITHER_SPACES_NOR_SLASHES }),
  organization: optionalLine('organization'),
  id: line('id', { maxLength: limits.importedId }),
  'created-at': optional(
    nullable(text(about['created-at'], { maxLength: limits.expiry, format: 'date-time', pattern: TIMESTAMP })),
  ),
  'created-by': optionalLine('created-by'),
};

const shown = {
  host: text(about.host, { examples: ['app.terraform.io'] }),
  organization: nullable(text(about.organization, { examples: ['acme'] })),
  id: text(about.id, { examples: ['ws-CvpbqPPtsWSnyrTk'] }),
  'created-at': nullable(time(about['created-at'])),
  'created-by': nullable(text(about['created-by'])),
};

const DESCRIPTION = 'Where the client that created it imported it from. It never changes.';
const closed = { description: `${DESCRIPTION} Unknown members are rejected.`, additionalProperties: false } as const;

/** The attribute of a workspace. */
export const workspaceSource = {
  offer: { immutable: true },
  request: nullableObject({ ...sent, name: optionalLine('name') }, closed),
  response: nullable(object({ ...shown, name: nullable(text(about.name)) }, { description: DESCRIPTION })),
} as const;

/** The attribute of a state version. */
export const stateVersionSource = {
  request: nullableObject({ ...sent, commit: optionalLine('commit') }, closed),
  response: nullable(object({ ...shown, commit: nullable(text(about.commit)) }, { description: DESCRIPTION })),
} as const;

type Sent = NonNullable<Static<typeof workspaceSource.request>> &
  NonNullable<Static<typeof stateVersionSource.request>>;

/**
 * Maps the attribute of a request. Members of null are absent from the result.
 * @throws DomainError 422 for a day that does not exist.
 */
export const readImportedFrom = ({
  'created-at': createdAt,
  'created-by': createdBy,
  ...texts
}: Sent): ImportedFrom => {
  const at = typeof createdAt === 'string' ? parseTimestamp(createdAt) : null;
  if (at === undefined) {
    throw invalid('imported-from.created-at', 'Created at is not a date that exists, or too far away');
  }
  const given = { ...texts, createdAt: at === null ? null : timestamp(at), createdBy };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  ) as unknown as ImportedFrom;
};

/** Builds the members of the attribute that workspaces and state versions have. */
const shownMembers = ({ host, organization, id, createdAt, createdBy }: ImportedFrom) => ({
  host,
  organization: organization ?? null,
  id,
  'created-at': createdAt ?? null,
  'created-by': createdBy ?? null,
});

/** Builds the attribute of a workspace. */
export const showWorkspaceSource = (from: ImportedFrom | undefined) =>
  from === undefined ? null : { ...shownMembers(from), name: from.name ?? null };

/** Builds the attribute of a state version. */
export const showStateVersionSource = (from: ImportedFrom | undefined) =>
  from === undefined ? null : { ...shownMembers(from), commit: from.commit ?? null };
