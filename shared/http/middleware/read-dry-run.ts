import { DomainError } from '../../domain/errors.ts';
import type { HttpRequest } from '../request.ts';

const NAME = 'dry-run';

/** Tells whether the name of a parameter is `dry-run` in any spelling, such as `dry_run` or `DryRun`. */
const meansDryRun = (name: string): boolean => name.toLowerCase().replaceAll(/[^a-z]/g, '') === NAME.replace('-', '');

const badRequest = (parameter: string, detail: string): DomainError =>
  new DomainError('bad-request', `${detail} Nothing was changed.`, { source: { parameter } });

/**
 * Reads the parameter `dry-run` of requests that write (EDIT-6). Any other spelling or value, and the parameter on a
 * route without a dry run, is 400: a client that sends it expects that nothing changes.
 */
export const readDryRun = ({ internal }: HttpRequest): void => {
  const { route, query } = internal;
  if (route === undefined || query === undefined || route.method === 'GET') return;
  const [name, ...others] = [...query.keys()].filter(meansDryRun);
  if (name === undefined) return;
  if (route.dryRun !== true) throw badRequest(name, 'This operation has no dry run.');
  if (name !== NAME || others.length > 0 || query.get(NAME) !== 'true') {
    throw badRequest(name, 'A dry run is requested by one parameter dry-run=true.');
  }
  internal.isDryRun = true;
};
