import type { Variable } from '../../../shared/client/types.ts';
import {
  createVariable,
  deleteVariable,
  showVariable,
  updateVariable,
  type VariableInput,
  type VariableOwner,
  verifyVariable,
} from '../../../shared/client/variables.ts';
import type { RouteId } from '../../../shared/routes/index.ts';
import type { Api } from '../api.ts';
import { type Command, command } from '../command.ts';
import { Failure, usageError } from '../failure.ts';
import { forEachItem } from '../for-each-item.ts';
import type { Invocation } from '../invocation.ts';
import { defineView, type Row } from '../output/view.ts';
import { argument, type Complete, flag, type Parameter, remainingArguments, text, truth } from '../parameters.ts';
import {
  categoryFlag,
  changeView,
  readVariables,
  selectVariable,
  toVariableRow,
  variableView,
} from './variable-rows.ts';
import { fileFlag, readValue, VALUE_HELP } from './variable-values.ts';

/** A workspace or a variable set that an argument names. */
export interface NamedOwner extends VariableOwner {
  readonly name: string;
}

/** A kind of owner of variables, for the commands that workspaces and variable sets have in common. */
export interface OwnerKind {
  /** Words before the verb. */
  readonly prefix: 'var' | 'varset var';
  /** Name of the argument. */
  readonly label: 'workspace' | 'set';
  readonly argument: Parameter<string>;
  /** Finds the owner that an argument names. */
  readonly find: (invocation: Invocation, name: string) => Promise<NamedOwner>;
  /** Routes that `find` requests. */
  readonly findRoutes: readonly RouteId[];
  /** First part of the names of the routes of its variables. */
  readonly routes: 'workspace-variables' | 'varset-variables';
  /** A name for examples. */
  readonly example: string;
}

/** Creates the error for a variable that an owner does not have. */
export const noVariable = ({ name }: { readonly name: string }, key: string): Failure =>
  new Failure('notFound', `${name} has no variable ${key}.`);

/** Finds one variable of an owner. @throws Failure `notFound` */
const findVariable = async (
  { api }: Invocation,
  owner: NamedOwner,
  key: string,
  category: string | undefined,
): Promise<Variable> => {
  const found = selectVariable(await readVariables(api.lookUp, owner), key, category);
  if (found === undefined) throw noVariable(owner, key);
  return found;
};

/** Returns the value of a variable as a row. @throws Failure if no response contains the value. */
const toValueRow = (variable: Variable): Row => {
  const { key, sensitive, value, 'value-reference': reference } = variable.attributes;
  if (sensitive) {
    throw new Failure('notFound', `${key} is sensitive. No command can print its value.`, {
      hint: '"holdfast exec" passes it to a program, and "holdfast var verify" compares it with a value.',
    });
  }
  if (value === null) {
    throw new Failure('notFound', `The value of ${key} is not stored. It refers to ${reference}.`, {
      hint: '"holdfast exec" reads it for a program.',
    });
  }
  return toVariableRow(variable);
};

/** Attributes that `set` and `import` send. Absent ones stay as they are. */
type VariableChange = Partial<Omit<VariableInput, 'key' | 'category'>> & {
  readonly 'value-reference'?: string;
};

/** Whether the service rejects a creation because somebody else has created the variable in the meantime. */
const isTaken = (error: unknown): boolean =>
  error instanceof Failure && error.details.status === 422 && /already been taken/.test(error.message);

/** Creates a variable, or changes it if the owner has one with the category and key. */
export const putVariable = async (
  invocation: Invocation,
  owner: VariableOwner,
  found: Variable | undefined,
  { key, category, ...change }: VariableChange & Pick<VariableInput, 'key' | 'category'>,
): Promise<Row> => {
  const { api } = invocation;
  if (found === undefined) {
    try {
      const { document } = await api.send(createVariable(owner, { key, category, ...change } as VariableInput));
      return { ...toVariableRow(document.data), change: 'created' };
    } catch (error) {
      if (!isTaken(error)) throw error;
      const created = selectVariable(await readVariables(api.lookUp, owner), key, category);
      if (created === undefined) throw error;
      return putVariable(invocation, owner, created, { key, category, ...change });
    }
  }
  const { etag } = await api.lookUp(showVariable(owner, found.id));
  const { document } = await api.send(
    updateVariable(owner, found.id, change, {
      ifMatch: etag,
      isSensitive: found.attributes.sensitive || change.sensitive === true,
    }),
  );
  return { ...toVariableRow(document.data), change: 'changed' };
};

/** Describes a change in a sentence. */
export const changeSentence = ({ key, change }: Row): string =>
  `${change === 'created' ? 'Created' : 'Changed'} ${key}.`;

const ownerArguments = ({ label, argument }: OwnerKind) => ({ [label]: argument });
const ownerOf = ({ label, find }: OwnerKind, invocation: Invocation, args: Readonly<Record<string, unknown>>) =>
  find(invocation, String(args[label]));

/** Suggests the keys of the variables of an owner. */
const completeKey =
  ({ find }: OwnerKind): Complete =>
  async (invocation, _, [owner = '']) => {
    const variables = await readVariables(invocation.api.lookUp, await find(invocation, owner));
    return variables.map(({ attributes }) => attributes.key);
  };

/** Builds the argument that names a variable of an owner. */
export const keyArgument = (kind: OwnerKind): Parameter<string> =>
  argument('Key of the variable.', { complete: completeKey(kind) });

/** Defines the command that creates or changes a variable. */
export const setCommand = (kind: OwnerKind): Command =>
  command({
    name: `${kind.prefix} set`,
    summary: 'Create a variable, or change its value',
    description: `${VALUE_HELP} What no flag names stays as it is; a new variable has the category infra without --category.`,
    arguments: { ...ownerArguments(kind), key: keyArgument(kind) },
    flags: {
      file: fileFlag,
      reference: text('Store this reference to a value in AWS in place of a value.', 'ssm:/PATH|ARN'),
      sensitive: flag('Make the value unreadable for good. It can be replaced, verified, and passed to programs.'),
      hcl: truth('Whether the value is an expression of the infrastructure tool.'),
      category: categoryFlag,
      description: text('What the variable is for.', 'TEXT'),
    },
    routes: [
      ...kind.findRoutes,
      `${kind.routes}.list`,
      `${kind.routes}.show`,
      `${kind.routes}.create`,
      `${kind.routes}.update`,
    ],
    result: { kind: 'change', view: changeView, sentence: changeSentence },
    examples: [
      `${kind.prefix} set ${kind.example} region < region.txt`,
      `${kind.prefix} set ${kind.example} DB_PASSWORD --category env --sensitive --file password.txt`,
      `${kind.prefix} set ${kind.example} API_KEY --category env --reference ssm:/${kind.example}/api-key`,
    ],
    errors: { conflict: 'Somebody else has changed the variable at the same time. Nothing was changed.' },
    run: async (invocation, args, { file, reference, sensitive, hcl, category, description }) => {
      const key = String(args['key']);
      if (file !== undefined && reference !== undefined) throw usageError('--file and --reference exclude each other.');
      const content =
        reference === undefined ? { value: await readValue(invocation, key, file) } : { 'value-reference': reference };
      const owner = await ownerOf(kind, invocation, args);
      const found = selectVariable(await readVariables(invocation.api.lookUp, owner), key, category);
      return putVariable(invocation, owner, found, {
        key,
        category: category ?? found?.attributes.category ?? 'infra',
        ...content,
        ...(sensitive && { sensitive }),
        ...(hcl !== undefined && { hcl }),
        ...(description !== undefined && { description }),
      });
    },
  });

/** Defines the command that deletes variables. */
export const deleteCommand = (kind: OwnerKind): Command =>
  command({
    name: `${kind.prefix} delete`,
    summary: 'Delete variables',
    arguments: {
      ...ownerArguments(kind),
      key: remainingArguments('Keys of the variables.', { complete: completeKey(kind) }),
    },
    flags: { category: categoryFlag, yes: flag('Do not ask for confirmation.') },
    routes: [...kind.findRoutes, `${kind.routes}.list`, `${kind.routes}.delete`],
    result: { kind: 'changes', view: changeView, sentence: ({ key }) => `Deleted ${key}.` },
    examples: [`${kind.prefix} delete ${kind.example} region`, `${kind.prefix} delete ${kind.example} A B --yes`],
    async *run(invocation, args, { category, yes }) {
      const owner = await ownerOf(kind, invocation, args);
      const variables = await readVariables(invocation.api.lookUp, owner);
      return yield* forEachItem(invocation, args['key'] as unknown as readonly string[], async (key) => {
        const found = selectVariable(variables, key, category);
        if (found === undefined) throw noVariable(owner, key);
        await invocation.confirm({ sentence: `Deletes the variable ${key} of ${owner.name}.`, name: key, yes });
        await invocation.api.send(deleteVariable(owner, found.id));
        return { ...toVariableRow(found), change: 'deleted' };
      });
    },
  });

/** Defines the command that compares a value with that of a variable. */
export const verifyCommand = (kind: OwnerKind): Command =>
  command({
    name: `${kind.prefix} verify`,
    summary: 'Compare a value with that of a variable, also of a sensitive one',
    description: `${VALUE_HELP} You can compare 30 values of a variable within a minute. Each comparison is an event.`,
    arguments: { ...ownerArguments(kind), key: keyArgument(kind) },
    flags: { file: fileFlag, category: categoryFlag },
    routes: [...kind.findRoutes, `${kind.routes}.list`, `${kind.routes}.verify`],
    result: {
      kind: 'change',
      view: defineView(['key', 'category', 'matches'], ['id']),
      sentence: ({ key }) => `The value is that of ${key}.`,
    },
    examples: [`${kind.prefix} verify ${kind.example} DB_PASSWORD --file password.txt`],
    errors: {
      conflict: 'The value cannot be compared: it is a reference, or was stored by an old release.',
      partial: 'The value is another one.',
    },
    run: async (invocation, args, { file, category }) => {
      const value = await readValue(invocation, String(args['key']), file);
      const owner = await ownerOf(kind, invocation, args);
      const { id, attributes } = await findVariable(invocation, owner, String(args['key']), category);
      const { document } = await invocation.api.send(verifyVariable(owner, id, value));
      const { matches } = document.data.attributes;
      if (!matches) throw new Failure('partial', `The value is not that of ${attributes.key}.`);
      return { id, key: attributes.key, category: attributes.category, matches };
    },
  });

/** Defines the command that prints the value of a variable. @param read returns the variables among which it is. */
export const getCommand = (
  kind: OwnerKind,
  description: string,
  routes: readonly RouteId[],
  read: (api: Api, owner: NamedOwner) => Promise<readonly Variable[]>,
): Command =>
  command({
    name: `${kind.prefix} get`,
    summary: 'Print the value of a variable',
    description,
    arguments: { ...ownerArguments(kind), key: keyArgument(kind) },
    flags: { category: categoryFlag },
    routes: [...kind.findRoutes, ...routes],
    result: { kind: 'text', view: variableView, field: 'value' },
    examples: [`${kind.prefix} get ${kind.example} region`],
    errors: { notFound: 'There is no such variable, or no response contains its value.' },
    run: async (invocation, args, { category }) => {
      const owner = await ownerOf(kind, invocation, args);
      const found = selectVariable(await read(invocation.api, owner), String(args['key']), category);
      if (found === undefined) throw noVariable(owner, String(args['key']));
      return toValueRow(found);
    },
  });

/** Defines the command that lists the variables of an owner itself. */
export const listCommand = (kind: OwnerKind): Command =>
  command({
    name: `${kind.prefix} list`,
    summary: 'List variables',
    arguments: ownerArguments(kind),
    routes: [...kind.findRoutes, `${kind.routes}.list`],
    result: { kind: 'list', view: variableView },
    examples: [`${kind.prefix} list ${kind.example}`],
    async *run(invocation, args) {
      const owner = await ownerOf(kind, invocation, args);
      for (const variable of await readVariables(invocation.api.send, owner)) yield toVariableRow(variable);
    },
  });
