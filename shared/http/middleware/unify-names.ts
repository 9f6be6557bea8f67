import { invalid } from '../../domain/errors.ts';
import { synonyms } from '../../domain/vocabulary.ts';
import type { HttpMiddleware, HttpRequest } from '../request.ts';

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Renames members with another name to the attribute that they mean, in the attributes of a body and in their members.
 * @param path names of the levels above, with dots between them.
 * @returns the names that were replaced.
 * @throws DomainError 422 if both names have different values.
 */
const unify = (members: Members, path = ''): string[] =>
  Object.entries(members).flatMap(([other, value]) => {
    if (isObject(value)) return unify(value, `${path}${other}.`);
    const name = synonyms[other];
    if (name === undefined) return [];
    if (Object.hasOwn(members, name) && members[name] !== value) {
      throw invalid(path + name, `${name} and ${other} are names of one attribute, and their values differ`);
    }
    delete members[other];
    members[name] = value;
    return [other];
  });

/**
 * Renames attributes in the body that have another name (HTTP-34), so that operations know one name only. Errors about
 * them are spelled as in the request, see `spelledAsSent`.
 */
export const unifyNames = (): HttpMiddleware => {
  const unifyNamesBefore = ({ internal }: HttpRequest): void => {
    const { data } = (isObject(internal.body) ? internal.body : {}) as { data?: unknown };
    const attributes = isObject(data) ? data['attributes'] : undefined;
    if (isObject(attributes)) internal.replacedNames = unify(attributes);
  };
  return { before: unifyNamesBefore };
};
