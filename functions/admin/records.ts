import type { NamedKind, VcsConnection } from '../../shared/domain/directory/records.ts';
import {
  clientOf,
  type Provider,
  providerOfConnection,
  providerOfInstallation,
} from '../../shared/domain/workspace/vcs.ts';
import type { RecordUpdate } from '../../shared/store/directory/records.ts';
import { refreshRepositories } from '../../shared/store/workspaces/refresh-repositories.ts';
import type { Operations } from './handler.ts';
import type { Services } from './services.ts';
import { show } from './show.ts';

type Commands =
  | `${'create' | 'update' | 'delete'}${'AgentPool' | 'VcsConnection' | 'AppInstallation'}`
  // Keys are made over HTTP, where they are encrypted.
  | 'deleteSshKey';

/** What is left out stays. */
const changes =
  (newName: string | undefined, set: Readonly<Record<string, unknown>> = {}) =>
  (): RecordUpdate => ({
    ...(newName !== undefined && { newName }),
    change: { set: Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)) },
  });

/** With the id of its client, which clients may ask for as well; its token is not shown. */
const showConnection = ({ sealed: _, ...connection }: VcsConnection) => ({
  ...show(connection),
  client: clientOf(connection.id),
});

const GITHUB = 'https://github.com';

export const records = (services: Services): Pick<Operations, Commands> => {
  const { administration, removal, workspaces, database } = services;
  const { create, update } = administration.records;

  const remove = async (kind: NamedKind, organization: string, name: string) => {
    await removal.removeRecord(kind, organization, name);
    return { deleted: name };
  };

  const refresh = (organization: string, provider: Provider) =>
    refreshRepositories({ database, store: workspaces }, organization, provider);

  return {
    createAgentPool: async (parameters) => {
      const { record, created } = await create('agentPool', parameters);
      return { agentPool: show(record), created };
    },
    updateAgentPool: async ({ organization, name, newName }) => ({
      agentPool: show(await update('agentPool', organization, name, changes(newName))),
    }),
    deleteAgentPool: ({ organization, name }) => remove('agentPool', organization, name),

    createVcsConnection: async (parameters) => {
      const { record, created } = await create('vcsConnection', parameters);
      return { vcsConnection: showConnection(record), created };
    },
    updateVcsConnection: async ({ organization, name, newName, ...set }) => {
      const connection = await update('vcsConnection', organization, name, changes(newName, set));
      await refresh(organization, providerOfConnection(connection));
      return { vcsConnection: showConnection(connection) };
    },
    deleteVcsConnection: ({ organization, name }) => remove('vcsConnection', organization, name),

    createAppInstallation: async ({ httpUrl = GITHUB, ...parameters }) => {
      const { record, created } = await create('appInstallation', { ...parameters, httpUrl });
      return { appInstallation: show(record), created };
    },
    updateAppInstallation: async ({ organization, name, newName, ...set }) => {
      const installation = await update('appInstallation', organization, name, changes(newName, set));
      await refresh(organization, providerOfInstallation(installation));
      return { appInstallation: show(installation) };
    },
    deleteAppInstallation: ({ organization, name }) => remove('appInstallation', organization, name),

    deleteSshKey: ({ organization, name }) => remove('sshKey', organization, name),
  };
};
