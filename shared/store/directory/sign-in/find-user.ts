import type { RequestContext } from '../../../domain/changes/change-context.ts';
import { OWNERS_TEAM, type User } from '../../../domain/directory/records.ts';
import { linkedIdentityId } from '../../../domain/directory/sessions.ts';
import {
  createLinked,
  isLinkable,
  linkingEmail,
  linkUser,
  numberedUsername,
  type Person,
  useLinked,
  usernamesFor,
} from '../../../domain/directory/transitions/linked-identities.ts';
import { isOpen } from '../../../domain/directory/transitions/plan.ts';
import { conflict } from '../../../domain/errors.ts';
import { newId, randomNumber } from '../../../lib/random.ts';
import { keys, prefixes } from '../../dynamodb/keys.ts';
import { apply, type Table } from '../records/commit.ts';
import type { Users } from '../users/users.ts';

/** Opens the search for the user of a person who signs in. All reads are strongly consistent. */
export const openFindUser = ({ database, ...rest }: Table, users: Users) => {
  const table = { database, ...rest };

  /** Lists the names of the organizations of a user, and whether the user is an owner of one. */
  const findOrganizations = async (user: string) => {
    const { pk: partition } = keys.user(user);
    const items = await database.query({ partition, beginsWith: prefixes.memberships, consistent: true });
    const teams = await database.getAll(
      items.flatMap(({ team }) => (team === undefined ? [] : [keys.team(String(team))])),
      true,
    );
    return {
      organizations: items.filter(({ team }) => team === undefined).map(({ organization }) => String(organization)),
      isOwner: teams.some(({ name }) => name === OWNERS_TEAM),
    };
  };

  /** Finds the only user with the e-mail address of a person, if it may be linked (SESSION-5). */
  const findLinkable = async (person: Person) => {
    const email = linkingEmail(person);
    const [user, another] = email === undefined ? [] : await users.findByEmail(email);
    if (user === undefined || another !== undefined || !isLinkable(user)) return undefined;
    const { organizations, isOwner } = await findOrganizations(user.id);
    return isOwner ? undefined : { user, organizations };
  };

  const findUsername = async (person: Person): Promise<string> => {
    const names = usernamesFor(person);
    const taken = await Promise.all(names.map((name) => database.get(keys.username(name), true)));
    const [name = ''] = names;
    return names.find((_, index) => taken[index] === undefined) ?? numberedUsername(name, randomNumber(10_000, 99_999));
  };

  /**
   * Finds the user with whom the identity of a person is linked, or else links or creates one (SESSION-4, SESSION-5).
   * @throws DomainError 409 while the user is being deleted.
   */
  return async (request: RequestContext, person: Person): Promise<User> => {
    const id = newId('user', request);
    const identityKey = keys.linkedIdentity(linkedIdentityId(person.provider.issuer, person.subject));
    return apply<User>(table, request, async (attempt) => {
      const identity = await database.get(identityKey, true);
      if (identity !== undefined) {
        const stored = await users.findById(String(identity['user']));
        if (!isOpen(stored)) throw conflict('The user is being deleted.');
        return useLinked(stored.record, person);
      }
      const found = await findLinkable(person);
      if (found !== undefined) return linkUser(attempt, found.user, person, found.organizations);
      return createLinked(attempt, id, await findUsername(person), person);
    });
  };
};
