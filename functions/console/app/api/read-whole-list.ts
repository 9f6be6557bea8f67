import type { ApiRequest } from '../../../../shared/client/request.ts';
import { withRetries } from '../../../../shared/client/send.ts';
import type { ListedResource } from '../lib/list-rows.ts';
import { send } from './send.ts';

/** A document with a page of a list. */
export interface ListDocument {
  readonly data: readonly object[];
  readonly included?: readonly object[];
  readonly links?: { readonly next?: string | null };
}

/** Returns the URL of a list from its first page, with pages of the largest size (HTTP-20). */
const firstPage = (url: string): string => {
  const [path = '', query] = url.split('?');
  const parameters = new URLSearchParams(query);
  parameters.delete('page[number]');
  parameters.delete('page[after]');
  parameters.set('page[size]', '100');
  return `${path}?${parameters}`;
};

/** All resources of a list, with those that they refer to. */
interface WholeList {
  readonly resources: readonly ListedResource[];
  readonly included: readonly ListedResource[];
}

/** Reads all pages of a list, one after the other. @param request describes the request of any page of the list */
export const readWholeList = async (request: ApiRequest<ListDocument>): Promise<WholeList> => {
  const resources: ListedResource[] = [];
  const included: ListedResource[] = [];
  let url: string | null = firstPage(request.url);
  while (url !== null) {
    const page: ApiRequest<ListDocument> = { ...request, url };
    const { document } = await withRetries(() => send(page));
    resources.push(...(document.data as readonly ListedResource[]));
    included.push(...((document.included ?? []) as readonly ListedResource[]));
    const next = document.links?.next;
    // The service can be reached by other names than those of its links.
    url = next == null ? null : next.replace(/^[a-z]+:\/\/[^/]+/, '');
  }
  return { resources, included };
};
