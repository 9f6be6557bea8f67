import { useMemo } from 'react';
import type { HistoryEntry } from '../api/history.ts';
import { type ChangeGroup, collectNames, describeChanges } from '../lib/history-changes.ts';
import { formatCount, toWords } from '../lib/words.ts';
import { ChangedValue } from './changes.tsx';
import { Facts } from './page.tsx';
import { Time } from './time.tsx';
import './timeline.css';

/** Number of changed attributes that are shown before the rest is folded, as a creation sets all of them. */
const SHOWN_CHANGES = 6;

interface TimelineProps {
  readonly entries: readonly HistoryEntry[];
  /** Shows what each entry is about, where they are about several resources. */
  readonly areResourcesShown: boolean;
}

/** Shows who changed what, from which value to which, newest first. */
export const Timeline = ({ entries, areResourcesShown }: TimelineProps) => {
  const names = useMemo(() => collectNames(entries), [entries]);
  return (
    <ol className="timeline">
      {entries.map((entry) => (
        <TimelineEntry key={entry.id} entry={entry} names={names} isResourceShown={areResourcesShown} />
      ))}
    </ol>
  );
};

const TimelineEntry = ({
  entry: { attributes, relationships },
  names,
  isResourceShown,
}: {
  readonly entry: HistoryEntry;
  readonly names: ReadonlyMap<string, string>;
  readonly isResourceShown: boolean;
}) => {
  const { actor, changes } = attributes;
  const { type, id } = relationships.resource.data;
  const reason = (attributes.details as { readonly reason?: unknown } | null)?.reason;
  const { shown, rest } = split(describeChanges(changes, names));
  const restCount = rest.reduce((sum, group) => sum + group.changes.length, 0);
  return (
    <li className="timeline-entry">
      <div className="timeline-title">
        <strong>{toWords(attributes.action)}</strong>
        {isResourceShown && <bdi>{attributes['resource-name'] ?? <code>{id}</code>}</bdi>}
        <span>
          by <bdi>{actor.name ?? actor.id ?? 'somebody you may not see'}</bdi>
        </span>
        <span className="muted">
          <Time value={attributes['created-at']} isFull />
        </span>
      </div>
      {typeof reason === 'string' && reason !== '' && (
        <p>
          Reason: <bdi>{reason}</bdi>
        </p>
      )}
      <Groups groups={shown} />
      <details>
        <summary>{restCount > 0 ? `${formatCount(restCount, 'more change')} and details` : 'Details'}</summary>
        <div className="timeline-details">
          <Groups groups={rest} />
          <Facts
            facts={[
              ['Resource', <code key="resource">{`${type} ${id}`}</code>],
              ['Change number', attributes.sequence.toLocaleString()],
              ['Actor', <code key="actor">{`${actor.kind} ${actor.id ?? ''}`}</code>],
              ['Request', <code key="request">{attributes['request-id']}</code>],
              [
                'Token',
                attributes['token-id'] === null ? 'not shown' : <code key="token">{attributes['token-id']}</code>,
              ],
              ['Source address', attributes['source-address'] ?? 'not shown'],
            ]}
          />
        </div>
      </details>
    </li>
  );
};

/** Splits the changes of an entry into those that are shown and those that are folded. */
const split = (groups: readonly ChangeGroup[]) => {
  const [shown, rest]: [ChangeGroup[], ChangeGroup[]] = [[], []];
  let free = SHOWN_CHANGES;
  for (const group of groups) {
    const [first, others] = [group.changes.slice(0, free), group.changes.slice(free)];
    free -= first.length;
    if (first.length > 0) shown.push({ ...group, changes: first });
    if (others.length > 0) rest.push({ ...group, changes: others });
  }
  return { shown, rest };
};

const Groups = ({ groups }: { readonly groups: readonly ChangeGroup[] }) =>
  groups.length > 0 && (
    <ul className="changes">
      {groups.flatMap(({ heading, isWithheld, changes }) => [
        // Changes of the resource itself have no heading.
        heading !== undefined && (
          <li key={heading} className="changes-heading">
            {heading}
          </li>
        ),
        ...changes.map((change) =>
          isWithheld ? (
            <li key={`${heading ?? ''} ${change.name}`}>
              <span className="changes-name">{change.name}</span>{' '}
              <span className="muted">changed; you may not see the values</span>
            </li>
          ) : (
            <ChangedValue key={`${heading ?? ''} ${change.name}`} {...change} />
          ),
        ),
      ])}
    </ul>
  );
