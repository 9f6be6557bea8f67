import { DomainError } from '../domain/errors.ts';
import type { Route } from '../routes/index.ts';

/**
 * What `include` asks for, in words with commas between them (HTTP-27); hyphens are underscores, as some clients
 * write them.
 * @throws DomainError 400 for what this route cannot include.
 */
export const readInclude = (query: URLSearchParams, { method, includes = [] }: Route): ReadonlySet<string> => {
  // Whoever changes something and asks for more than the answer to that is not refused the change.
  if (method !== 'GET') return new Set();
  const asked = query
    .getAll('include')
    .flatMap((words) => words.split(','))
    .map((word) => word.trim().replaceAll('-', '_'))
    .filter((word) => word !== '');
  if (asked.every((word) => includes.includes(word))) return new Set(asked);
  // Clients look for this very phrase, and ask again without.
  throw new DomainError('bad-request', 'Invalid include parameter', { source: { parameter: 'include' } });
};
