import { Fragment, type ReactNode, useId, useState } from 'react';
import type { HistoryEntry } from '../../../../shared/client/history.ts';
import { nameOfActor } from '../lib/actor.ts';
import { formatClock, formatDay, formatExact } from '../lib/format-time.ts';
import {
  type ChangeGroup,
  describeAction,
  describeChanges,
  describeDetails,
  isReport,
  rolledBackSerial,
  type Shown,
  summarizeChanges,
  toText,
} from '../lib/history-changes.ts';
import { historyDetails } from '../lib/preferences.ts';
import { typeOfId } from '../lib/resource-types.ts';
import { useStore } from '../lib/store.ts';
import { formatCount } from '../lib/words.ts';
import { Avatar } from './avatar.tsx';
import { Button } from './button.tsx';
import { ChangedValue } from './changes.tsx';
import { Icon } from './icon.tsx';
import { Facts } from './page.tsx';
import { ActorLink, ResourceLink, RunLink } from './resource-link.tsx';
import './timeline.css';
import { toVisible } from './visible-text.tsx';

/** Number of changed attributes that the line of an entry names. A creation sets all of them. */
const NAMED_CHANGES = 6;

interface TimelineProps {
  readonly entries: readonly HistoryEntry[];
  /** Names of resources by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** Ids of resources that have been deleted. With it, each entry shows which resource it is about. */
  readonly deleted?: ReadonlySet<string> | undefined;
  /** Heading of a day: the one below the heading of the page or section. */
  readonly heading: 'h2' | 'h3';
}

type Attributes = HistoryEntry['attributes'];

/** Divides a list wherever the key of an element differs from that of the one before. */
const divide = <T,>(list: readonly T[], keyOf: (element: T) => string): readonly (readonly T[])[] => {
  const parts: T[][] = [];
  let former: string | undefined;
  for (const element of list) {
    const key = keyOf(element);
    if (key === former) parts.at(-1)?.push(element);
    else parts.push([element]);
    former = key;
  }
  return parts;
};

const dayOf = ({ attributes }: HistoryEntry): string => new Date(attributes['created-at']).toDateString();

/** Entries without a request, such as those of a part of the service, stay apart. */
const requestOf = ({ id, attributes }: HistoryEntry): string => attributes['request-id'] ?? id;

/**
 * Shows who changed what, from which value to which, newest first: one line for each entry below the heading of its day. The
 * entries of one request are one line that opens to them.
 */
export const Timeline = ({ entries, heading: Heading, ...shown }: TimelineProps) => {
  const areOpen = useStore(historyDetails) === 'open';
  return (
    <div className="timeline">
      {divide(entries, dayOf).map((day) => (
        <section key={day[0]?.id}>
          <Heading className="timeline-day">
            {formatDay(new Date(day[0]?.attributes['created-at'] ?? 0), Date.now())}
          </Heading>
          {/* All entries open or close with the choice of the user. */}
          <ol key={String(areOpen)} className="timeline-entries">
            {divide(day, requestOf).map((group) =>
              group.length === 1 ? (
                group.map((entry) => <Entry key={entry.id} entry={entry} isOpenAtFirst={areOpen} {...shown} />)
              ) : (
                <Group key={group[0]?.id} entries={group} isOpenAtFirst={areOpen} {...shown} />
              ),
            )}
          </ol>
        </section>
      ))}
    </div>
  );
};

interface LineProps {
  readonly attributes: Attributes;
  /** Says who did what. */
  readonly title: ReactNode;
  /** Name of the button that opens it. */
  readonly label: string;
  /** Names the changes, as far as they fit into the line. */
  readonly summary: ReactNode;
  readonly isOpenAtFirst: boolean;
  readonly children: ReactNode;
}

/** Shows a line that opens to the details. */
const Line = ({ attributes, title, label, summary, isOpenAtFirst, children }: LineProps) => {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  const id = useId();
  const time = new Date(attributes['created-at']);
  return (
    <li className="timeline-entry">
      <div className="timeline-line">
        <Button
          look="quiet"
          icon="down"
          label={label}
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => setOpen(!isOpen)}
        />
        {['run', 'service'].includes(attributes.actor.kind) ? (
          <Icon name="settings" />
        ) : (
          <Avatar name={nameOfActor(attributes.actor)} />
        )}
        <span className="timeline-title">{title}</span>
        <span className="timeline-summary">{summary}</span>
        <time dateTime={attributes['created-at']} title={formatExact(time)} className="muted">
          {formatClock(time)}
        </time>
      </div>
      {isOpen && (
        <div id={id} className="timeline-details">
          {children}
        </div>
      )}
    </li>
  );
};

/** Shows who made a change, as a link to them. */
const Actor = ({ entry: { attributes, relationships }, names }: Pick<EntryProps, 'entry' | 'names'>) => {
  const { actor } = attributes;
  const { type, id } = relationships.resource.data;
  if (isReport(attributes)) return 'the runner';
  // A run has its id as its name.
  const shown = actor.kind === 'run' ? { ...actor, name: names.get(actor.id ?? '') ?? 'a run' } : actor;
  return <ActorLink actor={shown} workspace={type === 'workspaces' ? id : undefined} />;
};

/** Shows which resource an entry is about, where they are about several. */
const Subject = ({ entry: { attributes, relationships }, names, deleted }: Omit<EntryProps, 'isOpenAtFirst'>) => {
  const { type, id } = relationships.resource.data;
  const { actor, 'resource-name': name } = attributes;
  if (deleted === undefined) return null;
  // Who signs in is named once.
  if (type === 'organization-memberships' && (name ?? names.get(id)) === actor.name) return null;
  return <ResourceLink type={type} id={id} name={name} names={names} isDeleted={deleted.has(id)} />;
};

interface EntryProps extends Pick<TimelineProps, 'names' | 'deleted'> {
  readonly entry: HistoryEntry;
  readonly isOpenAtFirst: boolean;
}

const Entry = ({ entry, names, deleted, isOpenAtFirst }: EntryProps) => {
  const { attributes, relationships } = entry;
  const { actor, changes, 'token-id': token, 'source-address': address, 'bulk-job-id': job } = attributes;
  const { type, id } = relationships.resource.data;
  const groups = describeChanges(changes, names, type);
  const details = describeDetails(attributes, names);
  const action = describeAction(attributes, deleted !== undefined);
  // Of a change to one part of the organization, such as a reserved tag key, its name says more than that of the organization.
  const part = type === 'organizations' && groups.length === 1 ? groups[0]?.name : undefined;
  return (
    <Line
      attributes={attributes}
      label={`Details: ${action}, ${formatExact(new Date(attributes['created-at']))}`}
      isOpenAtFirst={isOpenAtFirst}
      title={
        <>
          <strong>{action}</strong>{' '}
          {deleted !== undefined && part !== undefined ? (
            toVisible(part)
          ) : (
            <Subject entry={entry} names={names} deleted={deleted} />
          )}
          {' by '}
          <Actor entry={entry} names={names} />
          {job !== null && (
            <>
              {' in a '}
              <ResourceLink type="bulk-jobs" id={job} name="bulk job" names={names} isDeleted={false} />
            </>
          )}
        </>
      }
      summary={
        <Summary
          action={action}
          details={details}
          groups={summarizeChanges([entry], names, type)}
          isPartNamed={part !== undefined}
          workspace={id}
          deleted={deleted}
        />
      }
    >
      {details.map((detail) => (
        <p key={detail[0]}>
          <Detail detail={detail} workspace={id} deleted={deleted} />
        </p>
      ))}
      <Groups groups={groups} deleted={deleted} />
      <Facts
        facts={[
          ['Time', formatExact(new Date(attributes['created-at']))],
          ['Resource', <code key="resource">{`${type} ${id}`}</code>],
          ['Change number', attributes.sequence.toLocaleString()],
          ['Actor', <code key="actor">{`${actor.kind} ${actor.id ?? ''}`}</code>],
          ['Request', <code key="request">{attributes['request-id']}</code>],
          [
            'Token',
            <Token key="token" actor={actor} id={token} name={token === null ? undefined : names.get(token)} />,
          ],
          ['Source address', address ?? 'not shown'],
        ]}
      />
    </Line>
  );
};

/** Says that one of the entries has made an older version of the state the current one again. */
const describeRollback = (entries: readonly HistoryEntry[]): readonly string[] => {
  const [serial] = entries.flatMap(({ attributes }) => rolledBackSerial(attributes.details) ?? []);
  if (serial === undefined) return [];
  const changed = entries
    .flatMap(({ attributes }) => attributes.changes)
    .find(({ attribute }) => attribute === 'current-state-version');
  const former = changed?.old as { readonly serial: number } | null | undefined;
  return [`Rolled back to version ${serial}${former ? ` (from ${former.serial})` : ''}`];
};

/** Joins actions that differ in their last word, the oldest first; undefined if others differ, too. */
const joinActions = (newestFirst: readonly string[]): string | undefined => {
  const [kinds, verbs] = [/ [^ ]*$/, /^.* /].map((part) =>
    [...new Set(newestFirst.map((action) => action.replace(part, '')))].toReversed(),
  );
  return kinds?.length === 1 ? `${kinds[0]} ${verbs?.join(' and ')}` : undefined;
};

interface GroupProps extends Pick<TimelineProps, 'names' | 'deleted'> {
  /** The entries of one request, at least two. */
  readonly entries: readonly HistoryEntry[];
  readonly isOpenAtFirst: boolean;
}

/** Shows the entries of one request as one line that opens to them. */
const Group = ({ entries, isOpenAtFirst, ...shown }: GroupProps) => {
  const [first] = entries;
  if (first === undefined) return null;
  const isOfOne = new Set(entries.map(({ relationships }) => relationships.resource.data.id)).size === 1;
  const actions = entries.map(({ attributes }) => describeAction(attributes, shown.deleted !== undefined));
  const title = formatCount(entries.length, 'change');
  const joined = isOfOne ? joinActions(actions) : undefined;
  const { type, id } = first.relationships.resource.data;
  return (
    <Line
      attributes={first.attributes}
      label={`Details: ${title} of one request, ${formatExact(new Date(first.attributes['created-at']))}`}
      isOpenAtFirst={isOpenAtFirst}
      title={
        <>
          <strong>{joined ?? title}</strong>{' '}
          {isOfOne ? <Subject entry={first} names={shown.names} deleted={shown.deleted} /> : 'of one request'}
          {' by '}
          <Actor entry={first} names={shown.names} />
        </>
      }
      summary={
        <>
          {describeRollback(entries).map((text) => `${text} · `)}
          {joined === undefined ? (
            [...Map.groupBy(actions, (action) => action)]
              .map(([action, { length }]) => (length === 1 ? action : `${action} (${length})`))
              .join(' · ')
          ) : (
            <Summary
              action={joined}
              details={[]}
              groups={summarizeChanges(entries, shown.names, type)}
              workspace={id}
              deleted={shown.deleted}
            />
          )}
        </>
      }
    >
      <ol className="timeline-entries">
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} isOpenAtFirst={false} {...shown} />
        ))}
      </ol>
    </Line>
  );
};

interface TokenProps {
  readonly actor: Attributes['actor'];
  readonly id: string | null;
  readonly name: string | undefined;
}

/** Shows the token of a change, as a link to the tokens of the organization and its teams if it is one of them. */
const Token = ({ actor, id, name }: TokenProps) => {
  if (id === null) return 'not shown';
  const label = name === undefined ? <code>{id}</code> : toVisible(name);
  const isListed = actor.kind === 'team' || actor.kind === 'organization';
  return isListed ? <ResourceLink type="authentication-tokens" id={id} name={name ?? id} /> : label;
};

interface ValueProps extends Pick<TimelineProps, 'deleted'> {
  readonly value: Shown;
  /** Id of the workspace, if the entry is about one. */
  readonly workspace?: string;
}

/** Shows a value, with links to the resources that it names. */
const Value = ({ value, workspace, deleted }: ValueProps) => {
  if (typeof value === 'string') return toVisible(value);
  return value.map(({ label, id = '' }, index) => {
    const type = typeOfId(id);
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a value keep their order
      <Fragment key={index}>
        {index > 0 && ', '}
        {workspace !== undefined && id.startsWith('run-') ? (
          <RunLink workspace={workspace} run={id}>
            {toVisible(label)}
          </RunLink>
        ) : type === undefined ? (
          toVisible(label)
        ) : (
          <ResourceLink type={type} id={id} name={label} isDeleted={deleted?.has(id) ?? false} />
        )}
      </Fragment>
    );
  });
};

type DetailOf = ReturnType<typeof describeDetails>[number];

interface DetailProps extends Omit<ValueProps, 'value'> {
  readonly detail: DetailOf;
}

const Detail = ({ detail: [label, value], ...shown }: DetailProps) => (
  <>
    {label !== '' && `${label}: `}
    <Value value={value} {...shown} />
  </>
);

interface SummaryProps extends Omit<ValueProps, 'value'> {
  /** Title of the line, whose words it does not repeat. */
  readonly action: string;
  readonly details: readonly DetailOf[];
  readonly groups: readonly ChangeGroup[];
  /** Whether the title has the name of the only group. */
  readonly isPartNamed?: boolean;
}

/** Names what changed in one line. */
const Summary = ({ action, details, groups, isPartNamed = false, ...shown }: SummaryProps) => {
  let free = NAMED_CHANGES;
  const isSaid = (kind: string) => action.toLowerCase().includes(kind.trim().toLowerCase());
  const changed = groups.flatMap(({ heading = '', name = '', isWithheld, changes }) => {
    if (free === 0) return [];
    const said = isPartNamed ? '' : name;
    const label = isSaid(heading.slice(0, heading.length - name.length)) ? said : heading;
    const named = changes.slice(0, free).map(({ name, old, new: current }) => {
      const values = [...(old === null ? [] : [toText(old)]), toText(current)];
      return `${name} ${isWithheld ? 'not shown' : values.join(' → ')}`;
    });
    free -= named.length;
    return [[label, named.join(' · ')].filter(Boolean).join(': ')].filter(Boolean);
  });
  return (
    <>
      {details.map((detail, index) => (
        <Fragment key={detail[0]}>
          {index > 0 && ' · '}
          <Detail detail={isSaid(detail[0]) ? ['', detail[1]] : detail} {...shown} />
        </Fragment>
      ))}
      {details.length > 0 && changed.length > 0 && ' · '}
      {toVisible(changed.join(' · '))}
    </>
  );
};

const Groups = ({ groups, deleted }: { readonly groups: readonly ChangeGroup[] } & Pick<ValueProps, 'deleted'>) =>
  groups.length > 0 && (
    <ul className="changes">
      {groups.flatMap(({ heading, id, isWithheld, changes }) => [
        // Changes of the resource itself have no heading.
        heading !== undefined && (
          <li key={heading} className="changes-heading">
            <Value value={[{ label: heading, ...(id !== undefined && { id }) }]} deleted={deleted} />
          </li>
        ),
        ...changes.map((change) => {
          // Several changes of one entry can have one name, such as changes of tags.
          const key = [heading, change.name, change.old && toText(change.old), toText(change.new)].join(' ');
          return isWithheld ? (
            <li key={key}>
              <span className="changes-name">{toVisible(change.name)}</span> <span className="muted">not shown</span>
            </li>
          ) : (
            <ChangedValue key={key} {...change} show={(value) => <Value value={value} deleted={deleted} />} />
          );
        }),
      ])}
    </ul>
  );
