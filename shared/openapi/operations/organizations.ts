import { entitlementSet, organization } from '../../resources/organizations/openapi.ts';
import type { organizations as routes } from '../../routes/organizations.ts';
import { text } from '../../schemas/schema.ts';
import { type Group, list, one } from '../operation.ts';

export const organizations: Group<keyof typeof routes> = {
  name: 'Organizations',
  description: 'What workspaces, projects and teams belong to.',
  operations: {
    'organizations.list': {
      summary: 'List organizations',
      description: 'Those that the caller belongs to.',
      rule: 'ORG-4',
      query: { q: { description: 'A part of the name or the e-mail address, in any case.', schema: text() } },
      answers: list(organization),
    },
    'organizations.create': {
      summary: 'Create an organization',
      description:
        'With its default project and its owners team. The caller needs the token of a site administrator, and can do nothing in it from then on. It is owned by the user whom `owner` names, or else who has the e-mail address; one that is not there is made.',
      rule: 'ORG-2',
      body: 'Needs `name` and `email`. Unknown attributes are ignored.',
      answers: one(organization),
      refuses: {
        404: 'The caller is no site administrator.',
        409: 'An organization of that name is being deleted.',
      },
    },
    'organizations.show': { summary: 'Show an organization', rule: 'ORG-4', answers: one(organization) },
    'organizations.update': {
      summary: 'Update an organization',
      description:
        "The caller needs to be an owner, or the organization's token. What the body leaves out stays as it is.",
      rule: 'ORG-5',
      body: 'The name may be given, but not changed. Unknown attributes are ignored.',
      answers: one(organization),
    },
    'organizations.delete': {
      summary: 'Delete an organization that has no workspaces',
      description:
        'The caller needs to be an owner. It is gone at once; its name is free when all that belongs to it is.',
      rule: 'ORG-8',
      refuses: { 409: 'It has workspaces.' },
    },
    'organizations.entitlements': {
      summary: 'Show the entitlement set of an organization',
      rule: 'ORG-7',
      answers: one(entitlementSet),
    },
  },
};
