import type { NamedKind, VcsConnection } from '../../../shared/domain/directory/records.ts';
import {
  clientIdForConnection,
  type Provider,
  providerFromConnection,
  providerFromInstallation,
} from '../../../shared/domain/workspace/vcs.ts';
import { refreshRepositories } from '../../../shared/store/workspaces/refresh-repositories.ts';
import { type AdminDependencies, adminRequest } from '../dependencies.ts';
import type { CommandHandlers } from '../handler.ts';
import { show } from './show.ts';

type RecordCommand =
  | `${'create' | 'update' | 'delete'}${'AgentPool' | 'VcsConnection' | 'AppInstallation'}`
  // SSH keys are created over HTTP: only the integrations function has permission to encrypt them.
  | 'deleteSshKey';

/** Shows a VCS connection with the id of its OAuth client, and without its token. */
const showConnection = ({ encryptedToken: _, ...connection }: VcsConnection) => ({
  ...show(connection),
  client: clientIdForConnection(connection.id),
});

const GITHUB = 'https://github.com';

/** Creates the handlers of the commands for agent pools, VCS connections, app installations and SSH keys. */
export const records = (dependencies: AdminDependencies): Pick<CommandHandlers, RecordCommand> => {
  const { directory, removal, workspaces, database } = dependencies;
  const { create, updateFields } = directory.records;

  const remove = async (kind: NamedKind, organization: string, name: string) => {
    await removal.removeRecord(adminRequest(), kind, organization, name);
    return { deleted: name };
  };

  const refresh = (organization: string, provider: Provider) =>
    refreshRepositories({ database, workspaces }, organization, provider);

  return {
    createAgentPool: async (parameters) => {
      const { record, created } = await create(adminRequest(), 'agentPool', parameters);
      return { agentPool: show(record), created };
    },
    updateAgentPool: async ({ organization, name, newName }) => ({
      agentPool: show(await updateFields(adminRequest(), 'agentPool', organization, name, () => ({ newName }))),
    }),
    deleteAgentPool: ({ organization, name }) => remove('agentPool', organization, name),

    createVcsConnection: async (parameters) => {
      const { record, created } = await create(adminRequest(), 'vcsConnection', parameters);
      return { vcsConnection: showConnection(record), created };
    },
    updateVcsConnection: async ({ organization, name, newName, ...fields }) => {
      const connection = await updateFields(adminRequest(), 'vcsConnection', organization, name, () => ({
        newName,
        fields,
      }));
      await refresh(organization, providerFromConnection(connection));
      return { vcsConnection: showConnection(connection) };
    },
    deleteVcsConnection: ({ organization, name }) => remove('vcsConnection', organization, name),

    createAppInstallation: async ({ httpUrl = GITHUB, ...parameters }) => {
      const { record, created } = await create(adminRequest(), 'appInstallation', { ...parameters, httpUrl });
      return { appInstallation: show(record), created };
    },
    updateAppInstallation: async ({ organization, name, newName, ...fields }) => {
      const installation = await updateFields(adminRequest(), 'appInstallation', organization, name, () => ({
        newName,
        fields,
      }));
      await refresh(organization, providerFromInstallation(installation));
      return { appInstallation: show(installation) };
    },
    deleteAppInstallation: ({ organization, name }) => remove('appInstallation', organization, name),

    deleteSshKey: ({ organization, name }) => remove('sshKey', organization, name),
  };
};
