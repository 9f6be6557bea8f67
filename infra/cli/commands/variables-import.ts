import type { Variable } from '../../../shared/client/types.ts';
import { verifyVariable } from '../../../shared/client/variables.ts';
import { command } from '../command.ts';
import { Failure } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import { readText } from '../input.ts';
import type { Invocation } from '../invocation.ts';
import { argument, flag } from '../parameters.ts';
import type { Entry } from '../variable-files/entry.ts';
import { readVariableFile } from '../variable-files/read-variable-file.ts';
import { changeSentence, type NamedOwner, putVariable } from './variable-commands.ts';
import { changeView, isSameCategory, readVariables } from './variable-rows.ts';

import { workspaceArgument } from './workspace-rows.ts';

/** Compares a value with a stored secret. A secret that cannot be compared counts as another one. */
const isSecret = async ({ api }: Invocation, owner: NamedOwner, { id }: Variable, value: string): Promise<boolean> => {
  try {
    const { document } = await api.lookUp(verifyVariable(owner, id, value));
    return document.data.attributes.matches;
  } catch (error) {
    if (error instanceof Failure && error.exit === 'conflict') return false;
    throw error;
  }
};

/** A variable of the file that the workspace lacks or has with other attributes. */
interface Difference {
  readonly entry: Entry;
  readonly found: Variable | undefined;
}

const isEqual = async (
  invocation: Invocation,
  owner: NamedOwner,
  found: Variable,
  { value, hcl, description, sensitive, ...entry }: Entry,
): Promise<boolean> => {
  const { attributes } = found;
  if (sensitive && !attributes.sensitive) return false;
  if (description !== undefined && description !== attributes.description) return false;
  if (entry.category !== 'env' && hcl !== attributes.hcl) return false;
  if (value === undefined) return entry['value-reference'] === attributes['value-reference'];
  if (!attributes.sensitive) return value === attributes.value;
  return attributes['value-reference'] === null && isSecret(invocation, owner, found, value);
};

const namesOf = (differences: readonly Difference[]): string => differences.map(({ entry }) => entry.key).join(', ');

/** Reports what an import will do before it does it. */
const reportPlan = ({ note }: Invocation, differences: readonly Difference[], unchanged: number): void => {
  const created = differences.filter(({ found }) => found === undefined);
  const changed = differences.filter(({ found }) => found !== undefined);
  if (created.length > 0) note(`Creates ${namesOf(created)}.`);
  if (changed.length > 0) note(`Changes ${namesOf(changed)}.`);
  if (unchanged > 0) note(`Variables that are the same already: ${unchanged}.`);
};

/** Defines the command that creates and changes the variables of a file. */
export const importCommand = command({
  name: 'var import',
  summary: 'Create and change variables as a file says',
  description:
    'The name of the file tells its format: .tfvars and .tfvars.json have variables of the infrastructure tool, .env has ' +
    'variables of the environment, and .json has an array as "var export --format json" writes it. A file that is not ' +
    'understood completely changes nothing. Variables that are the same are left alone, and variables that are not in the file ' +
    'stay.',
  arguments: { workspace: workspaceArgument, file: argument('Path of the file.') },
  flags: {
    sensitive: flag('Make all values of the file unreadable for good.'),
    yes: flag('Do not ask for confirmation before values are replaced.'),
  },
  routes: [
    'workspaces.show-by-name',
    'workspaces.show',
    'workspace-variables.list',
    'workspace-variables.verify',
    'workspace-variables.show',
    'workspace-variables.create',
    'workspace-variables.update',
  ],
  result: { kind: 'changes', view: changeView, sentence: changeSentence },
  examples: ['var import network production.tfvars', 'var import network .env --sensitive --yes'],
  errors: { partial: 'Some variables could not be created or changed.' },
  async *run(invocation, args, { sensitive, yes }) {
    const entries = readVariableFile(args.file, await readText(invocation.io, args.file));
    const owner: NamedOwner = { ...(await invocation.workspace(args.workspace)), type: 'workspaces' };
    const variables = await readVariables(invocation.api.lookUp, owner);
    const differences: Difference[] = [];
    for (const one of entries) {
      const entry = sensitive ? { ...one, sensitive } : one;
      const found = variables.find(
        ({ attributes }) => attributes.key === entry.key && isSameCategory(attributes.category, entry.category),
      );
      if (found !== undefined && (await isEqual(invocation, owner, found, entry))) continue;
      differences.push({ entry, found });
    }
    reportPlan(invocation, differences, entries.length - differences.length);
    const replaced = differences.filter(({ found }) => found !== undefined);
    if (replaced.length > 0) {
      const sentence = `Replaces variables of ${owner.name}: ${namesOf(replaced)}.`;
      await invocation.confirm({ sentence, name: owner.name, yes });
    }
    return yield* forEachItem(invocation, differences, ({ entry, found }) =>
      putVariable(invocation, owner, found, entry),
    );
  },
});
