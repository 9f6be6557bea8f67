import { isId } from '../../shared/domain/ids.ts';
import type { ConfigurationRequest } from '../../shared/domain/workspace/configuration/configuration.ts';
import type { PatternChecks } from '../../shared/domain/workspace/patterns.ts';
import type { ReferenceIds } from '../../shared/store/directory/directory-reader.ts';

/** Collects the ids of records that a request refers to. Text that is not an id is unknown without a read. */
export const referenceIdsOf = ({ agentPool, vcsRepo }: ConfigurationRequest, project?: string): ReferenceIds => {
  const id = (kind: Parameters<typeof isId>[0], text: string | null | undefined): string | undefined =>
    text && isId(kind, text) ? text : undefined;
  return {
    agentPool: id('agentPool', agentPool),
    vcsConnection: id('vcsConnection', vcsRepo?.oauthTokenId),
    appInstallation: id('appInstallation', vcsRepo?.appInstallationId),
    project: id('project', project),
  };
};

/** Checks for a request without patterns. */
const noPatterns: PatternChecks = { checkGlob: () => true, checkTagsRegex: () => true };

/** Loads the checks of patterns, with their engines, for a request that has a pattern. */
export const loadPatternChecks = async ({
  vcsRepo,
  triggerPatterns = [],
}: ConfigurationRequest): Promise<PatternChecks> =>
  vcsRepo?.tagsRegex || triggerPatterns.length > 0 ? import('../../shared/domain/workspace/patterns.ts') : noPatterns;

/** Tells whether a request can change which agent pool a workspace uses. */
export const touchesExecution = ({ executionMode, operations, agentPool, overwrites }: ConfigurationRequest): boolean =>
  [executionMode, operations, agentPool, overwrites].some((value) => value !== undefined);
