import Type from 'typebox';
import { limits, MIN_LEASE_SECONDS } from '../../domain/limits.ts';
import { nullableId, toMany, toOne } from '../../schemas/request-schema.ts';
import { count, nullable, nullableObject, oneOf, text } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { bindingElements, tagElements } from '../tags/request.ts';
import { attributes } from './attributes.ts';

const workspace = Type.Object(
  {
    data: Type.Object({
      type: oneOf(['workspaces']),
      id: Type.Optional(nullableId),
      attributes: Type.Optional(requestAttributes(attributes)),
      relationships: Type.Optional(
        Type.Object({
          project: toOne,
          tags: toMany(tagElements),
          'tag-bindings': toMany(bindingElements),
        }),
      ),
    }),
  },
  {
    examples: [
      {
        data: {
          type: 'workspaces',
          attributes: { name: 'network', 'auto-apply': true, 'infra-version': '~> 1.9.0' },
        },
      },
    ],
  },
);

const reason = Type.Optional(nullable(text('The reason, visible to others.', { maxLength: limits.lockReason })));

const leaseSeconds = Type.Optional(
  nullable(
    count('Length of the lease in seconds. Without it, the lock never expires.', {
      minimum: MIN_LEASE_SECONDS,
      maximum: limits.leaseSeconds,
    }),
  ),
);

/** Clients send one of three forms (LOCK-2): `{"reason"}`, a JSON:API document of any type with it, or no body. */
const workspaceLock = nullableObject(
  {
    reason,
    'lease-seconds': leaseSeconds,
    data: Type.Optional(
      nullableObject({ attributes: Type.Optional(nullableObject({ reason, 'lease-seconds': leaseSeconds })) }),
    ),
  },
  { examples: [{ reason: 'migrating' }] },
);

/** Body of a renewal (LOCK-19), in the same three forms. */
const workspaceLockRenewal = nullableObject(
  {
    'lease-seconds': leaseSeconds,
    data: Type.Optional(
      nullableObject({ attributes: Type.Optional(nullableObject({ 'lease-seconds': leaseSeconds })) }),
    ),
  },
  { examples: [{ 'lease-seconds': 300 }] },
);

/** Body of a force-unlock (LOCK-17), in the same three forms. */
const workspaceForceUnlock = nullableObject(
  {
    reason,
    data: Type.Optional(nullableObject({ attributes: Type.Optional(nullableObject({ reason })) })),
  },
  { examples: [{ reason: 'the pipeline has crashed' }] },
);

export const workspaceBodies = { workspace, workspaceLock, workspaceLockRenewal, workspaceForceUnlock };
