import { currentLock } from '../../shared/domain/hub/hub-row.ts';
import type { HubQueries } from '../../shared/schemas/hub-queries.ts';
import type { LiveRow } from '../../shared/store/hub/hub-items.ts';

type Matches = (row: LiveRow, now: number) => boolean;

/** Returns whether a value is the expected one; an absent expectation accepts every value. */
const isExpected = <T>(expected: T | undefined, value: T): boolean => expected === undefined || expected === value;

/** Returns whether a workspace has a tag: `key` with any value or none, or `key=value`. */
const hasTag = ({ content: { tags } }: LiveRow, tag: string): boolean =>
  tags.some(({ key, value }) => tag === key || (value !== null && tag === `${key}=${value}`));

/** Creates the filter of the query `list`. */
export const matchesList =
  (expected: HubQueries['list']): Matches =>
  (row, now) => {
    const { organization, project, name, version } = row.content;
    return (
      isExpected(expected.deployment, row.deployment) &&
      isExpected(expected.organization, organization) &&
      isExpected(expected.project, project) &&
      isExpected(expected.version, version) &&
      isExpected(expected.locked, currentLock(row.content, now) !== null) &&
      isExpected(expected.incomplete, row.missing.length > 0) &&
      (expected.name === undefined || name.includes(expected.name)) &&
      (expected.tag === undefined || hasTag(row, expected.tag))
    );
  };

/** Creates the filter of the query `locks`. A holder is found by its id and by its name. */
export const matchesLocks =
  (expected: HubQueries['locks']): Matches =>
  (row, now) => {
    const { member, deployment, content } = row;
    const lock = currentLock(content, now);
    return (
      lock !== null &&
      isExpected(expected.account, member.account) &&
      isExpected(expected.region, member.region) &&
      isExpected(expected.deployment, deployment) &&
      isExpected(expected.organization, content.organization) &&
      (expected.holder === undefined || [lock.holder, lock.name].includes(expected.holder))
    );
  };
