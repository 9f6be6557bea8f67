import { Button } from './button.tsx';
import { CodeBlock } from './code-block.tsx';
import { Dialog, DialogActions, DialogBody } from './dialog.tsx';

/** Shows the text of a new token, which no other response contains. */
export const NewToken = ({ text, onClose }: { readonly text: string; readonly onClose: () => void }) => (
  <Dialog title="The new token" description="It is shown only now. Copy it to a safe place." onClose={onClose}>
    <DialogBody>
      <CodeBlock label="Token" code={text} />
    </DialogBody>
    <DialogActions>
      <Button look="primary" onClick={onClose}>
        Done
      </Button>
    </DialogActions>
  </Dialog>
);

const DAY = 86_400_000;

/** Lifetimes of a token in days; empty for a token that never expires. */
export const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Never expires' },
] as const;

export type Lifetime = (typeof lifetimes)[number]['value'];

/** Computes when a token expires that is created at a time in milliseconds. */
export const expiryOf = (lifetime: Lifetime, createdAt: number): string | null =>
  lifetime === '' ? null : new Date(createdAt + Number(lifetime) * DAY).toISOString();
