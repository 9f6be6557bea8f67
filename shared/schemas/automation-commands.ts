import Type, { type Static, type TProperties } from 'typebox';
import { limits } from '../domain/limits.ts';
import { categories } from '../domain/workspace/variable.ts';
import { patterns } from './patterns.ts';

/**
 * The commands of the `automation` function: what the HTTP API does, by the names of things and without a token. What
 * becomes a request's body is validated by the function that answers the request.
 */

const text = (description: string, options: object = {}) =>
  Type.String({ minLength: 1, maxLength: limits.recordName, description, ...options });
const optional = Type.Optional;

const common = {
  id: text('Tells the command from all others of its principal: within a day it is made once, however often it comes', {
    maxLength: 128,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._:-]*$',
  }),
  organization: text('Name of the organization', { maxLength: limits.organizationName, pattern: patterns.pathName }),
  principal: text('Name of the service principal that acts: a team that was made with --service', {
    pattern: patterns.pathName,
  }),
};
const workspace = text('Name or id of the workspace', { maxLength: limits.workspaceName, pattern: patterns.pathName });
const parts = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });
const attributes = parts('As in a request for the same');
const names = (description: string, maxItems: number) =>
  Type.Array(Type.String({ minLength: 1, maxLength: limits.sourceUrl }), { minItems: 1, maxItems, description });
const key = text('Key of the variable', { maxLength: limits.variableKey });
const category = optional(
  Type.Unsafe<(typeof categories)[number]>({
    type: 'string',
    enum: categories,
    description: 'Kind of the variable; infra unless said',
  }),
);

const command = <const D extends string, P extends TProperties>(description: D, properties: P) => ({
  description,
  parameters: Type.Object({ ...common, ...properties }, { additionalProperties: false }),
});
const consumers = names('Names or ids of workspaces', 100);
const tags = names('Names of tags', limits.tags);

export const automationCommands = {
  show: command('Answers a workspace', { workspace }),
  create: command('Creates a workspace', {
    attributes,
    relationships: optional(parts('As in a request for the same')),
  }),
  update: command('Changes a workspace; what is left out stays', {
    workspace,
    attributes: optional(attributes),
    relationships: optional(parts('As in a request for the same')),
  }),
  lock: command('Locks a workspace', {
    workspace,
    reason: optional(Type.String({ maxLength: limits.lockReason, description: 'Why' })),
  }),
  unlock: command('Unlocks a workspace that the principal has locked', { workspace }),
  forceUnlock: command('Unlocks a workspace, whoever has locked it', { workspace }),
  safeDelete: command('Deletes a workspace that manages nothing', { workspace }),
  forceDelete: command('Deletes a workspace, whatever it manages', { workspace }),
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
    value: optional(Type.String({ description: 'Its value' })),
    description: optional(Type.String({ description: 'What it is for' })),
    hcl: optional(Type.Boolean({ description: 'Whether the value is an expression' })),
    sensitive: optional(Type.Boolean({ description: 'Whether the value can never be read again' })),
  }),
  deleteVariable: command('Deletes the variable of that key', { workspace, key, category }),
  addConsumers: command('Lets further workspaces read the state', { workspace, consumers }),
  removeConsumers: command('Lets workspaces no longer read the state', { workspace, consumers }),
  assignSshKey: command('Gives a workspace an SSH key', { workspace, sshKey: text('Id of the key') }),
  unassignSshKey: command('Takes the SSH key from a workspace', { workspace }),
  request: command('Any other request of the HTTP API, but for tokens', {
    method: Type.Unsafe<'GET' | 'POST' | 'PATCH' | 'DELETE'>({
      type: 'string',
      enum: ['GET', 'POST', 'PATCH', 'DELETE'],
      description: 'Method of the request',
    }),
    path: text('Path of the request, below /api/v2, with its query', { maxLength: 4_000, pattern: '^/[^\\s]*$' }),
    body: optional(parts('Its body')),
  }),
} as const;

type Commands = typeof automationCommands;
export type AutomationCommand = keyof Commands;
export type AutomationParameters<C extends AutomationCommand> = Static<Commands[C]['parameters']>;
