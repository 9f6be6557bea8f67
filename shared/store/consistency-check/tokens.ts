import { isDeepStrictEqual } from 'node:util';
import { SITE } from '../../domain/directory/tokens.ts';
import { now } from '../../lib/clock.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { tokenSubjectKey, tokenSubjectOf } from '../items/record-items.ts';
import { type Check, type Checks, isCount, keyOf, spell, textOf } from './facts.ts';

/** Tells whether DynamoDB may remove an item. It removes the items of an expired token one by one. */
export const isExpired = ({ ttl }: Item): boolean => isCount(ttl) && Number(ttl) * 1_000 <= now();

/** Opens the check of the single tokens of a team or organization, which a new token replaces. */
export const checkOwnToken =
  ({ at, must }: Check) =>
  (item: Item): void => {
    const { token, auditToken, ty, id, name } = item;
    for (const [one, kind] of [
      [token, ty],
      [auditToken, 'audit-trails'],
    ]) {
      if (one === undefined) continue;
      const pointer = at(keys.pointer(textOf(one)));
      const isOwn = pointer?.['kind'] === kind && pointer?.['subject'] === (ty === 'team' ? id : name);
      must(isOwn, 'its token does not exist or belongs to another subject');
    }
  };

/** Opens the checks of tokens, and of the references between tokens and their subjects. */
export const checkTokens = ({ at, must }: Check): Checks<'token' | 'token-of' | 'token-id'> => {
  const sameToken = (about: Item): void => {
    const { id, digest } = about;
    const pointer = at(keys.pointer(textOf(id)));
    const mirror = at(keys.tokenOf(tokenSubjectOf(about), textOf(id)));
    const token = at(keys.token(textOf(digest)));
    const whole = pointer !== undefined && mirror !== undefined && token !== undefined;
    must(whole, 'the token, its mirror or its id pointer is missing');
    if (!whole) return;
    const whose = ({ id, kind, subject }: Item) => [id, kind, subject];
    const valuesOf = ({ name, organization, expiresAt, createdAt, suspended }: Item) => [
      ...[name, organization, expiresAt, createdAt, suspended],
    ];
    must(
      isDeepStrictEqual(whose(token), whose(pointer)) &&
        isDeepStrictEqual([whose(token), valuesOf(token)], [whose(mirror), valuesOf(mirror)]) &&
        mirror['digest'] === digest &&
        pointer['digest'] === digest,
      'the token, its mirror and its id pointer do not match',
    );
  };
  return {
    token: (item) => {
      if (isExpired(item)) return;
      const { digest } = at(keys.pointer(textOf(item['id']))) ?? {};
      const isOwn = spell(keys.token(textOf(digest))) === keyOf(item);
      if (isOwn) sameToken({ ...item, digest });
      else must(false, 'its id pointer does not lead to it');
      const subject = tokenSubjectOf(item);
      const key = tokenSubjectKey(subject);
      const isThere = subject.kind === 'site' ? subject.id === SITE.id : key !== undefined && at(key) !== undefined;
      must(isThere, 'its subject does not exist');
      if (!isThere || subject.kind !== 'user') return;
      const isUserSuspended = at(keys.user(subject.id))?.['suspendedAt'] !== undefined;
      must(!isUserSuspended || item['suspended'] === true, 'its user is suspended and it is not: repeat suspend-user');
      must(isUserSuspended || item['suspended'] !== true, 'it is suspended and its user is not: repeat resume-user');
    },
    'token-of': (item) => {
      if (!isExpired(item)) sameToken(item);
    },
    'token-id': (item) => {
      if (!isExpired(item)) sameToken(item);
    },
  };
};
