import type { Organization, Project, Team, User } from '../../shared/domain/directory/records.ts';
import { timestamp } from '../../shared/lib/clock.ts';

/** Builds the output of a record: times as text, without attributes that only the store needs. */
export const show = <R extends { readonly createdAt: number }>({ createdAt, ...record }: R) => ({
  ...record,
  createdAt: timestamp(createdAt),
});

export const showOrganization = ({ access: _, shards, spreadAt, snapshotAt, ...organization }: Organization) =>
  show(organization);
export const showProject = ({ access: _, bindings, ...project }: Project) => ({
  ...show(project),
  tagBindings: bindings.map(({ key, value }) => ({ key, value })),
});
export const showTeam = (team: Team) => show(team);
export const showUser = (user: User) => show(user);
