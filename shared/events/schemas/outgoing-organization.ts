import Type from 'typebox';
import { bulkActions, jobStatuses, previewOutcomes, recordedOutcomes } from '../../domain/bulk-jobs/bulk-job.ts';
import type { OrganizationChangeType } from '../../domain/changes/organization-changes.ts';
import { nullable, oneOf } from '../../schemas/schema.ts';
import { defineEvents, type EventDefinition, type EventOf, envelopes, text, textOrNull } from './envelope.ts';
import { defaultRetentionPolicy, keys, teamAccess } from './outgoing.ts';

const update = {
  keys,
  previous: Type.Optional(
    Type.Object({ name: text('Name before the change.') }, { description: 'Previous name, where it changed.' }),
  ),
};
const reservedTagKey = {
  reservedTagKey: Type.Object({
    id: text('Id, which never changes.'),
    key: text('The tag key; after a deletion, as it was.'),
    disableOverrides: Type.Boolean({ description: 'Whether workspaces cannot override it.' }),
  }),
};
const user = Type.Object({ id: text('Id of the user.') });
const teamMembership = { team: Type.Object({ id: text('Id of the team.') }), user };
const token = {
  owner: Type.Object(
    {
      kind: oneOf<readonly string[]>([
        ...['user', 'team', 'organization', 'audit-trails', 'agentPool', 'workloadIdentity', 'site'],
      ]),
      id: text('Id of the user, team, agent pool or workload identity, or name of the organization.'),
    },
    { description: 'Who the token belongs to. No event contains its text or a digest of it.' },
  ),
};

const actingTeam = { team: Type.Object({ id: text('Id of the team.') }, { description: 'As which it acts.' }) };
const presented = Type.Object(
  {
    issuer: text('Issuer of the identity token.'),
    subject: textOrNull('Its claim `sub`.'),
    jti: textOrNull('Its claim `jti`.'),
  },
  { description: 'The identity token for which the token was given. No event contains it.' },
);

const provider = text('Name of the identity provider; `link` for a sign-in by link.');
const signIn = Type.Object({ provider });
const startedSession = Type.Object({ provider, session: text('Id of the session.') });
const ids = (description: string) => Type.Array(text('Id of a team.'), { description });
const teams = Type.Object({ added: ids('Teams that the user joined.'), removed: ids('Teams that the user left.') });

const numbers = (names: readonly string[], description: string) =>
  Type.Object(Object.fromEntries(names.map((name) => [name, Type.Integer({ minimum: 0 })])), { description });
const job = {
  job: Type.Object(
    {
      action: oneOf(bulkActions),
      status: oneOf(jobStatuses),
      total: nullable(Type.Integer({ minimum: 0, description: 'Number of workspaces. Null: not known yet.' })),
      previews: numbers([...previewOutcomes, 'warned'], 'Workspaces by the outcome of their preview.'),
      outcomes: numbers(recordedOutcomes, 'Workspaces by outcome. Those that are missing from the total are skipped.'),
    },
    { description: 'The bulk job after the change.' },
  ),
};

/** Schemas of outgoing events of organizations and what belongs to them: one for each type of change record (EVENT-17). */
export const organizationEvents = defineEvents(envelopes.organizationEnvelope, {
  'organization.created': ['An organization was created.', {}],
  'organization.updated': ['Settings of an organization changed.', update],
  'organization.deleted': ['An organization was deleted, with everything in it.', {}],
  'organization.retention-policy-changed': [
    'The default data retention policy of an organization was set or removed.',
    { retentionPolicy: defaultRetentionPolicy },
  ],
  'organization.reserved-tag-key-created': ['A tag key was reserved.', reservedTagKey],
  'organization.reserved-tag-key-updated': ['A reserved tag key changed.', reservedTagKey],
  'organization.reserved-tag-key-deleted': ['A tag key is no longer reserved.', reservedTagKey],
  'project.created': ['A project was created.', {}],
  'project.updated': ['Attributes of a project changed.', update],
  'project.access-changed': [
    'The access of a team to a project changed.',
    { team: teamAccess('Level after the change, or `custom`. Null: no access on the project itself.') },
  ],
  'project.deleted': ['A project was deleted.', {}],
  'team.created': ['A team was created.', {}],
  'team.updated': ['Attributes or organization permissions of a team changed.', update],
  'team.deleted': ['A team was deleted, with its memberships and tokens.', {}],
  'team-membership.created': ['A user was added to a team.', teamMembership],
  'team-membership.deleted': ['A user was removed from a team.', teamMembership],
  'organization-membership.created': ['A user joined an organization.', { user }],
  'organization-membership.deleted': ['A user left an organization.', { user }],
  'user.signed-in': [
    'A member signed in at an identity provider, or by a link of an operator.',
    { user, signIn: startedSession },
  ],
  'user.sign-in-link-created': ['An operator created a link with which a member can sign in once.', { user }],
  'user.suspended': ['A member was suspended, and has no access until the suspension ends.', { user }],
  'user.resumed': ['The suspension of a member ended.', { user }],
  'user.exempted': ['A member was exempted from the sign-in policy of the organization for a time.', { user }],
  'identity.linked': ['An identity at an identity provider was linked to a member.', { user, signIn }],
  'identity.unlinked': ['An identity at an identity provider is no longer linked to a member.', { user, signIn }],
  'membership.synced': ['Groups at an identity provider changed the teams of a member.', { user, signIn, teams }],
  'session.ended': ['A session of a member ended before its time.', { user, signIn: startedSession }],
  'token.created': ['A token was created.', token],
  'token.issued': [
    'A pipeline changed an identity token for a token of a workload identity.',
    { ...token, ...actingTeam, presented },
  ],
  'token.first-used': ['A token authenticated a request for the first time.', token],
  'token.revoked': ['A token was revoked, or replaced by a new one.', token],
  'agent-pool.created': ['An agent pool was created.', {}],
  'agent-pool.updated': ['Attributes of an agent pool changed.', update],
  'agent-pool.deleted': ['An agent pool was deleted, with its tokens.', {}],
  'ssh-key.created': ['An SSH key was created.', {}],
  'ssh-key.updated': ['An SSH key changed.', update],
  'ssh-key.deleted': ['An SSH key was deleted.', {}],
  'vcs-connection.created': ['A VCS connection was created.', {}],
  'vcs-connection.updated': ['Attributes of a VCS connection changed.', update],
  'vcs-connection.deleted': ['A VCS connection was deleted.', {}],
  'app-installation.created': ['An app installation was created.', {}],
  'app-installation.updated': ['Attributes of an app installation changed.', update],
  'app-installation.deleted': ['An app installation was deleted.', {}],
  'workload-identity.created': ['A workload identity was created.', actingTeam],
  'workload-identity.updated': ['Attributes of a workload identity changed.', { ...update, ...actingTeam }],
  'workload-identity.deleted': ['A workload identity was deleted, with its tokens.', {}],
  'bulk-job.created': ['A bulk job was created. Its preview begins.', job],
  'bulk-job.ready': ['The preview of a bulk job is complete.', job],
  'bulk-job.applied': ['A bulk job was applied. It changes workspaces from now on.', job],
  'bulk-job.canceled': ['A bulk job was canceled. An active one ends soon after that.', job],
  'bulk-job.completed': ['A bulk job has ended: it is complete, has failed, or was canceled while it was active.', job],
} satisfies Record<OrganizationChangeType, EventDefinition>);

export type OrganizationEvent = EventOf<typeof organizationEvents>;
