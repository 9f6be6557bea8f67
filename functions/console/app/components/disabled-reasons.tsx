import { toVisible } from './visible-text.tsx';

/** The label of an action of a list, and why it cannot be used; undefined if it can. */
export type ListAction = readonly [label: string, reason: string | undefined];

/**
 * Explains above a list why actions on it or on its rows are disabled, so that nobody has to point at a button to read it. Each
 * reason is shown once, with all actions that it is about, in however many rows.
 */
export const DisabledReasons = ({ actions }: { readonly actions: readonly ListAction[] }) => {
  const labelsOf = new Map<string, Set<string>>();
  for (const [label, reason] of actions) {
    if (reason !== undefined) labelsOf.set(reason, (labelsOf.get(reason) ?? new Set()).add(label));
  }
  const lines = Map.groupBy(labelsOf.keys(), (reason) => [...(labelsOf.get(reason) ?? [])].join(', '));
  return (
    lines.size > 0 && (
      <ul className="muted">
        {[...lines].map(([labels, reasons]) => (
          <li key={labels}>
            {labels} (disabled): {toVisible(reasons.join(' '))}
          </li>
        ))}
      </ul>
    )
  );
};
