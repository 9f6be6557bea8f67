import { isId } from '../../shared/domain/ids.ts';
import type { ConfigurationRequest } from '../../shared/domain/workspace/configuration/configuration.ts';
import type { ReferenceIds, References } from '../../shared/store/directory/directory-reader.ts';

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

/** Restricts references to one organization. Records of other organizations are treated as if they did not exist. */
export const ofOrganization = (references: References, organization: string): References =>
  Object.fromEntries(Object.entries(references).filter(([, record]) => record?.organization === organization));
