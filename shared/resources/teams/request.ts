import Type, { type Static } from 'typebox';
import { organizationPermissions } from '../../domain/directory/grants.ts';
import { teamVisibilities } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { boolean, id, oneOf, patterns, text } from '../../schemas/parts.ts';

const teamAttributes = Type.Object({
  name: Type.Optional(text(limits.recordName, { minLength: 1, pattern: patterns.pathName, examples: ['builders'] })),
  visibility: Type.Optional(oneOf(teamVisibilities)),
  'organization-access': Type.Optional(
    Type.Object(Object.fromEntries(organizationPermissions.map((name) => [name, boolean]))),
  ),
});

const team = Type.Object({
  data: Type.Object({
    type: oneOf(['teams']),
    id: Type.Optional(id),
    attributes: Type.Optional(teamAttributes),
  }),
});

const many = (type: string, means: string) =>
  Type.Object({
    data: Type.Array(Type.Object({ type: oneOf([type]), id: text(limits.id, { minLength: 1, description: means }) }), {
      maxItems: limits.membersAtOnce,
    }),
  });
const teamUsers = many('users', 'A username, or the id of a user.');
const teamMemberships = many('organization-memberships', 'The id of a membership of the organization.');

export const teamBodies = { team, teamUsers, teamMemberships };

export type TeamAttributes = Static<typeof teamAttributes>;
