import { text } from '../../../schemas/schema.ts';
import { type Group, list, one } from '../../operation.ts';
import { entitlementSet, organization, project } from '../../resources.ts';

export const organizations = {
  name: 'Organizations',
  description: 'Organizations own workspaces, projects and teams.',
  operations: {
    'organizations.list': {
      summary: 'List organizations',
      description: 'Returns the organizations that the caller belongs to.',
      rule: 'ORG-4',
      query: { q: { description: 'Part of the name or of the e-mail address, ignoring case.', schema: text() } },
      response: list(organization),
      errors: { 404: 'The token is for the audit trails of an organization.' },
    },
    'organizations.create': {
      summary: 'Create an organization',
      description:
        'Creates its default project and owners team too. The caller needs to be a site administrator, or a user where the deployment allows it. A user becomes the owner. With a site token the owner is the user whom `owner` names, or nobody until the site token adds one.',
      rule: 'ORG-2',
      body: '`name` and `email` are required. Unknown attributes are ignored.',
      response: one(organization),
      errors: {
        404: 'The caller may not create organizations.',
      },
    },
    'organizations.show': {
      summary: 'Show an organization',
      rule: 'ORG-4',
      response: one(organization),
      include: { default_project: [project] },
    },
    'organizations.update': {
      summary: 'Update an organization',
      description:
        "The caller needs to be an owner, or to use the organization's token. Omitted attributes stay unchanged.",
      rule: 'ORG-5',
      body: 'The name may be sent, but not changed. Unknown attributes are ignored.',
      response: one(organization),
    },
    'organizations.delete': {
      summary: 'Delete an organization that has no workspaces',
      description:
        'The caller needs to be an owner. The organization is out of service at once; its name is free when everything in it has been removed.',
      rule: 'ORG-8',
      errors: { 409: 'The organization has workspaces.' },
    },
    'organizations.entitlements': {
      summary: 'Show the entitlement set of an organization',
      rule: 'ORG-7',
      response: one(entitlementSet),
    },
  },
} satisfies Group;
