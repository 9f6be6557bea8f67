import { isExact } from '../../shared/domain/infra-versions/versions.ts';
import { changeReleases } from '../../shared/store/directory/releases.ts';
import type { CommandHandlers } from './handler.ts';
import { invalidParameter } from './parameters.ts';
import type { AdminServices } from './services.ts';

const exact = (version: string): string => {
  if (isExact(version)) return version;
  throw invalidParameter('version', `version must be a full version such as 1.15.2, not ${version}`);
};

/** Releases of the infrastructure tool; functions know of a change after a minute at most. */
export const releases = ({
  directory: { table },
}: AdminServices): Pick<CommandHandlers, 'createRelease' | 'deleteRelease'> => ({
  createRelease: async ({ version }) => {
    await changeReleases(table, 'add', exact(version));
    return { release: { version } };
  },
  deleteRelease: async ({ version }) => {
    await changeReleases(table, 'remove', exact(version));
    return { deleted: version };
  },
});
