import { useState } from 'react';
import { Button } from './button.tsx';
import { toast } from './toast.tsx';

/** Shows a button that copies a text. */
export const CopyButton = ({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      toast('The browser does not allow copying. Select the text instead.', 'danger');
    }
  };
  return (
    <Button look="quiet" icon={isCopied ? 'check' : 'copy'} onClick={copy}>
      {isCopied ? 'Copied' : label}
    </Button>
  );
};

/** Shows an id, and copies it. */
export const CopyableId = ({ id }: { readonly id: string }) => (
  <span className="cluster">
    <code>{id}</code> <CopyButton text={id} />
  </span>
);
