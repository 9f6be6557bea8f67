import type { Revised } from '../changes/entity-tags.ts';
import { DomainError, invalid } from '../errors.ts';
import { limits } from '../limits.ts';

/** Categories of variables (VAR-1): input of the infrastructure tool, or its environment. */
export const categories = ['infra', 'env'] as const;
export type Category = (typeof categories)[number];

/** Owner of a variable: a workspace, or a variable set (VARSET-8). */
export type VariableOwner =
  | { readonly workspace: string; readonly variableSet?: never }
  | { readonly variableSet: string; readonly workspace?: never };

/** A variable (VAR-1). Category and key are unique in the workspace or variable set. The id never changes. */
export type Variable = VariableOwner & VariableFields;

interface VariableFields {
  readonly id: string;
  readonly category: Category;
  readonly key: string;
  readonly content: Content;
  /** Keyed fingerprint of the value (VAR-15); undefined if the value has none. */
  readonly fingerprint?: string | undefined;
  readonly description: string | null;
  readonly hcl: boolean;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Random id of this version of the variable, for optimistic concurrency control. */
  readonly version: string;
}

/**
 * The value of a variable: plain text, the ciphertext of a sensitive value, which the service cannot decrypt, or a
 * reference to a value in AWS, which the service does not read (VAR-17).
 */
export type Content =
  | { readonly value: string }
  | { readonly encryptedValue: Uint8Array }
  | { readonly reference: string; readonly sensitive: boolean };

/** A variable whose new secret, if it has one, is not encrypted yet. */
export type Draft = VariableOwner &
  Omit<VariableFields, 'content'> & { readonly content: Content | { readonly secret: string } };

/** Attributes of a variable in a request. Absent ones keep their values. */
export interface VariableRequest {
  readonly key?: string;
  readonly category?: Category;
  readonly value?: string;
  readonly reference?: string;
  readonly description?: string | null;
  readonly hcl?: boolean;
  readonly sensitive?: boolean;
}

/** Size in bytes above which the value of a variable that is not sensitive has a fingerprint too (VAR-15). */
const FINGERPRINTED_BYTES = 2_048;

/**
 * Returns the value of which a fingerprint is needed before the variable is stored (VAR-15): of a new secret, and of a
 * long value without a fingerprint.
 */
export const valueToFingerprint = ({ content, fingerprint }: Draft): string | undefined => {
  if ('secret' in content) return content.secret;
  if (fingerprint !== undefined || !('value' in content)) return undefined;
  return Buffer.byteLength(content.value) > FINGERPRINTED_BYTES ? content.value : undefined;
};

/** Tells whether a variable is sensitive: its value is stored encrypted, or it is marked as such. */
export const isSensitive = ({ content }: Pick<Draft, 'content'>): boolean =>
  'reference' in content ? content.sensitive : !('value' in content);

/** Returns a variable as a resource with a revision: every change gives it another version. */
export const asRevised = ({ id, version }: Pick<Variable, 'id' | 'version'>): Revised => ({ id, revision: version });

/** Returns the id of the workspace or variable set that a variable belongs to. */
export const ownerId = ({ workspace, variableSet }: VariableOwner): string => workspace ?? variableSet;

/** Returns the encryption context of a variable: two ids that never change. */
export const encryptionContext = ({ workspace, variableSet, id }: VariableOwner & { readonly id: string }) =>
  workspace === undefined ? { variableSet, variable: id } : { workspace, variable: id };

/** Thrown if another request changed the variable. The caller reads it again and decides again. */
export class VariableChanged extends Error {
  override readonly name = 'VariableChanged';
}

/** Creates the error for a key that another variable of the workspace or variable set has. */
export const keyTaken = (): DomainError => invalid('key', 'Key has already been taken');

/**
 * Creates the error for a caller who has verified too many values of a variable (VAR-16).
 * @param retryAfter seconds until the oldest of these verifications is a minute ago.
 */
export const tooManyVerifications = (retryAfter: number): DomainError =>
  new DomainError(
    'too-many-requests',
    `A user, team or organization can verify at most ${limits.verifications} values of a variable a minute.`,
    {
      retryAfter,
    },
  );

/** Creates a variable from a request. */
export const newVariable = (
  identity: VariableOwner & Pick<VariableFields, 'id' | 'createdAt' | 'version'>,
  { value, reference, sensitive = false, ...fields }: NewVariableRequest,
): Draft => ({
  ...identity,
  description: null,
  hcl: false,
  ...fields,
  content: changedContent({ value: '' }, { value, reference, sensitive }),
});

/** Attributes of a new variable in a request. */
export type NewVariableRequest = VariableRequest & Required<Pick<VariableRequest, 'key' | 'category'>>;

/**
 * Applies a request to a variable. A sensitive variable can get another value, but its key cannot change, and it stays
 * sensitive.
 * @param version random id of the new version.
 * @throws DomainError 422 if the request changes the key or the sensitivity of a sensitive variable.
 */
export const changeVariable = (image: Variable, request: VariableRequest, version: string): Draft => {
  const { value: _, reference: __, sensitive, ...fields } = request;
  if (isSensitive(image)) {
    if (fields.key !== undefined && fields.key !== image.key)
      throw invalid('key', 'Key cannot be updated for a sensitive variable');
    if (sensitive === false) {
      throw invalid('sensitive', 'Sensitive cannot be taken from a sensitive variable: delete it and create another');
    }
  }
  const content = changedContent(image.content, request);
  return {
    ...image,
    ...fields,
    content,
    fingerprint: isSameValue(image.content, content) ? image.fingerprint : undefined,
    version,
  };
};

/** Returns whether a request gives a variable another value reference than it has. */
export const isNewReference = (
  { content }: Pick<Variable, 'content'>,
  request: VariableRequest,
): request is VariableRequest & { readonly reference: string } =>
  request.reference !== undefined && !('reference' in content && content.reference === request.reference);

/** Returns whether two values are certainly the same. A secret that is encrypted again counts as another one. */
export const isSameValue = (from: Content, to: Draft['content']): boolean => {
  if ('value' in to) return 'value' in from && from.value === to.value;
  if ('reference' in to) return 'reference' in from;
  return (
    'encryptedValue' in to && 'encryptedValue' in from && Buffer.from(from.encryptedValue).equals(to.encryptedValue)
  );
};

/** Applies a request to the value of a variable. A value replaces a reference, and a reference replaces a value (VAR-17). */
const changedContent = (
  image: Content,
  { value, reference, sensitive = isSensitive({ content: image }) }: ContentRequest,
): Draft['content'] => {
  if (reference !== undefined && value !== undefined) throw invalid('value-reference', VALUE_AND_REFERENCE);
  if (reference !== undefined) return { reference, sensitive };
  if (value !== undefined) return sensitive ? { secret: value } : { value };
  if ('value' in image && sensitive) return { secret: image.value };
  return 'reference' in image ? { ...image, sensitive } : image;
};

type ContentRequest = { readonly [N in 'value' | 'reference' | 'sensitive']?: VariableRequest[N] | undefined };

const VALUE_AND_REFERENCE = 'Value reference cannot be set together with value';

/** Records whose owners allow value references by their prefixes (VAR-18). */
interface Allowing {
  readonly allowedValueReferences?: readonly string[];
}

/**
 * Returns whether a value reference is a prefix or is below it. A prefix ends at a separator: `ssm:/prod` allows
 * `ssm:/prod/db` and not `ssm:/production`. Both have one spelling only, so that texts can be compared.
 */
const isBelow = (prefix: string, reference: string): boolean =>
  reference === prefix || reference.startsWith(/[/:]$/.test(prefix) ? prefix : `${prefix}/`);

/**
 * Requires that the organization or the project allows a value reference (VAR-18).
 * @throws DomainError 422
 */
export const requireAllowedReference = (reference: string, ...allowing: readonly (Allowing | undefined)[]): void => {
  const prefixes = allowing.flatMap((record) => record?.allowedValueReferences ?? []);
  if (prefixes.some((prefix) => isBelow(prefix, reference))) return;
  throw invalid(
    'value-reference',
    'Value reference must begin with one of the allowed-value-references of the organization or the project',
  );
};
