import Type, { type Static } from 'typebox';
import { ID_BODY, prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { time } from './envelope.ts';
import { snapshotEvents } from './snapshots.ts';

/**
 * Schemas of the parts of an event that the hub reads. They are less strict than the schemas of the member's own release,
 * because members may have other releases. Texts are limited, because they become parts of keys and rows.
 */

const optional = Type.Optional;
const text = (maxLength: number, options: object = {}) => Type.String({ minLength: 1, maxLength, ...options });
const sequence = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });

/** Schema of the envelope of EventBridge. */
const hubEnvelope = Type.Object({
  account: Type.String({ pattern: '^[0-9]{12}$' }),
  region: Type.String({ pattern: '^[a-z]{2}(-[a-z]+)+-[0-9]+$' }),
  source: Type.String(),
  'detail-type': Type.String(),
  resources: optional(Type.Array(Type.String())),
});

const lock = Type.Object({
  id: text(limits.id),
  kind: text(20),
  holder: text(limits.id),
  name: optional(text(limits.id)),
  reason: Type.String({ maxLength: limits.lockReason }),
  lockedAt: optional(time('When the lock was taken.')),
  expiresAt: optional(time('End of its lease.')),
});

const tag = Type.Object({
  key: text(limits.tagName),
  value: Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: limits.bindingValue }),
});

/** Schema of the detail of an event about a workspace. */
const hubWorkspace = Type.Object({
  sequence,
  time: time('When the change was made.'),
  organization: text(limits.organizationName),
  snapshotAt: optional(time('Start of the snapshot.')),
  workspace: Type.Object({ id: Type.String({ pattern: `^${prefixes.workspace}${ID_BODY}$` }) }),
  row: Type.Object({
    name: text(limits.workspaceName),
    project: text(limits.id),
    version: text(limits.version),
    tags: Type.Array(tag, { maxItems: limits.tags + limits.bindings }),
    lock: Type.Unsafe<Static<typeof lock> | null>({ anyOf: [lock, { type: 'null' }] }),
    deleted: Type.Boolean(),
  }),
});

/** Schemas that the hub validates events with. */
export const hubSchemas = {
  hubEnvelope,
  hubWorkspace,
  hubCompletion: snapshotEvents['snapshot.completed'],
};

export type HubEnvelope = Static<typeof hubEnvelope>;
export type HubWorkspace = Static<typeof hubWorkspace>;
export type HubCompletion = Static<typeof hubSchemas.hubCompletion>;
