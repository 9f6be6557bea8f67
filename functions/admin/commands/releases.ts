import { isExact } from '../../../shared/domain/infra-versions/versions.ts';
import { changeReleases } from '../../../shared/store/directory/releases.ts';
import type { AdminDependencies } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { invalidParameter } from '../parameters.ts';

const requireExact = (version: string): string => {
  if (isExact(version)) return version;
  throw invalidParameter('version', `version must be a full version such as 1.15.2, but is ${version}`);
};

/**
 * Creates the handlers of the commands for releases of the infrastructure tool. Functions cache the releases, so a
 * change takes effect within a minute.
 */
export const releases = ({
  directory: { table },
}: AdminDependencies): Pick<CommandHandlers, 'createRelease' | 'deleteRelease'> => ({
  createRelease: async ({ version }) => {
    await changeReleases(table, 'add', requireExact(version));
    return { release: { version } };
  },
  deleteRelease: async ({ version }) => {
    await changeReleases(table, 'remove', requireExact(version));
    return { deleted: version };
  },
});
