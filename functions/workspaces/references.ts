import { isId } from '../../shared/domain/ids.ts';
import type { ConfigurationRequest } from '../../shared/domain/workspace/configure.ts';
import type { ReferenceIds, References } from '../../shared/store/directory/directory-reader.ts';

/** The records that a request names, as far as they have ids at all; the others are unknown without a look. */
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

/** Another organization's records are as unknown as those that do not exist. */
export const ofOrganization = (references: References, organization: string): References =>
  Object.fromEntries(Object.entries(references).filter(([, record]) => record?.organization === organization));
