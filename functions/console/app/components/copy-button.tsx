import { useState } from 'react';
import { Button } from './button.tsx';
import { toast } from './toast.tsx';

/** Shows a button that copies a text. @param subject says what the text is, for screen readers */
export const CopyButton = ({ text, subject }: { readonly text: string; readonly subject: string }) => {
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
  const label = isCopied ? 'Copied' : 'Copy';
  return (
    <>
      <Button look="quiet" icon={isCopied ? 'check' : 'copy'} aria-label={`${label}: ${subject}`} onClick={copy}>
        {label}
      </Button>
      <span className="visually-hidden" role="status">
        {isCopied && 'Copied'}
      </span>
    </>
  );
};

/** Shows an id, and copies it. */
export const CopyableId = ({ id }: { readonly id: string }) => (
  <span className="cluster">
    <code>{id}</code> <CopyButton text={id} subject="ID" />
  </span>
);
