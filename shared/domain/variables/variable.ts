import { absent, all, below, exists } from '../changes/conditions.ts';
import { ALIVE, type RequestContext, type Transition } from '../changes/transitions.ts';
import { DomainError, invalid, notFound } from '../errors.ts';
import { limits } from '../limits.ts';
import { isAlive, type Workspace } from '../workspace/workspace-record.ts';

/** `infra` values are for the infrastructure tool, `env` ones for its environment (VAR-1). */
export const categories = ['infra', 'env'] as const;
export type Category = (typeof categories)[number];

/** A variable of a workspace (VAR-1). Its category and key are its own in the workspace; its id never changes. */
export interface Variable {
  readonly id: string;
  readonly workspace: string;
  readonly category: Category;
  readonly key: string;
  readonly content: Content;
  readonly description: string | null;
  readonly hcl: boolean;
  /** In milliseconds. */
  readonly createdAt: number;
  /** Another one with every change. */
  readonly version: string;
}

/** A text, or what a secret one was sealed to; that is never opened here. */
export type Content = { readonly value: string } | { readonly sealed: Uint8Array };

/** A variable whose secret, if it is given one, is still to be sealed. */
export type Draft = Omit<Variable, 'content'> & { readonly content: Content | { readonly secret: string } };

/** What a request says of a variable; what it leaves out stays as it is. */
export interface VariableRequest {
  readonly key?: string;
  readonly category?: Category;
  readonly value?: string;
  readonly description?: string | null;
  readonly hcl?: boolean;
  readonly sensitive?: boolean;
}

const isSensitive = ({ content }: Pick<Variable, 'content'>): boolean => 'sealed' in content;

/** What the secret of a variable is sealed to: two ids that never change. */
export const encryptionContext = ({ workspace, id }: Pick<Variable, 'workspace' | 'id'>) => ({
  workspace,
  variable: id,
});

export const keyTaken = (): DomainError => invalid('key', 'Key has already been taken');

export const newVariable = (
  whose: Pick<Variable, 'id' | 'workspace' | 'createdAt' | 'version'>,
  { key, category, value = '', description = null, hcl = false, sensitive = false }: NewVariableRequest,
): Draft => ({ ...whose, category, key, content: sensitive ? { secret: value } : { value }, description, hcl });

export type NewVariableRequest = VariableRequest & Required<Pick<VariableRequest, 'key' | 'category'>>;

/**
 * The variable as a request wants it. What is sensitive is write-once: it can be given another value, but neither
 * another key nor its secrecy be taken away.
 * @throws DomainError 422.
 */
export const changeVariable = (image: Variable, request: VariableRequest, version: string): Draft => {
  const { key = image.key, category = image.category, description = image.description, hcl = image.hcl } = request;
  if (isSensitive(image)) {
    if (key !== image.key) throw invalid('key', 'Key cannot be updated for a sensitive variable');
    if (request.sensitive === false) {
      throw invalid('sensitive', 'Sensitive cannot be taken from a sensitive variable: delete it and create another');
    }
  }
  return { ...image, category, key, content: changedContent(image, request), description, hcl, version };
};

const changedContent = (image: Variable, { value, sensitive }: VariableRequest): Draft['content'] => {
  const plain = 'value' in image.content ? image.content.value : undefined;
  if (plain !== undefined && sensitive !== true) return { value: value ?? plain };
  const secret = value ?? plain;
  return secret === undefined ? image.content : { secret };
};

/** A secret is never compared: sealed or given anew, it is another value. */
const isSameContent = (from: Content, to: Draft['content']): boolean => {
  if ('value' in to) return 'value' in from && from.value === to.value;
  return 'sealed' in to && 'sealed' in from && Buffer.from(from.sealed).equals(to.sealed);
};

/** The attributes in which two states of a variable differ, by their names in requests. */
const changedAttributes = (from: Variable, to: Draft): string[] => [
  ...(['category', 'key', 'description', 'hcl'] as const).filter((name) => from[name] !== to[name]),
  ...(isSameContent(from.content, to.content) ? [] : ['value']),
  ...('value' in to.content || isSensitive(from) ? [] : ['sensitive']),
];

/** What a change of a variable does to its workspace, which announces it; the variable's own writes go beside it. */
const about = (
  what: 'created' | 'updated' | 'deleted',
  { id }: RequestContext,
  { id: variable, category, key }: Pick<Variable, 'id' | 'category' | 'key'>,
  step: (image: Workspace) => Pick<ReturnType<Transition['plan']>, 'condition' | 'change' | 'keys'>,
): Transition => ({
  type: `workspace.variable-${what}`,
  plan: (image) => {
    if (!isAlive(image)) throw notFound();
    const { condition, ...rest } = step(image);
    return { ...rest, condition: all(ALIVE, condition), variable: { id: variable, category, key } };
  },
  applied: ({ change }) => change.request === id,
});

/** One more; the count is exact because it changes with the variable itself, or neither does. */
export const variableCreated = (request: RequestContext, variable: Variable): Transition =>
  about('created', request, variable, ({ variableCount }) => {
    if (variableCount === undefined) {
      return { condition: absent('variableCount'), change: { set: { hasVariables: true, variableCount: 1 } } };
    }
    if (variableCount >= limits.variables) {
      throw new DomainError('unprocessable', `A workspace can have at most ${limits.variables} variables.`);
    }
    return { condition: below('variableCount', limits.variables), change: { add: { variableCount: 1 } } };
  });

export const variableUpdated = (request: RequestContext, from: Variable, to: Draft): Transition =>
  about('updated', request, to, () => ({ condition: all(), change: {}, keys: changedAttributes(from, to) }));

export const variableDeleted = (request: RequestContext, variable: Variable): Transition =>
  about('deleted', request, variable, () => ({
    condition: exists('variableCount'),
    change: { add: { variableCount: -1 } },
  }));
