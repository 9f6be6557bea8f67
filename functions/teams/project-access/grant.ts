import {
  type CustomProjectAccess,
  levelOf,
  type ProjectGrant,
  type projectLevels,
  projectPartsOf,
} from '../../../shared/domain/directory/grants.ts';
import { invalid } from '../../../shared/domain/errors.ts';
import type { TeamProjectAttributes } from '../../../shared/resources/team-projects/attributes.ts';
import { projectAccessNames, teamProjectRequest } from '../../../shared/resources/team-projects/request-mapping.ts';
import { requireNoParts } from '../access.ts';

/**
 * Maps attributes to the access of a team to a project (TEAM-9, TEAM-10).
 * @param before the access that the team has; undefined for none.
 */
export const projectGrantOf = (attributes: TeamProjectAttributes, before?: ProjectGrant): ProjectGrant => {
  const { access, ...parts } = teamProjectRequest(attributes);
  const level = access ?? (before === undefined ? undefined : levelOf<(typeof projectLevels)[number]>(before));
  if (level === undefined) throw invalid('access', "Access can't be blank");
  if (level !== 'custom') {
    requireNoParts(
      level,
      Object.keys(parts).map((part) => projectAccessNames[part as keyof CustomProjectAccess]),
    );
    return level;
  }
  return { ...(before !== undefined && projectPartsOf(before)), ...parts };
};
