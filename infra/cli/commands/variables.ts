import type { Schemas } from '../../../shared/client/types.ts';
import { toVariableRows, type VariableRow } from '../../../shared/client/variable-rows.ts';
import {
  findVariables,
  listOwnVariables,
  listSetsInForce,
  listVariablesInForce,
} from '../../../shared/client/variables.ts';
import { type Api, readAllPages, readByCursor } from '../api.ts';
import { command, type Group } from '../command.ts';
import { type ExitCode, exitCodes } from '../failure.ts';
import { attributesOf, defineView, type Row } from '../output/view.ts';
import { argument, flag } from '../parameters.ts';
import {
  deleteCommand,
  getCommand,
  keyArgument,
  noVariable,
  type OwnerKind,
  setCommand,
  verifyCommand,
} from './variable-commands.ts';
import {
  candidateView,
  categoryFlag,
  identityOf,
  isSameCategory,
  originView,
  readVariables,
  toCandidateRow,
  toOriginRow,
} from './variable-rows.ts';
import { exportCommand } from './variables-export.ts';
import { importCommand } from './variables-import.ts';
import { workspaceArgument } from './workspace-rows.ts';

const findRoutes = ['workspaces.show-by-name', 'workspaces.show'] as const;

/** Workspaces as owners of variables. */
const ofWorkspace: OwnerKind = {
  prefix: 'var',
  label: 'workspace',
  argument: workspaceArgument,
  find: async ({ workspace }, name) => ({ ...(await workspace(name)), type: 'workspaces' }),
  findRoutes,
  routes: 'workspace-variables',
  example: 'network',
};

/** Reads the variables in force for a workspace. @param send as that of `readPages`. */
const readInForce = async (send: Api['send'], workspace: string) =>
  (await send(listVariablesInForce(workspace))).document.data;

/** Routes that `readCandidates` requests. */
const candidateRoutes = ['workspace-variables.list', 'all-variables.list', 'workspace-varsets.list'] as const;

/** Reads every value that a variable has for a workspace, the one in force first. */
const readCandidates = async ({ send }: Api, workspace: string): Promise<readonly VariableRow[]> => {
  const inForce = await readInForce(send, workspace);
  const own = await readAllPages(send, (page) => listOwnVariables({ type: 'workspaces', id: workspace }, page));
  const sets = await readAllPages(send, (page) => listSetsInForce(workspace, page));
  return toVariableRows(
    { data: own.flatMap(({ data }) => data as readonly Schemas['Variable'][]) },
    { data: inForce },
    { data: sets.flatMap(({ data }) => data), included: sets.flatMap(({ included = [] }) => included) },
  );
};

const PRECEDENCE =
  'A variable set with priority overrides the workspace, and the workspace overrides all other variable sets. Of these, a set ' +
  'that is assigned to the workspace overrides one of its project, which overrides a global one; with priority it is the other ' +
  'way around.';

const differenceView = defineView(
  ['key', 'category', 'difference', 'first', 'second'],
  ['first-hcl', 'second-hcl', 'first-sensitive', 'second-sensitive'],
);

type InForce = Awaited<ReturnType<typeof readInForce>>[number];
/** The variables of two workspaces with the same category and key. */
type Pair = readonly [first: InForce | undefined, second: InForce | undefined];

/** Returns how two variables with one category and key differ, or undefined if they are equal. */
const differenceOf = (...[first, second]: Pair): string | undefined => {
  if (first === undefined) return 'second-only';
  if (second === undefined) return 'first-only';
  // Both workspaces have it from one variable set.
  if (first.id === second.id) return undefined;
  const [one, other] = [first.attributes, second.attributes];
  if (one.sensitive !== other.sensitive || one['value-reference'] !== other['value-reference']) return 'different';
  if (one.sensitive && one['value-reference'] === null) return 'unknown';
  return one.value === other.value && one.hcl === other.hcl ? undefined : 'different';
};

const shownValue = (variable: InForce | undefined): string | null =>
  variable?.attributes.value ?? variable?.attributes['value-reference'] ?? null;

const toDifferenceRow = ([first, second]: Pair, difference: string): Row => ({
  key: (first ?? second)?.attributes.key,
  category: (first ?? second)?.attributes.category,
  difference,
  first: shownValue(first),
  second: shownValue(second),
  'first-hcl': first?.attributes.hcl ?? null,
  'second-hcl': second?.attributes.hcl ?? null,
  'first-sensitive': first?.attributes.sensitive ?? null,
  'second-sensitive': second?.attributes.sensitive ?? null,
});

const foundView = defineView(
  ['key', 'category', 'owner', 'owner-name'],
  ['id', 'owner-id', ...attributesOf<Schemas['VariableKey']>()('key', 'category', 'owner-name')],
);

const toFoundRow = ({ id, attributes, relationships: { workspace, varset } }: Schemas['VariableKey']): Row => ({
  id,
  ...attributes,
  owner: workspace.data === null ? 'varset' : 'workspace',
  'owner-id': (workspace.data ?? varset.data)?.id ?? null,
});

/** Variables of workspaces (docs/concepts/variables.md). */
export const variableCommands: Group = {
  title: 'Variables',
  commands: [
    command({
      name: 'var list',
      summary: 'List the variables of a workspace, or all that are in force for it',
      description: `The value of a sensitive variable is never shown. ${PRECEDENCE}`,
      arguments: { workspace: workspaceArgument },
      flags: { 'in-force': flag('List what programs get, also from variable sets, and what it overrides.') },
      routes: [...findRoutes, ...candidateRoutes],
      result: { kind: 'list', view: originView },
      examples: ['var list network', 'var list network --in-force', 'var list network --json=key,value,origin'],
      async *run({ api, workspace }, args, { 'in-force': isInForce }) {
        const { id } = await workspace(args.workspace);
        if (!isInForce) {
          for (const variable of await readVariables(api.send, { type: 'workspaces', id })) {
            yield toOriginRow({ variable, variableSet: undefined, isInForce: true }, undefined);
          }
          return;
        }
        const candidates = Map.groupBy(await readCandidates(api, id), ({ variable }) =>
          identityOf(variable.attributes),
        );
        for (const [first, ...others] of candidates.values()) if (first?.isInForce) yield toOriginRow(first, others);
      },
    }),
    command({
      name: 'var find',
      summary: 'List the variables whose keys begin with a text, in all workspaces and variable sets',
      arguments: { text: argument('Beginning of the key, in upper or lower case.') },
      routes: ['variable-keys.list'],
      result: { kind: 'list', view: foundView },
      examples: ['var find AWS_', 'var find AWS_REGION --json=key,owner,owner-name'],
      async *run(invocation, { text }) {
        const organization = await invocation.organization();
        const find = (after: string | undefined) => findVariables(organization, text, 100, after);
        for await (const variable of readByCursor(invocation.api.send, find)) yield toFoundRow(variable);
      },
    }),
    command({
      name: 'var explain',
      summary: 'List every value that a variable has for a workspace, the one in force first',
      description: PRECEDENCE,
      arguments: { workspace: workspaceArgument, key: keyArgument(ofWorkspace) },
      flags: { category: categoryFlag },
      routes: [...findRoutes, ...candidateRoutes],
      result: { kind: 'list', view: candidateView },
      examples: ['var explain network AWS_REGION'],
      async *run({ api, workspace }, args, { category }) {
        const { name, resource } = await workspace(args.workspace);
        const found = (await readCandidates(api, resource.id)).filter(
          ({ variable: { attributes } }) =>
            attributes.key === args.key && (category === undefined || isSameCategory(category, attributes.category)),
        );
        if (found.length === 0) throw noVariable({ name }, args.key);
        for (const row of found) yield toCandidateRow(row, resource);
      },
    }),
    getCommand(
      ofWorkspace,
      'The value is the one in force for the workspace, also from a variable set: "holdfast var explain" shows why.',
      ['all-variables.list'],
      ({ send }, { id }) => readInForce(send, id),
    ),
    setCommand(ofWorkspace),
    deleteCommand(ofWorkspace),
    verifyCommand(ofWorkspace),
    importCommand,
    exportCommand,
    command({
      name: 'var diff',
      summary: 'Compare the variables in force for two workspaces',
      description:
        'Lists the variables that differ. Sensitive values cannot be compared: the difference is unknown, unless both workspaces ' +
        'have the variable from the same variable set.',
      arguments: { first: workspaceArgument, second: workspaceArgument },
      routes: [...findRoutes, 'all-variables.list'],
      result: { kind: 'list', view: differenceView },
      examples: ['var diff network-staging network-production'],
      errors: { partial: 'The variables differ, or a difference is unknown.' },
      async *run({ api, workspace }, args) {
        const [one, other] = [await workspace(args.first), await workspace(args.second)];
        const [first, second] = [await readInForce(api.send, one.id), await readInForce(api.send, other.id)];
        const seconds = new Map(second.map((variable) => [identityOf(variable.attributes), variable]));
        const pairs = new Map<string, Pair>(
          first.map((variable) => [identityOf(variable.attributes), [variable, undefined]]),
        );
        for (const [identity, variable] of seconds) pairs.set(identity, [pairs.get(identity)?.[0], variable]);
        let code: ExitCode = exitCodes.done;
        for (const [, pair] of [...pairs].sort(([a], [b]) => (a < b ? -1 : 1))) {
          const difference = differenceOf(...pair);
          if (difference === undefined) continue;
          yield toDifferenceRow(pair, difference);
          code = exitCodes.partial;
        }
        return code;
      },
    }),
  ],
};
