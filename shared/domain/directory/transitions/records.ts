import { type DomainError, notFound } from '../../errors.ts';
import type { NamedKind } from '../records.ts';

/** Names of the kinds of records in error details. */
export const recordLabels: Readonly<Record<NamedKind, string>> = {
  project: 'project',
  team: 'team',
  agentPool: 'agent pool',
  sshKey: 'SSH key',
  vcsConnection: 'VCS connection',
  appInstallation: 'app installation',
};

/** Creates the 404 error for an organization that does not exist. */
export const noOrganization = (): DomainError => notFound('There is no organization of that name.');

/** Creates the 404 error for a record that the organization does not have. */
export const noRecord = (kind: NamedKind, nameOrId: string): DomainError =>
  notFound(`There is no ${recordLabels[kind]} ${nameOrId} in this organization.`);
