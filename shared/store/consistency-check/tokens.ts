import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../dynamodb/item.ts';
import { type Key, keys, SITE } from '../dynamodb/keys.ts';
import { tokenSubjectKey, tokenSubjectOf } from '../items/record-items.ts';
import { keyOf, spell, textOf } from './facts.ts';

/** Opens the checks of the references between tokens and their subjects. `must` records a problem of an item unless `holds`. */
export const checkTokens = (
  at: (key: Key) => Item | undefined,
  must: (item: Item, holds: boolean, problem: string) => void,
) => {
  const sameToken = (item: Item, about: Item): void => {
    const { id, digest } = about;
    const pointer = at(keys.pointer(textOf(id)));
    const mirror = at(keys.tokenOf(tokenSubjectOf(about), textOf(id)));
    const token = at(keys.token(textOf(digest)));
    const whole = pointer !== undefined && mirror !== undefined && token !== undefined;
    must(item, whole, 'the token, its mirror or its id pointer is missing');
    if (!whole) return;
    const whose = ({ id, kind, subject }: Item) => [id, kind, subject];
    const valuesOf = ({ name, organization, expiresAt, createdAt }: Item) => [name, organization, expiresAt, createdAt];
    must(
      item,
      isDeepStrictEqual(whose(token), whose(pointer)) &&
        isDeepStrictEqual([whose(token), valuesOf(token)], [whose(mirror), valuesOf(mirror)]) &&
        mirror['digest'] === digest &&
        pointer['digest'] === digest,
      'the token, its mirror and its id pointer do not match',
    );
  };
  /** Checks the single tokens of a team or organization, which a new token replaces. */
  const ownToken = (item: Item): void => {
    const { token, auditToken, ty, id, name } = item;
    for (const [one, kind] of [
      [token, ty],
      [auditToken, 'audit-trails'],
    ]) {
      if (one === undefined) continue;
      const pointer = at(keys.pointer(textOf(one)));
      const isOwn = pointer?.['kind'] === kind && pointer?.['subject'] === (ty === 'team' ? id : name);
      must(item, isOwn, 'its token does not exist or belongs to another subject');
    }
  };
  const checks: Readonly<Record<string, (item: Item) => void>> = {
    token: (item) => {
      const { digest } = at(keys.pointer(textOf(item['id']))) ?? {};
      const isOwn = spell(keys.token(textOf(digest))) === keyOf(item);
      if (isOwn) sameToken(item, { ...item, digest });
      else must(item, false, 'its id pointer does not lead to it');
      const subject = tokenSubjectOf(item);
      const key = tokenSubjectKey(subject);
      const isThere = subject.kind === 'site' ? subject.id === SITE.id : key !== undefined && at(key) !== undefined;
      must(item, isThere, 'its subject does not exist');
    },
    'token-of': (item) => sameToken(item, item),
    'token-id': (item) => sameToken(item, item),
  };
  return { ownToken, checks };
};
