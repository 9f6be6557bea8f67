import Type, { type Static } from 'typebox';
import { executionModes } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { boolean, id, nullableObject, oneOf, patterns, resourceIdentifier, text } from '../../schemas/parts.ts';

const organizationAttributes = Type.Object({
  name: Type.Optional(text(limits.organizationName, { minLength: 1, pattern: patterns.pathName })),
  email: Type.Optional(text(limits.email, { pattern: patterns.email, examples: ['ada@example.com'] })),
  /** Username of the first owner of a new organization. */
  owner: Type.Optional(text(limits.username, { minLength: 1, pattern: patterns.pathName })),
  'default-execution-mode': Type.Optional(oneOf(executionModes)),
  'default-agent-pool-id': Type.Optional(id),
  'allow-force-delete-workspaces': boolean,
  'assessments-enforced': boolean,
});

const organization = Type.Object({
  data: Type.Object({
    type: oneOf(['organizations']),
    id: Type.Optional(id),
    attributes: Type.Optional(organizationAttributes),
    relationships: Type.Optional(
      Type.Object({ 'default-agent-pool': Type.Optional(nullableObject({ data: Type.Optional(resourceIdentifier) })) }),
    ),
  }),
});

export const organizationBodies = { organization };

export type OrganizationAttributes = Static<typeof organizationAttributes>;
