import type { HistoryEntry } from '../../../../shared/client/history.ts';
import { nameOfActor } from '../lib/actor.ts';
import { type ChangeGroup, describeChanges, describeDetails } from '../lib/history-changes.ts';
import { formatCount, toWords, withoutResource } from '../lib/words.ts';
import { ChangedValue } from './changes.tsx';
import { Facts } from './page.tsx';
import { ResourceLink, RunLink } from './resource-link.tsx';
import { Time } from './time.tsx';
import './timeline.css';
import { toVisible } from './visible-text.tsx';

/** Number of changed attributes that are shown before the rest is folded, as a creation sets all of them. */
const SHOWN_CHANGES = 6;

interface TimelineProps {
  readonly entries: readonly HistoryEntry[];
  /** Names of resources by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** Ids of resources that have been deleted. With it, each entry shows which resource it is about. */
  readonly deleted?: ReadonlySet<string> | undefined;
}

/** Shows who changed what, from which value to which, newest first. */
export const Timeline = ({ entries, ...shown }: TimelineProps) => (
  <ol className="timeline">
    {entries.map((entry) => (
      <TimelineEntry key={entry.id} entry={entry} {...shown} />
    ))}
  </ol>
);

interface TimelineEntryProps extends Omit<TimelineProps, 'entries'> {
  readonly entry: HistoryEntry;
}

const TimelineEntry = ({ entry: { attributes, relationships }, names, deleted }: TimelineEntryProps) => {
  const { actor, changes, 'token-id': token, 'source-address': address, 'bulk-job-id': job } = attributes;
  const { type, id } = relationships.resource.data;
  const { shown, rest } = split(describeChanges(changes, names, type));
  const restCount = rest.reduce((sum, group) => sum + group.changes.length, 0);
  return (
    <li className="timeline-entry">
      <div className="timeline-title">
        <strong>{toWords(deleted !== undefined ? attributes.action : withoutResource(attributes.action))}</strong>
        {deleted !== undefined && (
          <ResourceLink
            type={type}
            id={id}
            name={attributes['resource-name']}
            names={names}
            isDeleted={deleted.has(id)}
          />
        )}
        <span>
          {'by '}
          {isReport(attributes) ? 'the runner' : toVisible(nameOfActor(actor))}
        </span>
        <span className="muted">
          <Time value={attributes['created-at']} isFull />
          {token !== null && names.has(token) && (
            <>
              {' · token '}
              {toVisible(names.get(token))}
            </>
          )}
          {address !== null && ` · from ${address}`}
          {job !== null && (
            <>
              {' · '}
              <ResourceLink type="bulk-jobs" id={job} name="bulk job" />
            </>
          )}
        </span>
      </div>
      {describeDetails(attributes.details, names).map(([label, value, run]) => (
        <p key={label}>
          {label}:{' '}
          {run === undefined ? (
            toVisible(value)
          ) : (
            <RunLink workspace={id} run={run}>
              {toVisible(value)}
            </RunLink>
          )}
        </p>
      ))}
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
              ['Token', token === null ? 'not shown' : <code key="token">{token}</code>],
              ['Source address', address ?? 'not shown'],
            ]}
          />
        </div>
      </details>
    </li>
  );
};

type Attributes = HistoryEntry['attributes'];

/** Returns whether the runner reported the change. Its actor is the run that the details name, or a part of the service. */
const isReport = ({ action, actor }: Attributes): boolean =>
  ['workspace.run-updated', 'workspace.configuration-version-updated'].includes(action) &&
  ['run', 'service'].includes(actor.kind);

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
            {toVisible(heading)}
          </li>
        ),
        ...changes.map((change) => {
          // Several changes of one entry can have one name, such as changes of tags.
          const key = `${heading ?? ''} ${change.name} ${change.old} ${change.new}`;
          return isWithheld ? (
            <li key={key}>
              <span className="changes-name">{toVisible(change.name)}</span> <span className="muted">not shown</span>
            </li>
          ) : (
            <ChangedValue key={key} {...change} />
          );
        }),
      ])}
    </ul>
  );
