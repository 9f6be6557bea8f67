import { teamPermissions } from '../../domain/directory/grants.ts';
import { teamVisibilities } from '../../domain/directory/records.ts';
import { limits } from '../../domain/limits.ts';
import { patterns } from '../../schemas/patterns.ts';
import { count, flag, flags, nullable, oneOf, openFlags, optional, text } from '../../schemas/schema.ts';
import {
  type AttributeTableWithSettings,
  mapRequest,
  type RequestAttributes,
  readSettings,
  type SettingsOf,
  setting,
} from '../attribute-table.ts';

/** The attributes of a team (TEAM-1). */
export const attributes = {
  name: {
    offer: { required: true },
    request: text(undefined, {
      maxLength: limits.recordName,
      minLength: 1,
      pattern: patterns.teamName,
      examples: ['builders'],
    }),
    response: text(),
  },
  visibility: setting({
    setting: 'visibility',
    schema: oneOf(teamVisibilities, 'Whether members of other teams can see the team.'),
    default: 'secret',
  }),
  'sso-team-id': setting({
    setting: 'ssoTeamId',
    schema: nullable(
      text('Group at identity providers whose people are members of the team.', { maxLength: limits.ssoTeamId }),
    ),
    default: null,
  }),
  'allow-member-token-management': setting({
    setting: 'allowMemberTokenManagement',
    schema: flag('Whether members should manage the tokens of the team. It has no effect on permissions.'),
    default: true,
  }),
  'organization-access': {
    request: openFlags(teamPermissions),
    response: flags(teamPermissions, 'What the team may do in the organization.'),
  },
  'is-unified': { response: flag() },
  'users-count': { response: optional(count()) },
  permissions: {
    response: optional(
      flags(
        [
          'can-update-membership',
          'can-update-organization-access',
          'can-update-visibility',
          'can-update-api-token',
          'can-destroy',
        ],
        'What the caller may do with the team.',
      ),
    ),
  },
} as const satisfies AttributeTableWithSettings;

/** The attributes of a team in a request. */
export type TeamAttributes = RequestAttributes<typeof attributes>;

/** Maps the attributes of a team in a request to the domain. An omitted attribute is absent from the result. */
export const teamRequest = (given: TeamAttributes) => ({
  ...readSettings(attributes, given),
  ...mapRequest(attributes, given, {}),
});

declare module '../../domain/directory/records.ts' {
  interface TeamSettings extends SettingsOf<typeof attributes> {}
}
