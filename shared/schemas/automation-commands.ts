import Type, { type Static, type TProperties } from 'typebox';
import { limits, MIN_LEASE_SECONDS } from '../domain/limits.ts';
import { categories } from '../domain/workspace/variable.ts';
import type { CommandTable } from './commands.ts';
import { patterns } from './patterns.ts';
import { oneOf } from './schema.ts';

/**
 * Commands of the `automation` function: requests of the HTTP API without a token, with names instead of ids. The
 * function that processes the request validates its body.
 */

const text = (description: string, options: object = {}) =>
  Type.String({ minLength: 1, maxLength: limits.recordName, description, ...options });
const optional = Type.Optional;

const common = {
  id: text(
    'Identifies the command among those of its principal: it is executed once within a day, however often it is sent',
    {
      maxLength: 128,
      pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$',
    },
  ),
  organization: text('Name of the organization', { maxLength: limits.organizationName, pattern: patterns.pathName }),
  principal: text('Name of the service principal that acts: a team created with --service', {
    pattern: patterns.pathName,
  }),
  refusals: optional(
    oneOf(
      ['throw'],
      'throw: a rejected command ends the invocation with a function error; synchronous invocations only',
    ),
  ),
};
const workspace = text('Name or id of the workspace', { maxLength: limits.workspaceName, pattern: patterns.pathName });
const parts = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
const attributes = parts('As in the HTTP request');
const names = (description: string, maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: limits.sourceUrl }), { minItems: 1, maxItems, description });
const key = text('Key of the variable', { maxLength: limits.variableKey });
const category = optional(oneOf(categories, 'Category of the variable; default: infra'));

const command = <const D extends string, P extends TProperties>(description: D, properties: P) => ({
  description,
  parameters: Type.Object({ ...common, ...properties }),
});
const consumers = names('Names or ids of workspaces', 100);
const tags = names('Names of tags', limits.tags);
const reason = (description: string) => optional(Type.String({ maxLength: limits.lockReason, description }));

export const automationCommands = {
  help: {
    description: 'Lists the commands and their parameters, or those of one command',
    parameters: Type.Object({ of: optional(text('Name of one command')) }),
  },
  show: command('Shows a workspace', { workspace }),
  create: command('Creates a workspace', {
    attributes,
    relationships: optional(parts('As in the HTTP request')),
  }),
  update: command('Updates a workspace; omitted attributes stay unchanged', {
    workspace,
    attributes: optional(attributes),
    relationships: optional(parts('As in the HTTP request')),
  }),
  lock: command('Locks a workspace', {
    workspace,
    reason: reason('Reason of the lock'),
    'lease-seconds': optional(
      Type.Integer({
        minimum: MIN_LEASE_SECONDS,
        maximum: limits.leaseSeconds,
        description: 'Length of the lease; without it, the lock never expires',
      }),
    ),
  }),
  unlock: command('Unlocks a workspace that the principal has locked', { workspace }),
  forceUnlock: command('Unlocks a workspace that anyone has locked', {
    workspace,
    reason: reason('Reason of the force-unlock, which its event and the history contain'),
  }),
  safeDelete: command('Deletes a workspace that manages no resources', { workspace }),
  forceDelete: command('Deletes a workspace even if it manages resources', { workspace }),
  addTags: command('Adds flat tags', { workspace, tags }),
  removeTags: command('Removes flat tags', { workspace, tags }),
  bindTags: command('Adds tags with values, or changes their values', {
    workspace,
    bindings: Type.Record(Type.String(), Type.String(), { description: 'Values by key' }),
  }),
  setVariable: command('Creates a variable, or changes the one with that key', {
    workspace,
    key,
    category,
    value: optional(Type.String({ description: 'Value' })),
    description: optional(Type.String({ description: 'Purpose' })),
    hcl: optional(Type.Boolean({ description: 'Whether the value is an expression' })),
    sensitive: optional(Type.Boolean({ description: 'Whether the value can never be read again' })),
  }),
  deleteVariable: command('Deletes the variable of that key', { workspace, key, category }),
  addConsumers: command('Adds workspaces that may read the state', { workspace, consumers }),
  removeConsumers: command('Removes workspaces from those that may read the state', { workspace, consumers }),
  assignSshKey: command('Assigns an SSH key to a workspace', { workspace, sshKey: text('Id of the key') }),
  unassignSshKey: command('Unassigns the SSH key of a workspace', { workspace }),
  request: command('Sends any other request of the HTTP API, except those on tokens', {
    method: oneOf(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], 'Method of the request'),
    path: text('Path of the request, below /api/v2, with its query', { maxLength: 4_000, pattern: '^/[^\\s]*$' }),
    body: optional(parts('Body of the request')),
  }),
} as const satisfies CommandTable;

/** Commands that are executed as requests. */
export type AutomationCommand = Exclude<keyof typeof automationCommands, 'help'>;
export type AutomationParameters<C extends AutomationCommand> = Static<(typeof automationCommands)[C]['parameters']>;
