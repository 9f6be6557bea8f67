import type { Organization, Project, User } from '../../../shared/domain/directory/records.ts';
import { timestamp } from '../../../shared/lib/clock.ts';

/** Builds the output of a record: times as text, without attributes that only the store needs. */
export const show = <R extends { readonly createdAt: number }>({ createdAt, ...record }: R) => ({
  ...record,
  createdAt: timestamp(createdAt),
});

/** Builds the output of a user. */
export const showUser = ({ suspendedAt, ...user }: User) => ({
  ...show(user),
  ...(suspendedAt !== undefined && { suspendedAt: timestamp(suspendedAt) }),
});

/** Builds the output of an organization. */
export const showOrganization = ({
  access: _,
  shards,
  snapshotAt,
  ownerless,
  reservedTagKeys,
  tokenTtlPolicies,
  ...organization
}: Organization) => show(organization);
/** Builds the output of a project. */
export const showProject = ({ access: _, bindings, ...project }: Project) => ({
  ...show(project),
  tagBindings: bindings.map(({ key, value }) => ({ key, value })),
});
