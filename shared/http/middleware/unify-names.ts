import { DomainError, invalid } from '../../domain/errors.ts';
import { synonyms } from '../../domain/vocabulary.ts';
import { humanize } from '../../schemas/error-messages.ts';
import type { HttpRequest } from '../request.ts';

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Renames members with another name to the attribute that they mean.
 * @param path name of the level above with a dot at its end; empty for attributes.
 * @returns the names that were replaced.
 * @throws DomainError 422 if both names have different values.
 */
const unify = (members: Members, path = ''): string[] =>
  Object.keys(synonyms).flatMap((other) => {
    const [name, value] = [synonyms[other], members[other]];
    if (name === undefined || value === undefined) return [];
    if (Object.hasOwn(members, name) && members[name] !== value) {
      throw invalid(path + name, `${name} and ${other} are names of one attribute, and their values differ`);
    }
    delete members[other];
    members[name] = value;
    return [other];
  });

/** Renames the attributes, and the members of attributes that are objects. No attribute has more levels. */
const unifyLevels = (attributes: Members): string[] => [
  ...unify(attributes),
  ...Object.entries(attributes).flatMap(([name, value]) => (isObject(value) ? unify(value, `${name}.`) : [])),
];

/**
 * Renames attributes in the body that have another name (HTTP-34), so that operations know one name only. Errors about
 * them are spelled as in the request, see `spelledAsSent`. The response has the category of a variable as the request wrote
 * it, unless the request chooses the vocabulary itself (HTTP-33).
 */
export const unifyNames = ({ event, internal }: HttpRequest): void => {
  const { data } = (isObject(internal.body) ? internal.body : {}) as { data?: unknown };
  const attributes = isObject(data) ? data['attributes'] : undefined;
  if (!isObject(attributes)) return;
  internal.replacedNames = unifyLevels(attributes);
  const isChosen = event.headers['holdfast-vocabulary'] !== undefined;
  if (!isChosen && attributes['category'] === 'terraform') internal.vocabulary = 'terraform';
};

/**
 * Spells an error about an attribute with the name that the request used (HTTP-34), in its pointer and at the beginning
 * of its detail.
 * @param replacedNames names in the body that were replaced by the names that operations know.
 */
export const spelledAsSent = (error: unknown, replacedNames: readonly string[] = []): unknown => {
  if (!(error instanceof DomainError) || !error.source || !('pointer' in error.source)) return error;
  const { code, detail, source, cause } = error;
  const sent = replacedNames.find((name) => source.pointer.endsWith(`/${synonyms[name]}`));
  if (sent === undefined) return error;
  const known = synonyms[sent] ?? '';
  return new DomainError(code, detail?.replace(new RegExp(`^${humanize(known)}`), humanize(sent)), {
    source: { pointer: source.pointer.slice(0, -known.length) + sent },
    cause,
  });
};
