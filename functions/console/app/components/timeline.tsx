import type { HistoryEntry } from '../api/history.ts';
import { expandChange, formatValue } from '../lib/compare.ts';
import './changes.css';
import { Facts } from './page.tsx';
import { Time } from './time.tsx';
import './timeline.css';

type Change = HistoryEntry['attributes']['changes'][number];

/** A large value is described by its length and fingerprint (HIST-5). */
const isSummary = (value: unknown): value is { readonly length: number; readonly fingerprint: string } =>
  typeof value === 'object' && value !== null && 'length' in value && 'fingerprint' in value;

const showValue = (value: unknown): string =>
  isSummary(value) ? `${value.length.toLocaleString()} bytes (fingerprint ${value.fingerprint})` : formatValue(value);

const nameOf = ({ attribute, member }: Change): string => (member === undefined ? attribute : `${attribute} ${member}`);

const toParts = (change: Change) => {
  const named = { name: nameOf(change), old: change.old, new: change.new };
  return isSummary(change.old) || isSummary(change.new) ? [named] : expandChange(named);
};

/** Makes the type of an event readable: `workspace.tags-changed` becomes "tags changed". */
const verbOf = (action: string): string => action.replace(/^workspace\./, '').replaceAll(/[.-]/g, ' ');

/** Shows who changed what, from which value to which, newest first. */
export const Timeline = ({ entries }: { readonly entries: readonly HistoryEntry[] }) => (
  <ol className="timeline">
    {entries.map((entry) => (
      <TimelineEntry key={entry.id} entry={entry} />
    ))}
  </ol>
);

const TimelineEntry = ({ entry: { attributes, relationships } }: { readonly entry: HistoryEntry }) => {
  const { actor, changes } = attributes;
  const { type, id } = relationships.resource.data;
  const reason = (attributes.details as { readonly reason?: unknown } | null)?.reason;
  return (
    <li className="timeline-entry">
      <div className="cluster">
        <strong>{verbOf(attributes.action)}</strong>
        <span>by {actor.name ?? actor.id ?? 'somebody you may not see'}</span>
        <span className="muted">
          <Time value={attributes['created-at']} />
        </span>
      </div>
      {typeof reason === 'string' && reason !== '' && <p>Reason: {reason}</p>}
      {changes.length > 0 && (
        <ul className="changes">
          {changes.flatMap((change) =>
            toParts(change).map((part) => (
              <li key={part.name}>
                <span className="changes-name">{part.name}</span>{' '}
                {change.withheld && change.old === null && change.new === null ? (
                  <span className="muted">changed; you may not see the values</span>
                ) : (
                  <>
                    <del>{showValue(part.old)}</del> <span aria-hidden="true">→</span> <ins>{showValue(part.new)}</ins>
                  </>
                )}
              </li>
            )),
          )}
        </ul>
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
