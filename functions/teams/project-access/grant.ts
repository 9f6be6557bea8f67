import {
  type CustomProjectAccess,
  levelOf,
  type ProjectGrant,
  type projectLevels,
  projectPartsOf,
} from '../../../shared/domain/directory/grants.ts';
import { invalid } from '../../../shared/domain/errors.ts';
import type { TeamProjectAttributes } from '../../../shared/resources/team-projects/attributes.ts';
import { projectAccessNames } from '../../../shared/resources/team-projects/response.ts';
import { requireNoParts } from '../access.ts';

/**
 * Maps attributes to the access of a team to a project (TEAM-9, TEAM-10).
 * @param before the access that the team has; undefined for none.
 */
export const projectGrantOf = (attributes: TeamProjectAttributes, before?: ProjectGrant): ProjectGrant => {
  const partIn = (group: 'project-access' | 'workspace-access', name: string): unknown =>
    (attributes[group] as Readonly<Record<string, unknown>> | undefined)?.[name];
  const given = projectAccessNames.filter(([group, name]) => partIn(group, name) !== undefined);
  const level =
    attributes.access ?? (before === undefined ? undefined : levelOf<(typeof projectLevels)[number]>(before));
  if (level === undefined) throw invalid('access', "Access can't be blank");
  if (level !== 'custom') {
    requireNoParts(
      level,
      given.map(([group, name]) => `${group}.${name}`),
    );
    return level;
  }
  return {
    ...(before !== undefined && projectPartsOf(before)),
    ...(Object.fromEntries(given.map(([group, name, part]) => [part, partIn(group, name)])) as CustomProjectAccess),
  };
};
