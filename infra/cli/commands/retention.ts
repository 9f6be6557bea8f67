import {
  deleteDefaultRetentionPolicy,
  deleteRetentionPolicy,
  setDefaultRetentionPolicy,
  setRetentionPolicy,
  showDefaultRetentionPolicy,
  showRetentionPolicy,
} from '../../../shared/client/retention.ts';
import type { DocumentOf } from '../../../shared/client/types.ts';
import { command, type Group } from '../command.ts';
import { explainNotFound, usageError } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import { defineView, type Row } from '../output/view.ts';
import { argument, type Parameter } from '../parameters.ts';
import { organizations } from './organizations.ts';
import { pipedWorkspaceArgument, workspaceArgument, workspaceArguments } from './workspace-rows.ts';

type Policy = DocumentOf<'get', '/api/v2/workspaces/{workspace_id}/relationships/data-retention-policy'>['data'];

/** A data retention policy. `days` is null if all state versions are kept. */
const retentionView = defineView(['name', 'days', 'is-inherited'], ['id']);

/** Converts a policy to a row. @param name of the workspace or the organization for which it is in force. */
const toRetentionRow = (name: string, { id, attributes, relationships }: Policy): Row => ({
  name,
  id,
  days: 'delete-older-than-n-days' in attributes ? attributes['delete-older-than-n-days'] : null,
  'is-inherited': relationships.target.data.type === 'organizations',
});

/** Describes a policy after its change. */
const retentionSentence = ({ name, days }: Row): string =>
  days === null
    ? `${name} keeps all state versions.`
    : `State versions of ${name} are deleted after ${days} days, except the current one.`;

/** The argument for the time after which state versions are deleted, in days. Undefined keeps all of them. */
const retentionArgument: Parameter<number | undefined> = {
  ...argument('Days after which state versions are deleted, or "forever" to keep all.'),
  parse: (text) => {
    if (text === 'forever') return undefined;
    if (!/^[1-9]\d{0,8}$/.test(text)) throw usageError(`"${text}" is neither a number of days nor "forever".`);
    return Number(text);
  },
  fallback: undefined,
};

/** Data retention policies of workspaces (docs/reference/data-retention.md). */
export const workspaceRetentionCommands: Group = {
  title: 'Data retention policies of workspaces',
  commands: [
    command({
      name: 'ws retention show',
      summary: 'Show how long the state versions of a workspace are kept',
      description: 'Shows the policy of the workspace, else the default of the organization.',
      arguments: { workspace: workspaceArgument },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'retention-policies.show'],
      result: { kind: 'item', view: retentionView },
      examples: ['ws retention show network'],
      errors: { notFound: 'There is no policy: all state versions are kept.' },
      run: async ({ api, workspace }, args) => {
        const { id, name } = await workspace(args.workspace);
        const { document } = await explainNotFound(
          api.send(showRetentionPolicy(id)),
          `Neither ${name} nor its organization has a retention policy. All state versions are kept.`,
        );
        return toRetentionRow(name, document.data);
      },
    }),
    command({
      name: 'ws retention set',
      summary: 'Set how long the state versions of workspaces are kept',
      description: 'State versions that are older are deleted for good once a day. The current one is always kept.',
      arguments: { workspace: pipedWorkspaceArgument, days: retentionArgument },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'retention-policies.set'],
      result: { kind: 'changes', view: retentionView, sentence: retentionSentence },
      examples: ['ws retention set network 90', 'ws retention set network forever'],
      async *run(invocation, { workspace: names, days }) {
        return yield* forEachItem(invocation, names, async (argumentText) => {
          const { id, name } = await invocation.workspace(argumentText);
          const { document } = await invocation.api.send(setRetentionPolicy(id, days));
          return toRetentionRow(name, document.data);
        });
      },
    }),
    command({
      name: 'ws retention delete',
      summary: 'Delete the retention policies of workspaces, so that the default of the organization applies',
      arguments: { workspace: workspaceArguments },
      routes: ['workspaces.show-by-name', 'workspaces.show', 'retention-policies.delete'],
      result: {
        kind: 'changes',
        view: defineView(['name'], ['id']),
        sentence: ({ name }) => `Deleted the retention policy of ${name}. The default of the organization applies.`,
      },
      examples: ['ws retention delete network'],
      errors: { notFound: 'The workspace has no policy of its own.' },
      async *run(invocation, { workspace: names }) {
        return yield* forEachItem(invocation, names, async (argumentText) => {
          const { id, name } = await invocation.workspace(argumentText);
          await explainNotFound(
            invocation.api.send(deleteRetentionPolicy(id)),
            `${name} has no retention policy of its own.`,
          );
          return { name, id };
        });
      },
    }),
  ],
};

/** Default data retention policies of organizations (docs/reference/data-retention.md). */
export const organizationRetentionCommands: Group = {
  title: 'Default data retention policy of an organization',
  commands: [
    command({
      name: 'org retention show',
      summary: 'Show how long the state versions of workspaces without a policy are kept',
      arguments: { organization: organizations.argument },
      routes: ['default-retention-policies.show'],
      result: { kind: 'item', view: retentionView },
      examples: ['org retention show acme'],
      errors: { notFound: 'There is no policy: all state versions are kept.' },
      run: async ({ api }, { organization }) => {
        const { document } = await explainNotFound(
          api.send(showDefaultRetentionPolicy(organization)),
          `${organization} has no retention policy, or you may not see it. Without one, all state versions are kept.`,
        );
        return toRetentionRow(organization, document.data);
      },
    }),
    command({
      name: 'org retention set',
      summary: 'Set how long the state versions of workspaces without a policy are kept',
      description: 'State versions that are older are deleted for good once a day. The current one is always kept.',
      arguments: { organization: organizations.argument, days: retentionArgument },
      routes: ['default-retention-policies.set'],
      result: { kind: 'change', view: retentionView, sentence: retentionSentence },
      examples: ['org retention set acme 365', 'org retention set acme forever'],
      run: async ({ api }, { organization, days }) => {
        const { document } = await api.send(setDefaultRetentionPolicy(organization, days));
        return toRetentionRow(organization, document.data);
      },
    }),
    command({
      name: 'org retention delete',
      summary: 'Delete the default retention policy, so that all state versions are kept',
      description: 'Policies of workspaces stay.',
      arguments: { organization: organizations.argument },
      routes: ['default-retention-policies.delete'],
      result: {
        kind: 'change',
        view: defineView(['name']),
        sentence: ({ name }) => `Deleted the default retention policy of ${name}.`,
      },
      examples: ['org retention delete acme'],
      errors: { notFound: 'The organization has no policy.' },
      run: async ({ api }, { organization }) => {
        await api.send(deleteDefaultRetentionPolicy(organization));
        return { name: organization };
      },
    }),
  ],
};
