import type { ReactNode } from 'react';
import type { Schemas } from '../../../../shared/client/types.ts';
import { useKeptEntries } from '../api/kept-page.ts';
import { formatDay } from '../lib/format-time.ts';
import { tokenLine } from '../lib/terraform-examples.ts';
import { Button } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import { Dialog, DialogActions, DialogBody } from './dialog.tsx';
import { Facts } from './page.tsx';
import { Time } from './time.tsx';
import { toVisible } from './visible-text.tsx';

interface NewTokenProps {
  /** Names the token and its owner. */
  readonly title: string;
  readonly attributes: Schemas['NewAuthenticationToken']['attributes'];
  /** Whether terraform and tofu can use the token. */
  readonly isForTerraform?: boolean;
  readonly onClose: () => void;
}

/** Shows a new token with its text, which no other response contains. */
export const NewToken = ({ title, attributes, isForTerraform = false, onClose }: NewTokenProps) => {
  useKeptEntries();
  return (
    <Dialog title={title} description="It is shown only now. Copy it to a safe place." onClose={onClose}>
      <DialogBody>
        <CodeBlock label="Token" code={attributes.token} />
        {isForTerraform && <CodeBlock label="For terraform and tofu" code={tokenLine(attributes.token)} />}
        <Facts
          facts={[
            ...(attributes.description ? [['Description', attributes.description] as const] : []),
            ['Expires', showExpiry(attributes['expired-at'])],
          ]}
        />
      </DialogBody>
      <DialogActions>
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
};

/** Shows when a token expires. */
export const showExpiry = (time: string | null) => (time === null ? 'never' : <Time value={time} isFull />);

const DAY = 86_400_000;

/** Lifetimes of a token in days; empty for a token that never expires. */
export const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '1 year' },
  { value: '', label: 'Never expires' },
] as const;

export type Lifetime = (typeof lifetimes)[number]['value'];

/** Computes when a token expires that is created at a time in milliseconds. */
export const expiryOf = (lifetime: Lifetime, createdAt: number): string | null =>
  lifetime === '' ? null : new Date(createdAt + Number(lifetime) * DAY).toISOString();

/** Shows the day on which a token was used last: the service records no more. */
export const showLastUse = (time: string | null): string => {
  if (time === null) return 'never';
  const day = formatDay(new Date(time), Date.now());
  return ['Today', 'Yesterday'].includes(day) ? day.toLowerCase() : day;
};

/** Shows the description of a token and its id. @param badge follows the description */
export const showDescription = ({ id, attributes }: Schemas['AuthenticationToken'], badge?: ReactNode) => (
  <>
    <span className="clamped" title={attributes.description ?? undefined}>
      {toVisible(attributes.description) ?? <span className="muted">No description</span>} {badge}
    </span>
    <div className="muted">
      <code>{id}</code>
    </div>
  </>
);
