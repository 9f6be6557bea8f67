import Type from 'typebox';
import { prefixes } from '../../domain/ids.ts';
import { limits } from '../../domain/limits.ts';
import { resourceDocument } from '../../schemas/request-schema.ts';
import { exampleId, oneOf, text } from '../../schemas/schema.ts';
import { requestAttributes } from '../attribute-schemas.ts';
import { attributes } from './attributes.ts';

const team = resourceDocument(
  'teams',
  {
    attributes: Type.Optional(requestAttributes(attributes)),
  },
  { attributes: { name: 'builders', 'organization-access': { 'read-workspaces': true } } },
);

const members = (type: string, description: string, example: string) =>
  Type.Object(
    {
      data: Type.Array(
        Type.Object({
          type: Type.Optional(oneOf([type])),
          id: text(description, { maxLength: limits.id, minLength: 1 }),
        }),
        { maxItems: limits.membersAtOnce },
      ),
    },
    { examples: [{ data: [{ type, id: example }] }] },
  );
const teamUsers = members('users', 'A username, or the id of a user.', 'grace');
const teamMemberships = members(
  'organization-memberships',
  'The id of a membership of the organization.',
  exampleId(prefixes.membership),
);

export const teamBodies = { team, teamUsers, teamMemberships };
