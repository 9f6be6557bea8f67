import { linkedIdentityId } from '../../domain/directory/sessions.ts';
import type { ItemType } from '../dynamodb/item-schemas.ts';
import { type Item, keys } from '../dynamodb/keys.ts';
import { type Check, type Checks, isCount, isText, keyOf, spell, textOf } from './facts.ts';
import { isExpired } from './tokens.ts';

type SignInItem = 'group' | 'disabled-provider' | Extract<ItemType, `${'linked-identity' | 'session'}${string}`>;

/** Opens the check that the group of a team, or of the owners of an organization, leads to the team. */
export const checkMapping =
  ({ at, must }: Check) =>
  ({ ty, id, name, organization, ssoTeamId, ownersTeam, ownersTeamSamlRoleId }: Item): void => {
    const [group, place, team] =
      ty === 'team' ? [ssoTeamId, organization, id] : [ownersTeamSamlRoleId, name, ownersTeam];
    // Without a group, it is null, an empty text or undefined.
    if (!isText(group)) return;
    const isMapped = at(keys.group(group, textOf(place), textOf(team))) !== undefined;
    must(isMapped, 'its group at identity providers does not lead to it: set it again');
  };

/** Opens the checks of sessions, linked identities and mapped groups. */
export const checkSignIns = ({ at, must }: Check): Checks<SignInItem> => {
  /** Checks that a pointer leads to a session of the same user. */
  const leadsToSession = (item: Item): Item | undefined => {
    const session = at(keys.session(textOf(item['id'])));
    must(session !== undefined && session['user'] === item['user'], 'the session that it leads to does not exist');
    return session;
  };

  return {
    'linked-identity': (item) => {
      const { id, user, issuer, subject } = item;
      must(id === linkedIdentityId(textOf(issuer), textOf(subject)), 'its id does not match its issuer and subject');
      must(
        at(keys.linkedIdentityOf(textOf(user), textOf(id))) !== undefined,
        'the matching item of the user is missing',
      );
      must(at(keys.user(textOf(user)))?.['isLinked'] === true, 'its user does not exist or is not linked');
    },
    'linked-identity-of': (item) => {
      const identity = at(keys.linkedIdentity(textOf(item['id'])));
      must(identity?.['user'] === item['user'], 'the identity that it leads to does not exist');
    },
    session: (item) => {
      if (isExpired(item)) return;
      const { id, user, provider, digest, expiresAt, usedAt, tokens } = item;
      must(isText(digest) && isCount(expiresAt) && isCount(usedAt), 'its digest or its times are missing');
      must(Array.isArray(tokens), 'its tokens are missing');
      must(at(keys.sessionOf(textOf(user), textOf(id))) !== undefined, 'the matching item of the user is missing');
      const isListed = at(keys.sessionAtProvider(textOf(provider), textOf(id))) !== undefined;
      must(isListed, 'the matching item of the identity provider is missing');
      must(at(keys.user(textOf(user))) !== undefined, 'its user does not exist');
    },
    'disabled-provider': ({ disabledAt }) => must(isCount(disabledAt), 'its time is missing'),
    'session-at-provider': (item) => {
      if (isExpired(item)) return;
      const { provider } = leadsToSession(item) ?? {};
      must(provider === item['provider'], 'the session that it leads to comes from another identity provider');
    },
    'session-of': (item) => {
      if (!isExpired(item)) leadsToSession(item);
    },
    'session-of-provider': (item) => {
      if (isExpired(item)) return;
      const { id, issuer, sid } = leadsToSession(item) ?? {};
      const expected = spell(keys.sessionOfProvider(textOf(issuer), textOf(sid), textOf(id)));
      must(expected === keyOf(item), 'the session that it leads to has another id at the identity provider');
    },
    group: (item) => {
      const [organization, team] = [textOf(item['organization']), textOf(item['team'])];
      const { ownersTeam, ownersTeamSamlRoleId } = at(keys.organization(organization)) ?? {};
      const group = ownersTeam === team ? ownersTeamSamlRoleId : at(keys.team(team))?.['ssoTeamId'];
      const expected = isText(group) && spell(keys.group(group, organization, team));
      must(expected === keyOf(item), 'no team has this group');
    },
  };
};
