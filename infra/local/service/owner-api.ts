import { PlainError } from '../../command-line.ts';
import type { LocalAccess } from './data-folder.ts';

/** A resource in a response of the API. */
export interface Resource {
  readonly id: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Opens requests to the API of the local service with the token of the first owner. */
export const openOwnerApi =
  ({ baseUrl, token }: Pick<LocalAccess, 'baseUrl' | 'token'>) =>
  async <T = Resource>(method: string, path: string, data?: object): Promise<T> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
      ...(data && { body: JSON.stringify({ data }) }),
    });
    if (!response.ok) throw new PlainError(`${method} ${path} was rejected with ${response.status}`);
    return ((await response.json()) as { data: T }).data;
  };
