import Type from 'typebox';
import { limits } from '../../domain/limits.ts';
import { nullableId, toMany, toOne } from '../../schemas/request-schema.ts';
import { nullable, nullableObject, oneOf, text } from '../../schemas/schema.ts';
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
          relationships: { project: { data: { type: 'projects', id: 'prj-CvpbqPPtsWSnyrTk' } } },
        },
      },
    ],
  },
);

const reason = Type.Optional(nullable(text('The reason, visible to others.', { maxLength: limits.lockReason })));

/** Clients send one of three forms (LOCK-2): `{"reason"}`, a JSON:API document of any type with it, or no body. */
const workspaceLock = nullableObject(
  {
    reason,
    data: Type.Optional(nullableObject({ attributes: Type.Optional(nullableObject({ reason })) })),
  },
  { examples: [{ reason: 'migrating' }] },
);

export const workspaceBodies = { workspace, workspaceLock };
