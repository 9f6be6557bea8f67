import type { HistoryEntry } from '../api/history.ts';
import { expandChange, formatValue } from '../lib/compare.ts';
import { formatExact } from '../lib/format-time.ts';
import { toWords } from '../lib/words.ts';
import { ChangedValue } from './changes.tsx';
import { Facts } from './page.tsx';
import { Time } from './time.tsx';
import './timeline.css';

type Change = HistoryEntry['attributes']['changes'][number];

/** A large value is described by its length and fingerprint (HIST-5). */
const isSummary = (value: unknown): value is { readonly length: number; readonly fingerprint: string } =>
  typeof value === 'object' && value !== null && 'length' in value && 'fingerprint' in value;

/** Formats a value of an attribute. The names of attributes that are times end with `-at`. */
const showValue = (name: string, value: unknown): string => {
  if (isSummary(value)) return `${value.length.toLocaleString()} bytes (fingerprint ${value.fingerprint})`;
  return typeof value === 'string' && /[ -]at$/.test(name) ? formatExact(new Date(value)) : formatValue(value);
};

const nameOf = ({ attribute, member }: Change): string => (member === undefined ? attribute : `${attribute} ${member}`);

const toParts = (change: Change) => {
  const named = { name: nameOf(change), old: change.old, new: change.new };
  return isSummary(change.old) || isSummary(change.new) ? [named] : expandChange(named);
};

/** Number of changed attributes that are shown before the rest is folded, as a creation sets all of them. */
const SHOWN_CHANGES = 6;

interface TimelineProps {
  readonly entries: readonly HistoryEntry[];
  /** Shows what each entry is about, where they are about several resources. */
  readonly areResourcesShown: boolean;
}

/** Shows who changed what, from which value to which, newest first. */
export const Timeline = ({ entries, areResourcesShown }: TimelineProps) => (
  <ol className="timeline">
    {entries.map((entry) => (
      <TimelineEntry key={entry.id} entry={entry} isResourceShown={areResourcesShown} />
    ))}
  </ol>
);

const TimelineEntry = ({
  entry: { attributes, relationships },
  isResourceShown,
}: {
  readonly entry: HistoryEntry;
  readonly isResourceShown: boolean;
}) => {
  const { actor, changes } = attributes;
  const { type, id } = relationships.resource.data;
  const reason = (attributes.details as { readonly reason?: unknown } | null)?.reason;
  const rows = changes.flatMap((change) =>
    toParts(change).map((part) =>
      change.withheld && change.old === null && change.new === null ? (
        <li key={part.name}>
          <code className="changes-name">{part.name}</code>{' '}
          <span className="muted">changed; you may not see the values</span>
        </li>
      ) : (
        <ChangedValue key={part.name} {...part} format={(value) => showValue(part.name, value)} />
      ),
    ),
  );
  return (
    <li className="timeline-entry">
      <div className="cluster">
        <strong>{toWords(attributes.action)}</strong>
        {isResourceShown && <span>{attributes['resource-name'] ?? <code>{id}</code>}</span>}
        <span>by {actor.name ?? actor.id ?? 'somebody you may not see'}</span>
        <span className="muted">
          <Time value={attributes['created-at']} />
        </span>
      </div>
      {typeof reason === 'string' && reason !== '' && <p>Reason: {reason}</p>}
      {rows.length > 0 && <ul className="changes">{rows.slice(0, SHOWN_CHANGES)}</ul>}
      {rows.length > SHOWN_CHANGES && (
        <details>
          <summary>{rows.length - SHOWN_CHANGES} more attributes</summary>
          <ul className="changes">{rows.slice(SHOWN_CHANGES)}</ul>
        </details>
      )}
      <details>
        <summary>Details</summary>
        <Facts
          facts={[
            ['Resource', <code key="resource">{`${type} ${id}`}</code>],
            ['Change', attributes.sequence.toLocaleString()],
            ['Time', <Time key="time" value={attributes['created-at']} isFull />],
            ['Actor', `${actor.kind} ${actor.id ?? ''}`],
            ['Request', <code key="request">{attributes['request-id']}</code>],
            ['Token', attributes['token-id'] ?? 'not shown'],
            ['Source address', attributes['source-address'] ?? 'not shown'],
          ]}
        />
      </details>
    </li>
  );
};
