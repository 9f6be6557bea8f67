import { createHash } from 'node:crypto';
import { refreshRepository } from '../../shared/domain/directory-transitions.ts';
import { prefixes } from '../../shared/domain/ids.ts';
import { type Provider, providerOfConnection, providerOfInstallation } from '../../shared/domain/vcs.ts';
import { base58 } from '../../shared/random.ts';
import type { NamedKind } from '../../shared/store/administration-items.ts';
import type { RecordUpdate } from '../../shared/store/administration-records.ts';
import { findWorkspaces } from '../../shared/store/administration-usage.ts';
import type { Operations } from './handler.ts';
import { adminRequest, type Services } from './services.ts';
import { show } from './show.ts';

type Commands = `${'create' | 'update' | 'delete'}${'AgentPool' | 'VcsConnection' | 'AppInstallation' | 'SshKey'}`;

/** What is left out stays. */
const changes =
  (newName: string | undefined, set: Readonly<Record<string, unknown>> = {}) =>
  (): RecordUpdate => ({
    ...(newName !== undefined && { newName }),
    change: { set: Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined)) },
  });

/** As `ssh-keygen -l` shows keys: which one it is, without what it is. The key itself is not kept yet. */
const fingerprintOf = (key: string): string =>
  `SHA256:${createHash('sha256').update(key.trim()).digest('base64').replaceAll('=', '')}`;

const GITHUB = 'https://github.com';

export const records = (services: Services): Pick<Operations, Commands> => {
  const { administration, removal, workspaces } = services;
  const { create, update } = administration.records;

  const remove = async (kind: NamedKind, organization: string, name: string) => {
    await removal.removeRecord(kind, organization, name);
    return { deleted: name };
  };

  /** Workspaces keep a copy of what they show of a connection; repeated, the command brings stragglers up to date. */
  const refresh = async (organization: string, provider: Provider): Promise<void> => {
    const connected = await findWorkspaces(
      services,
      organization,
      ({ vcsRepo }) =>
        vcsRepo?.oauthTokenId === provider.oauthTokenId && vcsRepo.appInstallationId === provider.appInstallationId,
    );
    const transition = refreshRepository(provider);
    for (const workspace of connected) {
      if (!transition.applied(workspace)) await workspaces.apply(workspace, transition, adminRequest());
    }
  };
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
      const client = prefixes.vcsClient + base58(16);
      const { record, created } = await create('vcsConnection', { ...parameters, client });
      return { vcsConnection: show(record), created };
    },
    updateVcsConnection: async ({ organization, name, newName, ...set }) => {
      const connection = await update('vcsConnection', organization, name, changes(newName, set));
      await refresh(organization, providerOfConnection(connection));
      return { vcsConnection: show(connection) };
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

    createSshKey: async ({ value, ...parameters }) => {
      const { record, created } = await create('sshKey', { ...parameters, fingerprint: fingerprintOf(value) });
      return { sshKey: show(record), created };
    },
    updateSshKey: async ({ organization, name, newName, value }) => {
      const fingerprint = value === undefined ? undefined : fingerprintOf(value);
      return { sshKey: show(await update('sshKey', organization, name, changes(newName, { fingerprint }))) };
    },
    deleteSshKey: ({ organization, name }) => remove('sshKey', organization, name),
  };
};
