import { type DomainError, invalid } from '../errors.ts';

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

/** Tells whether a variable is sensitive: its value is stored encrypted. */
export const isSensitive = ({ content }: Pick<Variable, 'content'>): boolean => 'sealed' in content;

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
