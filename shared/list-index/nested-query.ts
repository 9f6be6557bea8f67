import { DomainError } from '../domain/errors.ts';

/** Deepest filter of a list: `filter[project][id]`. */
const DEEPEST = 4;

/**
 * Builds the query of a list from its parameters as nested objects: `{ search: { name: 'b' } }` stands for `search[name]=b`.
 * A list of values stands for a parameter that occurs several times.
 * @throws DomainError 400 for a value that a query cannot have.
 */
export const toQuery = (parameters: Readonly<Record<string, unknown>>): URLSearchParams => {
  const query = new URLSearchParams();
  const add = (name: string, value: unknown, depth: number): void => {
    if (value === null || value === undefined) return;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      query.append(name, String(value));
    } else if (depth >= DEEPEST) {
      throw new DomainError('bad-request', `${name} is too deep`);
    } else if (Array.isArray(value)) {
      for (const one of value) add(name, one, DEEPEST);
    } else {
      for (const [member, one] of Object.entries(value)) add(`${name}[${member}]`, one, depth + 1);
    }
  };
  for (const [name, value] of Object.entries(parameters)) add(name, value, 0);
  return query;
};
